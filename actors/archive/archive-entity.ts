/**
 * The Archive actor of one environment: stores its frames, tracks and events. It is on the same node as the environment.
 *
 * Invariant: while the store fails, writes fail at once; one write is tried after each `recoveryMs`.
 */
import { Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { type AppendCall, Archive, LocalArchives } from "../../protocols/messages/archive.ts"
import { makeLocalCalls, withLocalCalls } from "../runtime/local-calls.ts"
import { runMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { EventStore } from "../store/events/events.ts"
import { FrameStore } from "../store/frames/frames.ts"
import { TrackStore } from "../store/tracks/tracks.ts"
import { archiveMachine, recoveryMs } from "./machine.ts"

/** Time limit of a write, for which the live stream waits. */
const appendTimeoutMs = 2_000

interface GivenFrames {
  readonly payload: Parameters<AppendCall>[0]
}

const build = Effect.gen(function* () {
  const { entityId: environmentId } = yield* Entity.CurrentAddress
  const frames = yield* FrameStore
  const events = yield* EventStore
  const tracks = yield* TrackStore
  const machine = yield* runMachine(archiveMachine)

  /** Writes to the store, or fails at once while the store is failing. */
  const written = Effect.fnUntraced(function* <A>(write: Effect.Effect<A, StoreUnavailable>) {
    if (machine.snapshot().matches("failing")) {
      return yield* new StoreUnavailable({
        message: `The database failed. It is retried within ${recoveryMs} ms.`,
      })
    }
    const answer = yield* write.pipe(
      Effect.timeoutOrElse({
        duration: appendTimeoutMs,
        orElse: () => Effect.fail(StoreUnavailable.silentFor(appendTimeoutMs)),
      }),
      Effect.tapError(() => machine.send({ type: "FAILED" })),
    )
    if (!machine.snapshot().matches("ready")) yield* machine.send({ type: "WRITTEN" })
    return answer
  })

  return Archive.of({
    Append: ({ payload }: GivenFrames) =>
      Effect.map(written(frames.append(environmentId, ...payload.frames)), (stored) => ({ stored })),
    Claim: () =>
      Effect.flatMap(
        frames.claim(environmentId),
        (generation) => Effect.map(frames.newest(environmentId), (newest) => ({ generation, newest })),
      ),
    Newest: () => frames.newest(environmentId),
    AppendEvents: ({ payload }) => written(events.append(payload.events)),
    AppendTracks: ({ payload }) => written(tracks.append(environmentId, payload.tracks)),
    Incidents: () => events.incidents(environmentId),
  })
})

/** An archive that is placed here: its supervised handlers, to which its environment gives frames directly. */
const supervised = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const handlers = yield* supervise(Archive, build, { concurrent: ["Newest", "Incidents"] })
  const { byMessage, inTurn } = yield* withLocalCalls(
    yield* LocalArchives,
    entityId,
    (payload: Parameters<AppendCall>[0]) => handlers.Append({ payload }),
  )
  return Archive.of({
    ...handlers,
    Append: ({ payload }) => byMessage(payload),
    Claim: () => inTurn(handlers.Claim()),
    AppendEvents: (message) => inTurn(handlers.AppendEvents(message)),
    AppendTracks: (message) => inTurn(handlers.AppendTracks(message)),
  })
})

/** The registry of the Archive actors of this node. */
export const layerLocalArchives: Layer.Layer<LocalArchives> = Layer.sync(
  LocalArchives,
  () => makeLocalCalls<AppendCall>(),
)

/** The Archive actors of this node. */
export const layerArchive = Archive.toLayer(supervised, entityOptions)
