/**
 * Handler of a track's record: finds the environment that follows the track.
 *
 * A track's id is random among two thousand million and says nothing of its environment, so where none is named, the session's or all that
 * are enrolled are asked.
 */
import { Effect, Result } from "effect"
import { InvalidRequest, UnknownTrack } from "../../protocols/http/errors.ts"
import { epochMsOf } from "../../protocols/http/fields.ts"
import { poseTracking, trackIdOf } from "../../protocols/http/tracking.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { ask } from "../middleware/ask.ts"
import { route } from "./route.ts"

/** Environments that are asked at one time. */
const concurrency = 16

/** The environments that could be meant when none is named. */
const candidates = Effect.gen(function* () {
  const session = yield* Session.client
  const { options } = yield* ask("The system session", session(sessionEntityId).Status())
  if (options.environmentId !== null) return [options.environmentId]
  return (yield* (yield* Directory).environments).map(({ environmentId }) => environmentId)
})

/** The record of a track; one environment that does not answer hides no track of another. */
const find = Effect.fnUntraced(function* (trackId: number, named: string | undefined) {
  const environment = yield* Environment.client
  const ids = named === undefined ? yield* candidates : [named]
  const answers = yield* Effect.forEach(
    ids,
    (id) => Effect.result(ask(`Environment ${id}`, environment(id).Track({ trackId }))),
    { concurrency },
  )
  for (const answer of answers) if (Result.isSuccess(answer) && answer.success !== null) return answer.success
  for (const answer of answers) if (Result.isFailure(answer)) return yield* Effect.fail(answer.failure)
  return yield* new UnknownTrack({ trackId })
})

export const trackingRoutes = [
  route(
    poseTracking,
    Effect.fnUntraced(function* ({ params, query }) {
      const trackId = trackIdOf(params.track_id)
      if (trackId === null) return yield* InvalidRequest.of("track_id", "is not the id of a track")
      const fromMs = query.start_time === undefined ? -Infinity : epochMsOf(query.start_time)
      const toMs = query.end_time === undefined ? Infinity : epochMsOf(query.end_time)
      if (fromMs > toMs) return yield* InvalidRequest.of("end_time", "is before start_time", query.end_time)
      const record = yield* find(trackId, query.environment_id)
      return { record, includeTrajectory: query.include_trajectory ?? false, fromMs, toMs }
    }),
  ),
]
