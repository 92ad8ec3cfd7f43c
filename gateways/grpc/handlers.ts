/**
 * The methods of all services: work and end of each call that `request-gate.ts` admitted.
 */
import type * as grpc from "@grpc/grpc-js"
import { Effect, Stream } from "effect"
import { SwitchedOff } from "../../protocols/domain/failure.ts"
import type { Caller } from "../../protocols/domain/identity.ts"
import { operationList } from "../../protocols/grpc/contract/operations.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import type { IngestTogether } from "../ingest/ingest.ts"
import { authorise } from "../access/authorise.ts"
import type { Operations } from "../pose/pose-routes.ts"
import {
  type Admission,
  type AdmittedCall,
  asOpenStream,
  type Client,
  untilDraining,
  whileAllowed,
} from "./admission.ts"
import type { WatchAlerts } from "./alerts.ts"
import { once } from "../../core/math/once.ts"
import { type Run, serveCall, serveStream, type Streaming, write } from "./calls.ts"
import { serveIngest } from "./csi-ingest.ts"
import { type EdgeSources, listEdge, watchEdge } from "./edge.ts"
import type { HomeMethods } from "./home.ts"
import { makeOperation } from "./operations.ts"
import type { WatchPoses } from "./poses.ts"
import type { ProcessCsi } from "./process-csi.ts"
import type { RecordCsi } from "./record-csi.ts"
import type { RequestGate } from "./request-gate.ts"
import type { CallFailure } from "./status.ts"

/** What the methods work with. */
interface CallContext extends Admission {
  readonly admitted: RequestGate["admitted"]
  readonly run: Run
  readonly operations: Operations["Service"]
  readonly ingest: IngestTogether
  readonly process: ProcessCsi
  readonly recordCsi: RecordCsi
  readonly watchPoses: WatchPoses
  readonly watchAlerts: WatchAlerts
  readonly edge: EdgeSources
  readonly home: HomeMethods
  /** Done when streams of poses are switched off: at once, or as soon as they are. */
  readonly untilWatchingOff: Effect.Effect<void>
}

type UnaryCall = grpc.ServerUnaryCall<Uint8Array, Uint8Array>
type StreamCall = grpc.ServerWritableStream<Uint8Array, Uint8Array>
type UnaryAnswer = grpc.sendUnaryData<Uint8Array>

const watchingOff = SwitchedOff.of("PoseService.WatchPoses", "streaming.restream_enabled")

/** Serves a call with one answer. */
const serveUnary = (
  { admitted, run }: CallContext,
  call: UnaryCall,
  work: (caller: Caller | null, client: Client) => Effect.Effect<Uint8Array, CallFailure>,
  answer: UnaryAnswer,
): void => {
  const { caller, client } = admitted(call)
  serveCall(
    run,
    call,
    client.requestId,
    work(caller, client),
    (result) => "status" in result ? answer(result.status) : answer(null, result.value),
  )
}

/** Serves a call with a streamed answer, for as long as its caller's credential is valid. */
const serveWhileAllowed = (
  context: CallContext,
  call: Pick<AdmittedCall, "metadata"> & Streaming,
  work: (caller: Caller) => Effect.Effect<void, CallFailure>,
): void => {
  const { caller, client } = context.admitted(call)
  const stream = caller === null ? Effect.void : whileAllowed(context, caller, work(caller))
  serveStream(context.run, call, client.requestId, stream)
}

/** Serves a stream that counts against the limit of open streams. */
const serveWatch = (
  context: CallContext,
  call: StreamCall,
  stream: (caller: Caller) => Effect.Effect<void, CallFailure>,
): void =>
  serveWhileAllowed(
    context,
    call,
    (caller) => asOpenStream(context, caller, untilDraining(context, stream(caller))),
  )

export const ingestHandlers = (context: CallContext) => ({
  StreamCsi: (call: grpc.ServerDuplexStream<Uint8Array, IngestAck>): void =>
    serveWhileAllowed(
      context,
      call,
      () => {
        const stream = {
          call,
          batchOf: (batch: Uint8Array) => batch,
          acknowledge: (ack: IngestAck) => write(call, ack),
        }
        return serveIngest(stream, context.ingest, context.draining)
      },
    ),
})

export const processHandlers = (context: CallContext) => ({
  ProcessCsi: (call: grpc.ServerDuplexStream<Uint8Array, Uint8Array>): void =>
    serveWhileAllowed(
      context,
      call,
      (caller) => Effect.andThen(authorise(caller, "read:poses"), asOpenStream(context, caller, context.process(call))),
    ),
})

export const edgeHandlers = (context: CallContext) => ({
  ListEdge: (call: UnaryCall, answer: UnaryAnswer): void =>
    serveUnary(context, call, () => listEdge(context.edge), answer),
  WatchEdge: (call: StreamCall): void => serveWatch(context, call, () => watchEdge(context.edge, call)),
})

const send = (call: StreamCall, answers: Stream.Stream<Uint8Array, CallFailure>) =>
  Stream.runForEach(answers, (bytes) => write(call, bytes))

export const recordingHandlers = (context: CallContext) => ({
  RecordCsi: (call: StreamCall): void =>
    serveWatch(
      context,
      call,
      (caller) => send(call, context.recordCsi(call.request, caller)),
    ),
})

const streamHandlers = (context: CallContext): Readonly<Record<string, (call: StreamCall) => void>> => ({
  WatchAlerts: (call) =>
    serveWatch(
      context,
      call,
      () => send(call, context.watchAlerts(call.request)),
    ),
  WatchPoses: (call) =>
    serveWatch(
      context,
      call,
      () =>
        Effect.raceFirst(
          Effect.andThen(context.untilWatchingOff, Effect.fail(watchingOff)),
          send(call, context.watchPoses(call.request)),
        ),
    ),
})

/** The handlers of the operations that this node has, and of the streams, by method. */
export const operationHandlers = (context: CallContext): grpc.UntypedServiceImplementation => {
  const routes = new Map(context.operations.map((route) => [route.endpoint, route]))
  const unary = operationList.flatMap((operation) => {
    const route = routes.get(operation.endpoint)
    if (route === undefined) return []
    // Made at the first call: the schemas of all operations would delay the start by a third of a second.
    const work = once(() => makeOperation(operation, route))
    const handler = (call: UnaryCall, answer: UnaryAnswer): void =>
      serveUnary(context, call, (caller, client) => work()(call.request, caller, client), answer)
    return [[operation.method, handler] as const]
  })
  return { ...Object.fromEntries(unary), ...streamHandlers(context) } as unknown as grpc.UntypedServiceImplementation
}

export const homeHandlers = (context: CallContext): grpc.UntypedServiceImplementation => {
  const unary = [...context.home.unary].map(([method, work]) => {
    const handler = (call: UnaryCall, answer: UnaryAnswer): void =>
      // No method is public, so there is a caller.
      serveUnary(context, call, (caller) => work(call.request, caller!), answer)
    return [method, handler] as const
  })
  const watch = (call: StreamCall): void =>
    serveWatch(context, call, () => send(call, context.home.watch(call.request)))
  return { ...Object.fromEntries(unary), WatchHomeStates: watch } as unknown as grpc.UntypedServiceImplementation
}
