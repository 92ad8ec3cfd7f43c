/** Doubles of the Router and Environment actors that tests steer. */
import { Cause, Effect, Layer, Queue, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { layerLocalRouters } from "../../actors/router/router-entity.ts"
import { type InvalidBatch, NoFrames, SystemNotRunning, UnknownEnvironment } from "../../protocols/domain/failure.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import { encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import {
  Ingest,
  type IngestOutcome,
  type IngestResult,
  type LocalRouters,
  Router,
} from "../../protocols/messages/router.ts"
import { noVitals } from "../harness/vitals.ts"

/** A frame of one environment without persons. */
export const poseFrame = (environmentId: string, frameId: number): PoseFrame => ({
  environmentId,
  frameId,
  timestampMs: 1_700_000_000_000 + frameId * 100,
  processingTimeMs: 1,
  persons: [],
  routerCount: 1,
  signalQuality: null,
  processingPipeline: "test",
  processingMode: "test",
  presence: { present: null, confidence: 0, reason: "nothing measured" },
  motion: null,
  vitals: noVitals,
  capabilities: ["presence"],
  personsReason: null,
  view: null,
  provenance: { source: "simulated", calibrated: false, modelVersion: "none", linksUsed: 1 },
})

/** Double of the Environment actors: what the test publishes is what they answer. */
export class EnvironmentDouble {
  readonly known: Set<string>
  /** Streams opened so far. */
  opened = 0
  /** Calls of Latest so far. */
  asked = 0
  readonly #streams = new Map<Queue.Queue<Uint8Array, Cause.Done>, string>()
  readonly #newest = new Map<string, Uint8Array>()
  readonly #stopped = new Set<string>()
  #silent: boolean | string = false

  constructor(...known: ReadonlyArray<string>) {
    this.known = new Set(known)
  }

  /** Streams that are open now. */
  get streams(): number {
    return this.#streams.size
  }

  publish(frame: PoseFrame): Uint8Array {
    const bytes = encodePoseFrame(frame)
    this.#newest.set(frame.environmentId, bytes)
    for (const [stream, environmentId] of this.#streams) {
      if (environmentId === frame.environmentId) Queue.offerUnsafe(stream, bytes)
    }
    return bytes
  }

  /** From now on the system does not run in this environment. */
  stop(environmentId: string): void {
    this.#stopped.add(environmentId)
  }

  /** From now on `Latest` never answers, of this environment or of any. */
  fallSilent(environmentId: string | null = null): void {
    this.#silent = environmentId ?? true
  }

  /** Ends every open stream in one of the ways in which a far node can. */
  breakStreams(way: "end" | "defect" | "interrupt"): Effect.Effect<void> {
    return Effect.forEach(
      [...this.#streams.keys()],
      (stream) =>
        way === "end"
          ? Queue.end(stream)
          : way === "interrupt"
          ? Queue.interrupt(stream)
          : Queue.failCause(stream, Cause.die("the connection broke")),
    ).pipe(Effect.asVoid)
  }

  layer(): Layer.Layer<never, never, Sharding.Sharding> {
    const unknown = (id: string) =>
      this.known.has(id) ? Effect.void : Effect.fail(UnknownEnvironment.among(id, [...this.known]))
    return Environment.toLayer(
      {
        Observe: ({ address }) =>
          Effect.as(unknown(address.entityId), { active: true, room: null, effort: "full" as const }),
        Activate: ({ address }) => unknown(address.entityId),
        Deactivate: ({ address }) => unknown(address.entityId),
        Reload: () => Effect.die("not part of this double"),
        Describe: () => Effect.die("not part of this double"),
        WatchAlerts: () => Stream.die("not part of this double"),
        Acknowledge: () => Effect.die("not part of this double"),
        Track: () => Effect.die("not part of this double"),
        Tracks: () => Effect.die("not part of this double"),
        Latest: ({ address }) =>
          Effect.gen({ self: this }, function* () {
            this.asked++
            yield* unknown(address.entityId)
            if (this.#silent === true || this.#silent === address.entityId) return yield* Effect.never
            if (this.#stopped.has(address.entityId)) {
              return yield* new SystemNotRunning({ status: "stopped", message: "The system is stopped." })
            }
            const newest = this.#newest.get(address.entityId)
            if (newest !== undefined) return newest
            return yield* new NoFrames({ environmentId: address.entityId, message: "No frame has been made yet." })
          }),
        Watch: ({ address }) =>
          Stream.unwrap(Effect.gen({ self: this }, function* () {
            this.opened++
            yield* unknown(address.entityId)
            const stream = yield* Queue.unbounded<Uint8Array, Cause.Done>()
            yield* Effect.acquireRelease(
              Effect.sync(() => this.#streams.set(stream, address.entityId)),
              () => Effect.sync(() => this.#streams.delete(stream)),
            )
            return Stream.fromQueue(stream)
          })),
      },
      { concurrency: "unbounded", disableFatalDefects: true },
    )
  }
}

/** What a router answers to a batch. */
type RouterAnswer = (
  routerId: string,
  bytes: Uint8Array,
) => Effect.Effect<IngestResult, typeof Ingest.errorSchema.Type | InvalidBatch>

/** Double of the Router actors: keeps what it is given and answers what the test says. */
export class RouterDouble {
  readonly batches: Array<{ readonly routerId: string; readonly bytes: Uint8Array }> = []
  /** Batches of each message. */
  readonly messages: Array<ReadonlyArray<Uint8Array>> = []
  /** The copies of its batches; a test replaces it. */
  tap: (routerId: string) => Stream.Stream<{ readonly batch: Uint8Array | null; readonly lost: number }> = () =>
    Stream.die("not part of this double")
  readonly #answer: RouterAnswer

  constructor(answer: RouterAnswer) {
    this.#answer = answer
  }

  /** All doors are shut: what comes, comes by message. */
  layer(): Layer.Layer<LocalRouters, never, Sharding.Sharding> {
    const actors = Router.toLayer({
      Ingest: ({ address, payload }) =>
        Effect.andThen(
          Effect.sync(() => this.messages.push(payload.batches)),
          Effect.forEach(payload.batches, (bytes) => {
            this.batches.push({ routerId: address.entityId, bytes })
            return this.#answer(address.entityId, bytes).pipe(
              Effect.catchTag("InvalidBatch", (refusal) => Effect.succeed<IngestOutcome>(refusal)),
            )
          }),
        ),
      Calibrate: () => Effect.die("not part of this double"),
      Save: () => Effect.die("not part of this double"),
      ForgetEnrolment: () => Effect.die("not part of this double"),
      Describe: () => Effect.die("not part of this double"),
      Tap: ({ address }) => this.tap(address.entityId),
    }, { disableFatalDefects: true })
    return Layer.merge(actors, layerLocalRouters)
  }
}

/** Waits, a turn of the event loop at a time, until a condition holds. */
export const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve))
  })
