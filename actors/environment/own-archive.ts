/**
 * The environment's client of its archive, which writes to the stores directly while the shard moves.
 *
 * The archive is on the shard of the environment. While a node releases a shard, messages to the archive already go to the next node, which
 * waits for the release. An environment that waits for such a message would delay its own move until a time limit ends the wait. So it then
 * writes to the stores itself. Writes are idempotent and frames are fenced by their generation, so both may write the same data.
 *
 * Invariant: an environment claims its frames only on its own node. The archive of another node would give it a new generation, with which
 * it could write beside its successor.
 */
import { Effect } from "effect"
import { Sharding } from "effect/cluster"
import type { ActivityEvent } from "../../protocols/domain/event.ts"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import {
  Archive,
  type ArchivedFrame,
  type ArchivedTrack,
  LocalArchives,
  type NewestFrame,
} from "../../protocols/messages/archive.ts"
import { EventStore } from "../store/events/events.ts"
import { FrameStore } from "../store/frames/frames.ts"
import { TrackStore } from "../store/tracks/tracks.ts"

/** Interval at which a waiting write checks whether the shard is being released. */
const pollInterval = "25 millis"

type ArchiveClient = ReturnType<Effect.Success<typeof Archive.client>>
type Failure = Effect.Error<ReturnType<ArchiveClient["Newest"]>>

/** The requests of an environment to its archive. */
export interface OwnArchive {
  readonly Claim: () => Effect.Effect<{ readonly generation: number; readonly newest: NewestFrame | null }, Failure>
  readonly Incidents: () => Effect.Effect<ReadonlyArray<ActivityEvent>, Failure>
  readonly Newest: () => Effect.Effect<NewestFrame | null, Failure>
  readonly Append: (
    some: { readonly frames: ReadonlyArray<ArchivedFrame> },
  ) => Effect.Effect<{ readonly stored: boolean }, Failure>
  readonly AppendEvents: (some: { readonly events: ReadonlyArray<ActivityEvent> }) => Effect.Effect<void, Failure>
  readonly AppendTracks: (some: { readonly tracks: ReadonlyArray<ArchivedTrack> }) => Effect.Effect<void, Failure>
}

const moves = Effect.fail(new StoreUnavailable({ message: "The environment moves to another node." }))

export const makeOwnArchive = Effect.fnUntraced(function* (environmentId: string) {
  const client = (yield* Archive.client)(environmentId)
  const sharding = yield* Sharding.Sharding
  const shard = yield* Archive.getShardId(environmentId as Parameters<typeof Archive.getShardId>[0])
  const local = yield* LocalArchives
  const frames = yield* FrameStore
  const events = yield* EventStore
  const tracks = yield* TrackStore
  const isHere = () => sharding.hasShardId(shard)
  const untilGivenAway = Effect.suspend(function wait(): Effect.Effect<void> {
    return isHere() ? Effect.flatMap(Effect.sleep(pollInterval), () => Effect.suspend(wait)) : Effect.void
  })
  /** Writes by the archive, or by the store once the shard is being released. */
  const write = <A>(message: Effect.Effect<A, Failure>, own: Effect.Effect<A, StoreUnavailable>) =>
    Effect.suspend(() => isHere() ? Effect.raceFirst(message, Effect.andThen(untilGivenAway, own)) : own)
  return {
    Claim: () =>
      Effect.suspend(() => isHere() ? client.Claim() : moves).pipe(Effect.tap(() => isHere() ? Effect.void : moves)),
    Incidents: () => client.Incidents(),
    Newest: () => write(client.Newest(), frames.newest(environmentId)),
    // A local call does not go to the next node, so it needs no watch over the shard.
    Append: (some) =>
      Effect.suspend(() =>
        (isHere() ? local.to(environmentId)?.(some) : undefined) ??
          write(client.Append(some), Effect.map(frames.append(environmentId, ...some.frames), (stored) => ({ stored })))
      ),
    AppendEvents: (some) => write(client.AppendEvents(some), events.append(some.events)),
    AppendTracks: (some) => write(client.AppendTracks(some), tracks.append(environmentId, some.tracks)),
  } satisfies OwnArchive as OwnArchive
})
