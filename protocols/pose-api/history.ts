/**
 * Endpoint of the group Pose data for stored frames: pages of frames by cursor in the bare form, numbered pages of persons in the envelope
 * form.
 */
import { Effect, Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import type { Person, PoseFrame } from "../domain/pose.ts"
import { Identifier } from "../domain/site.ts"
import { trackIdMax } from "../domain/track.ts"
import type { Total } from "../ports/frame-history.ts"
import { endpoint, type Fields, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableString, Text, Timestamp } from "./fields.ts"
import { type Form, IsoTime, isoTime } from "./forms.ts"
import { ageMsOf, bareBody, commonMetadata, envelopePerson, type PoseFilter } from "./pose-json.ts"
import { BareMetadata, BarePerson, EnvelopePerson, MotionShape, PresenceShape, ProvenanceShape } from "./pose-schema.ts"

/** A stored frame, and its persons that pass the filter. */
export interface HistoryFrame {
  readonly frame: PoseFrame
  readonly persons: ReadonlyArray<Person>
}

/** A page of the history: frames in the bare form; persons of frames in the envelope form, or frames if the range has no person. */
export interface HistoryAnswer {
  readonly frames: ReadonlyArray<HistoryFrame>
  readonly filter: PoseFilter
  /** Number of frames or persons in all pages. */
  readonly total: Total
  readonly hasMore: boolean
  readonly nextCursor: string | null
  /** Page number, from 1. */
  readonly page: number
  readonly perPage: number
}

const pageMax = 1000
const cursorLengthMax = 1024

const between = (minimum: number, maximum: number) => Schema.isBetween({ minimum, maximum })

/** A whole number in a range, with a default. */
const bounded = (minimum: number, maximum: number, byDefault: number) =>
  Schema.Int.check(between(minimum, maximum)).annotate({ default: byDefault })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(byDefault)))

const TrackId = Schema.Int.check(between(1, trackIdMax))

const start = Timestamp.annotate({ description: "Start of the range, included." })
const end = Timestamp.annotate({ description: "End of the range, not included." })

const commonQuery = {
  environment_id: Schema.optionalKey(
    Identifier.annotate({
      description: "Default: all environments with frames. Each entry names its environment.",
    }),
  ),
  person_id: Schema.optionalKey(
    TrackId.annotate({ description: "Only this person. The id of a person is the id of its track." }),
  ),
  track_id: Schema.optionalKey(TrackId),
  confidence_threshold: Schema.optionalKey(
    Fraction.annotate({ description: "Minimum confidence of a person, 0 to 1." }),
  ),
  min_confidence: Schema.optionalKey(Fraction.annotate({ description: "Same as `confidence_threshold`." })),
  include_keypoints: Schema.optionalKey(Schema.Boolean.annotate({ default: true, description: "Extension." })),
  include_3d: Schema.optionalKey(
    Schema.Boolean.annotate({
      default: false,
      description: "Extension: whether persons have `keypoints_3d`.",
    }),
  ),
}

const BareQuery = Schema.Struct({
  start_time: Schema.optionalKey(start),
  end_time: Schema.optionalKey(end),
  ...commonQuery,
  limit: bounded(1, pageMax, 100),
  cursor: Schema.optionalKey(
    Text(1, cursorLengthMax).annotate({
      description: "`next_cursor` of the previous page. Only `limit`, `include_keypoints` and `include_3d` may change.",
    }),
  ),
  order: Schema.optionalKey(
    Schema.Literals(["asc", "desc"]).annotate({
      default: "asc",
      description: "Order by time: `asc` is oldest first, `desc` newest first.",
    }),
  ),
})

const EnvelopeQuery = Schema.Struct({
  start_time: start,
  end_time: end,
  ...commonQuery,
  page: bounded(1, 1_000_000, 1),
  per_page: bounded(1, pageMax, 50),
})

export type BareHistoryQuery = typeof BareQuery.Type
export type EnvelopeHistoryQuery = typeof EnvelopeQuery.Type

/** The query of either form; `per_page` distinguishes them. */
export type HistoryQuery = BareHistoryQuery | EnvelopeHistoryQuery

const queryByForm: Record<Form, Fields<HistoryQuery>> = { bare: BareQuery, envelope: EnvelopeQuery }

const NullableCount = Schema.NullOr(Count)
const reason = NullableString.annotate({ description: "Why the total was not counted; else null." })

const environmentIdOfEntry = Schema.String.annotate({
  description: "The environment of the frame. A `frame_id` counts the frames of one environment.",
})

export const BareHistory = Schema.Struct({
  poses: Schema.Array(Schema.Struct({
    timestamp: IsoTime,
    environment_id: environmentIdOfEntry,
    frame_id: Count,
    persons: Schema.Array(BarePerson),
    metadata: BareMetadata,
  })),
  pagination: Schema.Struct({
    total_count: NullableCount.annotate({ description: "Number of frames in all pages, counted for the first page." }),
    total_count_reason: reason,
    returned_count: Count,
    has_more: Schema.Boolean,
    next_cursor: NullableString,
  }),
})

const { activity, bounding_box, confidence, location, location_sigma_m, person_id, track_id, ...optionalOfPerson } =
  EnvelopePerson.fields

/** A person in a frame, or a frame of a range without persons, whose fields of a person are null. */
const HistoryEntry = Schema.Struct({
  timestamp: IsoTime,
  environment_id: environmentIdOfEntry,
  frame_id: Count,
  person_id: Schema.NullOr(person_id),
  track_id: Schema.NullOr(track_id),
  confidence: Schema.NullOr(confidence),
  bounding_box: Schema.NullOr(bounding_box),
  ...optionalOfPerson,
  activity: Schema.NullOr(activity),
  location: Schema.NullOr(location),
  location_sigma_m: Schema.NullOr(location_sigma_m),
  person_reason: NullableString.annotate({ description: "Why the fields of a person are null; else null." }),
  presence: PresenceShape,
  motion: MotionShape,
  provenance: ProvenanceShape,
}).annotate({ identifier: "HistoryEntry" })

const EnvelopeHistory = Schema.Struct({
  poses: Schema.Array(HistoryEntry).annotate({
    description: "Persons; if the range has none, its frames, so that sites without locations have a history.",
  }),
  pagination: Schema.Struct({
    page: Count,
    per_page: Count,
    total: NullableCount.annotate({ description: "Number of entries in all pages." }),
    total_reason: reason,
    total_pages: NullableCount,
    has_next: Schema.Boolean,
    has_prev: Schema.Boolean,
  }),
})

const bareHistory = (answer: HistoryAnswer, nowMs: number): typeof BareHistory.Type => ({
  poses: answer.frames.map(({ frame, persons }) => ({
    timestamp: isoTime(frame.timestampMs),
    environment_id: frame.environmentId,
    ...bareBody(frame, { persons, filter: answer.filter, densePose: null }, ageMsOf(frame, nowMs)),
  })),
  pagination: {
    total_count: answer.total.count,
    total_count_reason: answer.total.reason,
    returned_count: answer.frames.length,
    has_more: answer.hasMore,
    next_cursor: answer.nextCursor,
  },
})

const noPerson = {
  person_id: null,
  track_id: null,
  confidence: null,
  bounding_box: null,
  activity: null,
  location: null,
  location_sigma_m: null,
}
const nobodyFound = "No person was found in this frame."

/** The entries of a stored frame. */
const entriesOf = (
  { frame, persons }: HistoryFrame,
  filter: PoseFilter,
  nowMs: number,
): ReadonlyArray<typeof HistoryEntry.Type> => {
  const { motion, presence, provenance } = commonMetadata(frame, ageMsOf(frame, nowMs))
  const of = { timestamp: isoTime(frame.timestampMs), environment_id: frame.environmentId, frame_id: frame.frameId }
  const measured = { presence, motion, provenance }
  if (persons.length === 0) {
    return [{ ...of, ...noPerson, person_reason: frame.personsReason ?? nobodyFound, ...measured }]
  }
  const person = envelopePerson({ persons, filter, densePose: null })
  return persons.map((one) => ({ ...of, ...person(one), person_reason: null, ...measured }))
}

const envelopeHistory = (answer: HistoryAnswer, nowMs: number): typeof EnvelopeHistory.Type => {
  const { page, perPage, total } = answer
  return {
    poses: answer.frames.flatMap((frame) => entriesOf(frame, answer.filter, nowMs)),
    pagination: {
      page,
      per_page: perPage,
      total: total.count,
      total_reason: total.reason,
      total_pages: total.count === null ? null : Math.ceil(total.count / perPage),
      has_next: answer.hasMore,
      has_prev: page > 1,
    },
  }
}

export const poseHistory = endpoint({
  method: "GET",
  path: "/pose/history",
  rules: [requestRules.range, requestRules.cursor, requestRules.aliases],
  group: "Pose data",
  summary: "List stored frames by cursor (bare form), or stored persons by page (envelope form)",
  access: "read:poses",
  category: "pose-data",
  query: { byForm: queryByForm },
  status: 200,
  response: { bare: jsonCodec(BareHistory, bareHistory), envelope: jsonCodec(EnvelopeHistory, envelopeHistory) },
  failures: ["NoFramesInRange", "UnknownEnvironment", "ActorUnavailable", "AnswerTimeout"],
})
