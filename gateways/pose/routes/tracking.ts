/**
 * Handlers of the current tracks and of a track's record, which is that of the environment that has the track, or the stored one.
 *
 * A track's id is random and does not identify its environment. If the request names no environment, the session's environment or all
 * enrolled ones are asked. A track that only the store has is over, whatever its last stored status.
 */
import { Effect, Result } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { InvalidRequest, UnknownTrack } from "../../../protocols/pose-api/edge-failures.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import { currentTracks, poseTracking, type TrackAnswer, trackIdOf } from "../../../protocols/pose-api/tracking.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { TrackHistory } from "../../../protocols/ports/track-history.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { route } from "../server/route.ts"

/** Environments that are asked concurrently. */
const concurrency = 16

/** The environments to ask when the request names none. */
const candidates = Effect.gen(function* () {
  const session = yield* Session.client
  const { options } = yield* ask("The system session", session(sessionEntityId).Status())
  if (options.environmentId !== null) return [options.environmentId]
  return (yield* (yield* Directory).environments).map(({ environmentId }) => environmentId)
})

/** The requested part of a trajectory, both ends included. */
interface Span {
  readonly fromMs: number
  readonly toMs: number
}

type Found = Pick<TrackAnswer, "record" | "intervalS">

/** A track from the store; null if there is none. `isOver`: no actor has it. */
const stored = Effect.fnUntraced(function* (
  trackId: number,
  environmentId: string | null,
  isOver: boolean,
  span: Span | null,
): Effect.fn.Return<Found | null, StoreUnavailable, TrackHistory> {
  const history = yield* TrackHistory
  const track = yield* history.track(trackId, environmentId)
  if (track === null) return null
  const { intervalS, points } = span === null
    ? { points: [], intervalS: null }
    : yield* history.trajectory(track, span.fromMs, span.toMs)
  const status = isOver ? "ended" : track.record.status
  return { record: { ...track.record, status, trajectory: points }, intervalS }
})

/** The record of a track. An environment that does not answer does not hide tracks of other environments or of the store. */
const find = Effect.fnUntraced(function* (trackId: number, named: string | undefined, span: Span | null) {
  const environment = yield* Environment.client
  const ids = named === undefined ? yield* candidates : [named]
  const answers = yield* Effect.forEach(
    ids,
    (id) => Effect.result(ask(`Environment ${id}`, environment(id).Track({ trackId }))),
    { concurrency },
  )
  for (const answer of answers) {
    if (Result.isSuccess(answer) && answer.success !== null) return { record: answer.success, intervalS: null }
  }
  const failures = answers.flatMap((answer) => Result.isFailure(answer) ? [answer.failure] : [])
  const unknown = failures.find(({ _tag }) => _tag === "UnknownEnvironment")
  if (named !== undefined && unknown !== undefined) return yield* Effect.fail(unknown)
  const known = yield* stored(trackId, named ?? null, failures.length === 0, span)
  if (known !== null) return known
  return yield* failures.length === 0 ? new UnknownTrack({ trackId }) : Effect.fail(failures[0]!)
})

/** The current tracks of environments; fails when none of those that are asked answers. */
const findCurrent = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const client = yield* Environment.client
  const answers = yield* Effect.forEach(
    ids,
    (environmentId) =>
      ask(`Environment ${environmentId}`, client(environmentId).Tracks()).pipe(
        Effect.map((records) => records.map((record) => ({ environmentId, record }))),
        Effect.result,
      ),
    { concurrency },
  )
  const failures = answers.flatMap((answer) => Result.isFailure(answer) ? [answer.failure] : [])
  if (failures.length > 0 && failures.length === ids.length) return yield* Effect.fail(failures[0]!)
  return {
    tracks: answers.flatMap((answer) => Result.isSuccess(answer) ? answer.success : []),
    unavailable: ids.filter((_, i) => Result.isFailure(answers[i]!)),
  }
})

export const trackingRoutes = [
  route(
    currentTracks,
    Effect.fnUntraced(function* ({ query: { environment_id: named } }) {
      const directory = yield* Directory
      const environments = named === undefined ? yield* directory.environments : [yield* directory.environment(named)]
      return yield* findCurrent(environments.map(({ environmentId }) => environmentId))
    }),
  ),

  route(
    poseTracking,
    Effect.fnUntraced(function* ({ params, query }) {
      const trackId = trackIdOf(params.track_id)
      if (trackId === null) return yield* InvalidRequest.of("track_id", "is not the id of a track, a whole number")
      const fromMs = query.start_time === undefined ? -Infinity : epochMsOf(query.start_time)
      const toMs = query.end_time === undefined ? Infinity : epochMsOf(query.end_time)
      if (fromMs > toMs) return yield* InvalidRequest.of("end_time", "is before start_time", query.end_time)
      const includeTrajectory = query.include_trajectory ?? false
      const found = yield* find(trackId, query.environment_id, includeTrajectory ? { fromMs, toMs } : null)
      return { ...found, includeTrajectory, fromMs, toMs }
    }),
  ),
]
