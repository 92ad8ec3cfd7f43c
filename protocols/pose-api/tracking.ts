/**
 * Endpoints of the group Pose data for tracks: the current ones, and the trajectory and motion of one.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { TrackStatus } from "../domain/pose.ts"
import { Identifier } from "../domain/site.ts"
import { trackIdMax, type TrackRecord } from "../domain/track.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableFinite, round3, round3OrNull, round4, Timestamp } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

/** A record, and the options of its request. */
export interface TrackAnswer {
  readonly record: TrackRecord
  readonly includeTrajectory: boolean
  /** The range of the trajectory, both ends included. */
  readonly fromMs: number
  readonly toMs: number
  /** Seconds between the points of a trajectory that was thinned by time; null if it was not. */
  readonly intervalS: number | null
}

/** Matches the decimal numbers from 1 to `max`, which has several digits: a document limits a text by a pattern alone. */
const patternUpTo = (max: number): string => {
  const digits = String(max)
  const shorter = `[1-9][0-9]{0,${digits.length - 2}}`
  /** Those of the same length that are less from digit `i` on. */
  const lessFrom = [...digits].flatMap((digit, i) => {
    const least = i === 0 ? 1 : 0
    const rest = digits.length - i - 1
    return Number(digit) <= least ? [] : [`${digits.slice(0, i)}[${least}-${Number(digit) - 1}][0-9]{${rest}}`]
  })
  return `^(${[shorter, ...lessFrom, digits].join("|")})$`
}

const trackIdPattern = patternUpTo(trackIdMax)
const trackId = new RegExp(trackIdPattern)

/** The track id in a path; null if it is invalid. */
export const trackIdOf = (text: string): number | null => trackId.test(text) ? Number(text) : null

/** The id of a track in a path. The handler reads it, because its error names the field. */
const TrackIdText = Schema.String.check(
  Schema.makeFilter(() => true, { toJsonSchema: () => ({ pattern: trackIdPattern }) }),
)

const trackFields = {
  track_id: Schema.Int,
  person_id: Schema.Int,
  first_seen: IsoTime,
  last_seen: IsoTime,
  duration_seconds: Schema.Finite,
  total_frames: Count,
  average_confidence: Fraction,
  status: TrackStatus,
  statistics: Schema.Struct({
    movement_distance: Schema.Finite.annotate({
      description: "Distance in metres, without the sway of a standing person.",
    }),
    average_speed: Schema.Finite.annotate({ description: "Mean speed over the time in motion, in m/s." }),
    time_stationary: Schema.Finite.annotate({ description: "Seconds without motion." }),
    time_moving: Schema.Finite.annotate({ description: "Seconds in motion." }),
  }).annotate({ identifier: "TrackStatistics" }),
}

const TrackBody = Schema.Struct({
  ...trackFields,
  trajectory: Schema.optionalKey(Schema.Array(Schema.Struct({
    timestamp: IsoTime,
    center_x: Schema.Finite,
    center_y: Schema.Finite,
    confidence: Fraction,
  }))),
  trajectory_interval_seconds: Schema.optionalKey(
    NullableFinite.annotate({
      description:
        "Interval in seconds between the frames that were read for a long trajectory; null if every frame was read, " +
        "or if the track is active and its points follow its movement.",
    }),
  ),
})

const trajectoryOf = ({ fromMs, record, toMs }: TrackAnswer) =>
  record.trajectory
    .filter(({ timestampMs }) => timestampMs >= fromMs && timestampMs <= toMs)
    .map(({ confidence, timestampMs, x, y }) => ({
      timestamp: isoTime(timestampMs),
      center_x: round3(x),
      center_y: round3(y),
      confidence: round4(confidence),
    }))

const recordBody = ({ firstSeenMs, lastSeenMs, statistics, ...record }: TrackRecord) => ({
  track_id: record.trackId,
  person_id: record.trackId,
  first_seen: isoTime(firstSeenMs),
  last_seen: isoTime(lastSeenMs),
  duration_seconds: (lastSeenMs - firstSeenMs) / 1e3,
  total_frames: record.totalFrames,
  average_confidence: round4(record.averageConfidence),
  status: record.status,
  statistics: {
    movement_distance: round3(statistics.movementDistanceM),
    average_speed: round3(statistics.averageSpeedMps),
    time_stationary: round3(statistics.timeStationaryS),
    time_moving: round3(statistics.timeMovingS),
  },
})

const bodyOf = (answer: TrackAnswer): typeof TrackBody.Type => ({
  ...recordBody(answer.record),
  ...(answer.includeTrajectory
    ? { trajectory: trajectoryOf(answer), trajectory_interval_seconds: round3OrNull(answer.intervalS) }
    : {}),
})

const codec = jsonCodec(TrackBody, bodyOf)

export const poseTracking = endpoint({
  method: "GET",
  path: "/pose/tracking/{track_id}",
  rules: [requestRules.range],
  group: "Pose data",
  summary: "Get the record of a track, active or stored",
  access: "read:poses",
  category: "pose-data",
  params: Schema.Struct({ track_id: TrackIdText }),
  query: Schema.Struct({
    start_time: Schema.optionalKey(
      Timestamp.annotate({ description: "Start of the trajectory. The statistics cover the whole track." }),
    ),
    end_time: Schema.optionalKey(Timestamp.annotate({ description: "End of the trajectory." })),
    include_trajectory: Schema.optionalKey(Schema.Boolean.annotate({ default: false })),
    environment_id: Schema.optionalKey(
      Identifier.annotate({
        description: "The environment of the track. Default: all environments of the session.",
      }),
    ),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownTrack", "UnknownEnvironment", "StoreUnavailable", "ActorUnavailable", "AnswerTimeout"],
})

/** The current tracks of environments. */
interface CurrentTracks {
  readonly tracks: ReadonlyArray<{ readonly environmentId: string; readonly record: TrackRecord }>
  /** Environments that did not answer. */
  readonly unavailable: ReadonlyArray<string>
}

const currentCodec = jsonCodec(
  Schema.Struct({
    tracks: Schema.Array(Schema.Struct({ environment_id: Schema.String, ...trackFields })),
    unavailable_environments: Schema.Array(Schema.String).annotate({
      description: "Environments that did not answer in time; their tracks are missing.",
    }),
  }),
  ({ tracks, unavailable }: CurrentTracks) => ({
    tracks: tracks.map(({ environmentId, record }) => ({ environment_id: environmentId, ...recordBody(record) })),
    unavailable_environments: unavailable,
  }),
)

export const currentTracks = endpoint({
  method: "GET",
  path: "/pose/tracking",
  group: "Pose data",
  summary: "The tracks of all environments: persons who are seen now, or were lost a moment ago",
  access: "read:poses",
  category: "pose-data",
  query: Schema.Struct({
    environment_id: Schema.optionalKey(Identifier.annotate({ description: "Default: all environments." })),
  }),
  status: 200,
  response: { bare: currentCodec, envelope: currentCodec },
  failures: ["UnknownEnvironment", "StoreUnavailable", "ActorUnavailable", "AnswerTimeout"],
})
