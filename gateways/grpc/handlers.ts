/**
 * The methods of CsiIngest, Poses and Edge: admission, request, work and end of each call.
 */
import type * as grpc from "@grpc/grpc-js"
import { Effect, Result, Stream } from "effect"
import { SwitchedOff } from "../../protocols/domain/failure.ts"
import type { Caller } from "../../protocols/domain/identity.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import {
  csiIngestService,
  edgeService,
  posesService,
  readEnvironmentRequest,
  readWatchRequest,
} from "../../protocols/grpc/services.ts"
import { MalformedRequest } from "../../protocols/pose-api/edge-failures.ts"
import type { IngestTogether } from "../ingest/ingest.ts"
import { methodAccess } from "./access.ts"
import {
  type Admission,
  admit,
  type AdmittedCall,
  asOpenStream,
  clientOf,
  untilDraining,
  whileAllowed,
} from "./admission.ts"
import { type Run, serveCall, serveStream, type Streaming, write } from "./calls.ts"
import { serveIngest } from "./csi-ingest.ts"
import { type EdgeSources, listEdge, watchEdge } from "./edge.ts"
import type { Poses } from "./poses.ts"
import type { CallFailure } from "./status.ts"

/** What the methods work with. */
interface CallContext extends Admission {
  readonly run: Run
  readonly ingest: IngestTogether
  readonly poses: Poses
  readonly edge: EdgeSources
  /** Done when streams of poses are switched off: at once, or as soon as they are. */
  readonly untilWatchingOff: Effect.Effect<void>
}

type Path = keyof typeof methodAccess

const watchingOff = SwitchedOff.of("Poses.Watch", "streaming.restream_enabled")

const unreadable = new MalformedRequest({
  part: "request",
  message: "The request is not a message of this method. Generate the client from the .proto files of this version.",
})

/** Reads a request, whose bytes may be any. */
const readRequest = <A>(read: (bytes: Uint8Array) => A, bytes: Uint8Array): Effect.Effect<A, MalformedRequest> =>
  Effect.fromResult(Result.try({ try: () => read(bytes), catch: () => unreadable }))

/** Serves a call with one answer. */
const serveUnary = (
  context: CallContext,
  call: AdmittedCall & Parameters<typeof serveCall>[1],
  path: Path,
  work: Effect.Effect<Uint8Array, CallFailure>,
  answer: grpc.sendUnaryData<Uint8Array>,
): void => {
  const client = clientOf(context, call)
  serveCall(
    context.run,
    call,
    client.requestId,
    Effect.andThen(admit(context, call, client, methodAccess[path]), work),
    (result) => "status" in result ? answer(result.status) : answer(null, result.value),
  )
}

/** Serves a call with a streamed answer, for as long as its caller's credential is valid. */
const serveWhileAllowed = (
  context: CallContext,
  call: AdmittedCall & Streaming,
  path: Path,
  work: (caller: Caller) => Effect.Effect<void, CallFailure>,
): void => {
  const client = clientOf(context, call)
  const stream = Effect.flatMap(
    admit(context, call, client, methodAccess[path]),
    (caller) => caller === null ? Effect.void : whileAllowed(context, caller, work(caller)),
  )
  serveStream(context.run, call, client.requestId, stream)
}

export const ingestHandlers = (context: CallContext) => ({
  Stream: (call: grpc.ServerDuplexStream<Uint8Array, IngestAck>): void =>
    serveWhileAllowed(
      context,
      call,
      csiIngestService.Stream.path,
      () => serveIngest(call, context.ingest, context.draining),
    ),
})

export const posesHandlers = (context: CallContext) => ({
  GetLatest: (call: grpc.ServerUnaryCall<Uint8Array, Uint8Array>, answer: grpc.sendUnaryData<Uint8Array>): void => {
    const latest = Effect.flatMap(readRequest(readEnvironmentRequest, call.request), context.poses.latest)
    serveUnary(context, call, posesService.GetLatest.path, latest, answer)
  },
  Watch: (call: grpc.ServerWritableStream<Uint8Array, Uint8Array>): void => {
    const { poses, untilWatchingOff } = context
    const serve = Effect.flatMap(readRequest(readWatchRequest, call.request), (request) =>
      Effect.raceFirst(
        Effect.andThen(untilWatchingOff, Effect.fail(watchingOff)),
        Stream.runForEach(poses.watch(request), (bytes) => write(call, bytes)),
      ))
    serveWhileAllowed(
      context,
      call,
      posesService.Watch.path,
      (caller) => asOpenStream(context, caller, untilDraining(context, serve)),
    )
  },
})

export const edgeHandlers = (context: CallContext) => ({
  List: (call: grpc.ServerUnaryCall<Uint8Array, Uint8Array>, answer: grpc.sendUnaryData<Uint8Array>): void =>
    serveUnary(context, call, edgeService.List.path, listEdge(context.edge), answer),
  Watch: (call: grpc.ServerWritableStream<Uint8Array, Uint8Array>): void =>
    serveWhileAllowed(
      context,
      call,
      edgeService.Watch.path,
      (caller) => asOpenStream(context, caller, untilDraining(context, watchEdge(context.edge, call))),
    ),
})
