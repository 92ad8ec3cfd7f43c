/**
 * `ProcessService.ProcessCsi`: CSI batches in; their acknowledgements, and the frames of their environments, out.
 *
 * Invariants:
 * 1. Batches are acknowledged as in `csi-ingest.ts`.
 * 2. Before the first batch of an environment reaches its router, the stream has noted the environment's newest frame: every later frame is
 *    sent once, in order. A reader slower than the estimation loses the oldest frames, as every watcher does.
 * 3. A stream follows at most `environmentsMax` environments.
 */
import type * as grpc from "@grpc/grpc-js"
import { Clock, Deferred, Effect, Fiber, Result, type Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { InvalidRequest, Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import { readProcessRequest } from "../../protocols/grpc/process-request.ts"
import { poseFilterOf } from "../../protocols/pose-api/socket-messages.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { FrameHistory } from "../../protocols/ports/frame-history.ts"
import type { FrameHub } from "../frames/frame-hub.ts"
import { resumeAfter } from "../frames/resumed-frames.ts"
import { storedBetween } from "../frames/stored-frames.ts"
import type { SharedFrame } from "../frames/shared-frame.ts"
import type { IngestTogether } from "../ingest/ingest.ts"
import { waitForRoom, write } from "./calls.ts"
import { serveIngest } from "./csi-ingest.ts"
import { makeFrameEncoder } from "./frame-message.ts"
import type { CallFailure } from "./status.ts"

type ProcessCall = grpc.ServerDuplexStream<Uint8Array, Uint8Array>
type Needs = Directory | FrameHistory | FrameHub | Sharding.Sharding

/** The field `pose_frame` of the response. */
const frameField = 2
const environmentsMax = 16
/** A stream whose client has ended its side ends when no frame has come for this time. */
const quietMs = 2_000
/** Such a stream ends after this time in any case, because other routers may keep the environment busy. */
const lingerMsMax = 10_000

const tooManyEnvironments = new Overloaded({
  limit: environmentsMax,
  message: `The routers of this stream are in more than ${environmentsMax} environments. Use a stream for each site.`,
})

/** The acknowledgement as the field `acknowledgement` of the response. */
const makeAckEncoder = () => {
  const { encode } = codecOf("ProcessCsiResponse")
  return (
    { acceptedFrames, batchSequence, credit, droppedFrames, errorCode, nodeAddress, reason }: IngestAck,
  ): Uint8Array =>
    encode({
      acknowledgement: {
        batch_sequence: batchSequence,
        accepted_frames: acceptedFrames,
        dropped_frames: droppedFrames,
        reason,
        error_code: errorCode,
        credit,
        node_address: nodeAddress ?? null,
      },
    })
}

/** Reads the messages of a stream. The first one says how frames are shown; one that cannot be read ends the stream. */
const makeReader = (failed: Deferred.Deferred<never, CallFailure>) => {
  let encodeFrame: ReturnType<typeof makeFrameEncoder> | null = null
  return {
    batchOf: (message: Uint8Array): Uint8Array => {
      const request = readProcessRequest(message)
      if (Result.isFailure(request)) {
        const { field, message: reason } = request.failure
        Deferred.doneUnsafe(failed, Effect.fail(InvalidRequest.of(field, reason)))
        return new Uint8Array(0)
      }
      encodeFrame ??= makeFrameEncoder(frameField, poseFilterOf(request.success.shown))
      return request.success.batch
    },
    /** Encodes a frame. Frames come after the first message. */
    encodeFrame: (shared: SharedFrame, nowMs: number): Uint8Array => encodeFrame!(shared, nowMs),
  }
}

/** Where frames are sent. */
interface FrameSink {
  /** Writes a frame. False: the stream is full, wait for `room`. */
  readonly put: (shared: SharedFrame, nowMs: number) => boolean
  readonly room: Effect.Effect<void>
}

/** Follows the environments of routers: sends the frames that come after the first call for one of its routers. */
const makeFollower = Effect.fnUntraced(function* (
  { put, room }: FrameSink,
  failed: Deferred.Deferred<never, CallFailure>,
) {
  const services = yield* Effect.context<Needs | Scope.Scope>()
  const history = yield* FrameHistory
  const directory = yield* Directory
  const started = new Map<string, Effect.Effect<void, CallFailure>>()
  const followed = new Map<string, { readonly sent: { lastId: number }; readonly live: Fiber.Fiber<void> }>()

  /** Notes and writes a frame in one step: an interruption, also of a wait for a stalled client, neither loses nor repeats a frame. */
  const send = (shared: SharedFrame, sent: { lastId: number }) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      sent.lastId = shared.frame.frameId
      return put(shared, nowMs) ? Effect.void : room
    })

  const start = Effect.fnUntraced(function* (environmentId: string) {
    if (started.size > environmentsMax) return yield* tooManyEnvironments
    const point = yield* history.resumePoint({ environmentId, afterFrameId: 0, framesMax: 1 })
    const { afterFrameId, frames } = yield* resumeAfter(environmentId, point?.newestFrameId ?? 0)
    const sent = { lastId: afterFrameId }
    const live = yield* Stream.runForEach(frames, ({ shared }) => send(shared, sent)).pipe(
      Effect.catch((failure) => Effect.asVoid(Deferred.fail(failed, failure))),
      Effect.forkScoped,
    )
    followed.set(environmentId, { sent, live })
  })

  const follow = Effect.fnUntraced(function* (routerId: string) {
    const environmentId = yield* directory.environmentOf(routerId)
    // Ingest rejects batches of a router without an environment.
    if (environmentId === null) return
    let starting = started.get(environmentId)
    if (starting === undefined) {
      starting = yield* Effect.cached(Effect.provide(start(environmentId), services))
      started.set(environmentId, starting)
    }
    yield* starting
  })

  /** Sends the frames that were stored before the live stream had begun, if no later frame has brought them. */
  const finish = Effect.suspend(() =>
    Effect.forEach(followed, ([environmentId, { live, sent }]) =>
      Effect.gen(function* () {
        yield* Fiber.interrupt(live)
        const missed = storedBetween(history, environmentId, sent.lastId, Infinity)
        yield* Stream.runForEach(missed, (shared) => send(shared, sent))
      }), { discard: true })
  )

  return { follow, finish }
})

const serve = Effect.fnUntraced(
  function* (call: ProcessCall, ingest: IngestTogether, draining: Deferred.Deferred<void>) {
    const failed = yield* Deferred.make<never, CallFailure>()
    const reader = makeReader(failed)
    const encodeAck = makeAckEncoder()
    let lastMs = 0
    const put = (shared: SharedFrame, nowMs: number): boolean => {
      lastMs = nowMs
      return call.write(reader.encodeFrame(shared, nowMs))
    }
    const { finish, follow } = yield* makeFollower({ put, room: waitForRoom(call) }, failed)
    const followed: IngestTogether = (routerId, arrivals) =>
      follow(routerId).pipe(
        Effect.catch((failure) => Deferred.fail(failed, failure)),
        Effect.andThen(ingest(routerId, arrivals)),
      )
    const stream = { call, batchOf: reader.batchOf, acknowledge: (ack: IngestAck) => write(call, encodeAck(ack)) }
    const quiet = Effect.gen(function* () {
      let ms = quietMs
      while (ms > 0) {
        yield* Effect.sleep(ms)
        ms = lastMs + quietMs - (yield* Clock.currentTimeMillis)
      }
    })
    const work = serveIngest(stream, followed, draining).pipe(
      Effect.andThen(Effect.timeoutOption(quiet, lingerMsMax)),
      Effect.andThen(finish),
    )
    yield* Effect.raceFirst(work, Deferred.await(failed))
  },
  Effect.scoped,
)

/** Serves an authorised call until its client has ended it and all frames are sent, or until the server drains. */
export type ProcessCsi = (call: ProcessCall) => Effect.Effect<void, CallFailure>

export const makeProcessCsi = (
  ingest: IngestTogether,
  draining: Deferred.Deferred<void>,
): Effect.Effect<ProcessCsi, never, Needs> =>
  Effect.map(
    Effect.context<Needs>(),
    (services) => (call) => Effect.provide(serve(call, ingest, draining), services),
  )
