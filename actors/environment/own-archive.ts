/**
 * The archive of an environment, as its environment calls it.
 *
 * It is on the shard of the environment. While a node gives a shard away, messages to the archive already go to the next node, which waits for this
 * one to release the shard: an environment that has something to store would hold up its own move until a time limit ends the wait. So it writes to
 * the stores itself then. Writes are idempotent, and frames are fenced by their generation, so it does not matter which of the two was first.
 *
 * Invariant: an environment claims on its own node. By the archive of another one it would get a generation with which it could write beside its
 * successor.
 */
import { Effect } from "effect"
import { Sharding } from "effect/cluster"
import type { ActivityEvent } from "../../protocols/domain/event.ts"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { Archive, type ArchivedFrame, type ArchivedTrack, type NewestFrame } from "../../protocols/messages/archive.ts"
import { EventStore } from "../store/events/events.ts"
import { FrameStore } from "../store/frames/frames.ts"
import { TrackStore } from "../store/tracks/tracks.ts"

/** How often a write that waits looks whether the shard is given away. */
const lookEvery = "25 millis"

type ArchiveClient = ReturnType<Effect.Success<typeof Archive.client>>
type Failure = Effect.Error<ReturnType<ArchiveClient["Newest"]>>

/** What an environment asks its archive. */
export interface OwnArchive {
  readonly Claim: () => Effect.Effect<{ readonly generation: number; readonly newest: NewestFrame | null }, Failure>
  readonly Incidents: () => Effect.Effect<ReadonlyArray<ActivityEvent>, Failure>
  readonly Newest: () => Effect.Effect<NewestFrame | null, Failure>
  readonly Append: (frame: ArchivedFrame) => Effect.Effect<{ readonly stored: boolean }, Failure>
  readonly AppendEvents: (some: { readonly events: ReadonlyArray<ActivityEvent> }) => Effect.Effect<void, Failure>
  readonly AppendTracks: (some: { readonly tracks: ReadonlyArray<ArchivedTrack> }) => Effect.Effect<void, Failure>
}

const moves = Effect.fail(new StoreUnavailable({ message: "The environment moves to another node." }))

export const makeOwnArchive = Effect.fnUntraced(function* (environmentId: string) {
  const client = (yield* Archive.client)(environmentId)
  const sharding = yield* Sharding.Sharding
  const shard = yield* Archive.getShardId(environmentId as Parameters<typeof Archive.getShardId>[0])
  const frames = yield* FrameStore
  const events = yield* EventStore
  const tracks = yield* TrackStore
  const isHere = () => sharding.hasShardId(shard)
  const untilGivenAway = Effect.suspend(function wait(): Effect.Effect<void> {
    return isHere() ? Effect.flatMap(Effect.sleep(lookEvery), () => Effect.suspend(wait)) : Effect.void
  })
  /** By the archive; by the store once the shard is given away. */
  const write = <A>(message: Effect.Effect<A, Failure>, own: Effect.Effect<A, StoreUnavailable>) =>
    Effect.suspend(() => isHere() ? Effect.raceFirst(message, Effect.andThen(untilGivenAway, own)) : own)
  return {
    Claim: () =>
      Effect.suspend(() => isHere() ? client.Claim() : moves).pipe(Effect.tap(() => isHere() ? Effect.void : moves)),
    Incidents: () => client.Incidents(),
    Newest: () => write(client.Newest(), frames.newest(environmentId)),
    Append: (frame) =>
      write(client.Append(frame), Effect.map(frames.append(environmentId, frame), (stored) => ({ stored }))),
    AppendEvents: (some) => write(client.AppendEvents(some), events.append(some.events)),
    AppendTracks: (some) => write(client.AppendTracks(some), tracks.append(environmentId, some.tracks)),
  } satisfies OwnArchive as OwnArchive
})
