/**
 * The methods of CsiIngest, Poses and Edge: permission, work and end of each call.
 *
 * Invariants: no work is done for a call before its caller is authorised; a stream ends when its caller's credential ends, or when the
 * server drains.
 */
import type * as grpc from "@grpc/grpc-js"
import { Deferred, Effect, Stream } from "effect"
import { SwitchedOff } from "../../protocols/domain/failure.ts"
import { NotAuthenticated } from "../../protocols/domain/identity.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import {
  csiIngestService,
  type EdgeRequest,
  edgeService,
  type EnvironmentRequest,
  posesService,
  type WatchRequest,
} from "../../protocols/grpc/services.ts"
import type { Authenticator } from "../access/authenticator.ts"
import { authorise } from "../access/authorise.ts"
import type { IngestTogether } from "../ingest/ingest.ts"
import { methodAccess } from "./access.ts"
import { type Run, serveCall, serveStream, write } from "./calls.ts"
import { serveIngest } from "./csi-ingest.ts"
import { type EdgeSources, listEdge, watchEdge } from "./edge.ts"
import type { Poses } from "./poses.ts"
import { authenticate, type CallFailure, GoingAway } from "./status.ts"

/** What the methods work with. */
interface CallContext {
  readonly run: Run
  readonly authenticator: Authenticator["Service"]
  /** Marks the connection of a peer (`call.getPeer()`) as authenticated. */
  readonly authenticated: (peer: string) => void
  readonly ingest: IngestTogether
  readonly poses: Poses
  readonly edge: EdgeSources
  /** Done when streams of poses are switched off: at once, or as soon as they are. */
  readonly untilWatchingOff: Effect.Effect<void>
  /** Done when the server drains. */
  readonly draining: Deferred.Deferred<void>
}

type AnyCall = Pick<grpc.ServerUnaryCall<unknown, unknown>, "metadata" | "getPeer">
type Path = keyof typeof methodAccess

const watchingOff = SwitchedOff.of("Poses.Watch", "streaming.restream_enabled")

const credentialEnded = new NotAuthenticated({
  message: "The credentials of this call have expired or were revoked. Sign in again.",
})

/** The caller, once it is authenticated and may call this method. */
const allow = ({ authenticated, authenticator }: CallContext, call: AnyCall, path: Path) =>
  Effect.flatMap(authenticate(authenticator, call.metadata), (caller) => {
    authenticated(call.getPeer())
    return Effect.as(authorise(caller, methodAccess[path]), caller)
  })

/** Serves a stream for as long as its caller's credential is valid. */
const whileAllowed = <A, E extends CallFailure>(
  context: CallContext,
  call: AnyCall,
  path: Path,
  stream: () => Effect.Effect<A, E>,
) =>
  Effect.flatMap(allow(context, call, path), (caller) =>
    Effect.raceFirst(
      Effect.suspend(stream),
      Effect.andThen(context.authenticator.ended(caller), Effect.fail(credentialEnded)),
    ))

/** Ends a stream when the server drains. */
const untilDraining = <E extends CallFailure>({ draining }: CallContext, stream: Effect.Effect<void, E>) =>
  Effect.raceFirst(stream, Effect.andThen(Deferred.await(draining), Effect.fail(GoingAway.now)))

/** Serves a call with one answer. */
const serveUnary = (
  { run }: CallContext,
  call: Parameters<typeof serveCall>[1],
  effect: Effect.Effect<Uint8Array, CallFailure>,
  answer: grpc.sendUnaryData<Uint8Array>,
): void =>
  serveCall(
    run,
    call,
    effect,
    (result) => "status" in result ? answer(result.status) : answer(null, result.value),
  )

export const ingestHandlers = (context: CallContext) => ({
  Stream: (call: grpc.ServerDuplexStream<Uint8Array, IngestAck>): void => {
    const { draining, ingest, run } = context
    const serve = () => serveIngest(call, ingest, draining)
    serveStream(run, call, whileAllowed(context, call, csiIngestService.Stream.path, serve))
  },
})

export const posesHandlers = (context: CallContext) => ({
  GetLatest: (
    call: grpc.ServerUnaryCall<EnvironmentRequest, Uint8Array>,
    answer: grpc.sendUnaryData<Uint8Array>,
  ): void => {
    const latest = Effect.andThen(
      allow(context, call, posesService.GetLatest.path),
      context.poses.latest(call.request),
    )
    serveUnary(context, call, latest, answer)
  },
  Watch: (call: grpc.ServerWritableStream<WatchRequest, Uint8Array>): void => {
    const { poses, run, untilWatchingOff } = context
    const serve = () =>
      Effect.raceFirst(
        Effect.andThen(untilWatchingOff, Effect.fail(watchingOff)),
        Stream.runForEach(poses.watch(call.request), (bytes) => write(call, bytes)),
      )
    serveStream(
      run,
      call,
      whileAllowed(context, call, posesService.Watch.path, () => untilDraining(context, serve())),
    )
  },
})

export const edgeHandlers = (context: CallContext) => ({
  List: (call: grpc.ServerUnaryCall<EdgeRequest, Uint8Array>, answer: grpc.sendUnaryData<Uint8Array>): void =>
    serveUnary(
      context,
      call,
      Effect.andThen(allow(context, call, edgeService.List.path), listEdge(context.edge)),
      answer,
    ),
  Watch: (call: grpc.ServerWritableStream<EdgeRequest, Uint8Array>): void => {
    const serve = () => watchEdge(context.edge, call)
    serveStream(
      context.run,
      call,
      untilDraining(context, whileAllowed(context, call, edgeService.Watch.path, serve)),
    )
  },
})
