/**
 * Endpoint of the group Pose data that accepts CSI packets from a client: one, or a batch.
 *
 * Like any other packet, they go to the Router actors of their routers. One packet is not enough for a pose: the answer has poses if the
 * frame that describes a packet's time exists soon enough, else a reason. The packets of a batch are read one by one, so one that is
 * invalid does not reject the others: the answer names it.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import type { Person } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { Identifier } from "../domain/site.ts"
import { AntennaDataField } from "./antenna-data.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableString, round3, Text, Timestamp, Uuid } from "./fields.ts"
import { codeOf, type FailureTag } from "./errors.ts"
import { type Form, IsoTime, isoTime } from "./forms.ts"
import type { MemoFrame } from "./pose-frame.ts"
import { ageMsOf, barePerson, envelopePerson, type PoseFilter, provenanceOf } from "./pose-json.ts"
import { BarePerson, EnvelopePerson, ProvenanceShape } from "./pose-schema.ts"

const bodyBytesMax = 16 * 1024 * 1024

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

const Metadata = Schema.Struct({
  router_id: Identifier,
  sampling_rate: Schema.optionalKey(
    between(0.001, 1e6).annotate({
      description: "Packets per second. Accepted and ignored: the rate is measured from the times of packets.",
    }),
  ),
  signal_strength: Schema.optionalKey(between(-127, 127).annotate({ description: "dBm." })),
  subcarrier_indices: Schema.optionalKey(
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -32768, maximum: 32767 }))).check(
      Schema.isMaxLength(4096),
    ).annotate({
      description:
        "Index of each subcarrier relative to the centre of the channel. Default: derived from their number.",
    }),
  ),
  bandwidth_hz: Schema.optionalKey(between(1e6, 1e10).annotate({ description: "Extension." })),
  center_frequency_hz: Schema.optionalKey(between(1e6, 1e12).annotate({ description: "Extension." })),
  transmitter_id: Schema.optionalKey(
    Text(1, 64).annotate({ default: "ap", description: "Id of the transmitter of the packet." }),
  ),
  sequence: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })).annotate({
      description: "Packet counter of the transmitter.",
    }),
  ),
  source: Schema.optionalKey(
    Source.annotate({
      default: "live",
      description: "Source of the packet, which every frame reports.",
    }),
  ),
})

const Options = Schema.Struct({
  confidence_threshold: Schema.optionalKey(Fraction),
  min_confidence: Schema.optionalKey(Fraction.annotate({ description: "Same as `confidence_threshold`." })),
  max_persons: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "Maximum number of persons. Those with the highest confidence are returned.",
    }),
  ),
  enable_tracking: Schema.optionalKey(
    Schema.Boolean.annotate({ default: true, description: "Whether persons have the data of their tracks." }),
  ),
  tracking_enabled: Schema.optionalKey(Schema.Boolean.annotate({ description: "Same as `enable_tracking`." })),
  return_dense_pose: Schema.optionalKey(Schema.Boolean.annotate({ default: false })),
})

/** A packet as a client sends it. */
export const CsiRecord = Schema.Struct({
  timestamp: Timestamp.annotate({
    description: "Time of reception of the packet, with a resolution of one microsecond.",
  }),
  antenna_data: AntennaDataField,
  metadata: Metadata,
}).annotate({ identifier: "CsiRecord" })
export type CsiRecord = typeof CsiRecord.Type

/** In the description of an operation that accepts requests with invalid parts. */
export const partlyInvalid = "Invalid packets of a batch are results, and do not reject the request."

/** Packets of a batch: 5 routers with 100 packets per second send so many in a second. */
const recordsMax = 512

const ProcessBody = Schema.Struct({
  csi_data: Schema.Union([
    CsiRecord,
    // Their content is read one by one.
    Schema.Array(Schema.Unknown).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(recordsMax),
      Schema.makeFilter(() => true, { toJsonSchema: () => ({ items: { $ref: "#/$defs/CsiRecord" } }) }),
    ),
  ]).annotate({ description: "A packet, or a batch of packets of any routers." }),
  processing_options: Schema.optionalKey(Options),
})

export type ProcessBody = typeof ProcessBody.Type
export type ProcessOptions = typeof Options.Type

const statuses = ["completed", "accepted", "dropped", "rejected"] as const
const ProcessStatus = Schema.Literals(statuses).annotate({
  description:
    "`completed`: there is a frame that describes the packet's time. `accepted`: the router accepted the packet, and there is no such " +
    "frame yet. `dropped`: the router dropped it. `rejected`: it is invalid, or no router took it. Of a batch: the best of its packets.",
})
type ProcessStatus = typeof ProcessStatus.Type

/** The best of some statuses. */
const bestOf = (found: ReadonlyArray<ProcessStatus>): ProcessStatus =>
  statuses.find((status) => found.includes(status)) ?? "rejected"

/** A frame that describes the time of a packet, with the persons that the options select. */
export interface ProcessedFrame {
  readonly shared: MemoFrame
  readonly persons: ReadonlyArray<Person>
  /** Why there are no persons; null if there are. */
  readonly reason: string | null
}

/** The result for one packet. */
export interface ProcessedRecord {
  readonly status: ProcessStatus
  readonly found: ProcessedFrame | null
  /** Why there is no frame; null if there is. */
  readonly reason: string | null
  /** Null unless the packet was rejected. */
  readonly failure: FailureTag | null
  /** Path of the first invalid field; null if no field is invalid. */
  readonly field: string | null
}

export interface ProcessAnswer {
  /** A UUIDv7. */
  readonly processingId: string
  readonly processingMs: number
  /** In the order of the request. */
  readonly records: ReadonlyArray<ProcessedRecord>
  /** The frames of the packets by time, each once. */
  readonly frames: ReadonlyArray<ProcessedFrame>
  readonly isBatch: boolean
  readonly filter: PoseFilter
  readonly withTracks: boolean
}

const { tracking_info, ...untrackedBare } = BarePerson.fields
const { track_id, ...untrackedEnvelope } = EnvelopePerson.fields

const frameFields = {
  environment_id: Schema.String,
  frame_id: Count,
  timestamp: IsoTime,
  provenance: ProvenanceShape,
}

const RecordResult = Schema.Struct({
  status: ProcessStatus,
  reason: NullableString.annotate({ description: "Why there is no frame; else null." }),
  error_code: NullableString.annotate({ description: "The code of the error; null unless rejected." }),
  field: NullableString.annotate({ description: "The first invalid field; null if none is invalid." }),
  environment_id: NullableString.annotate({ description: "Of the frame; null without a frame, see `reason`." }),
  frame_id: Schema.NullOr(Count).annotate({ description: "Of the frame; null without a frame, see `reason`." }),
}).annotate({ identifier: "ProcessedRecord" })

const noPoses = NullableString.annotate({ description: "Why `poses` is empty; else null." })

const bodySchema = <P extends Schema.Constraint>(person: P) => {
  const poses = Schema.Array(person)
  return Schema.Struct({
    processing_id: Uuid,
    status: ProcessStatus,
    processing_time_ms: Schema.Finite,
    poses,
    reason: noPoses,
    frame: Schema.NullOr(Schema.Struct(frameFields)).annotate({
      description: "The frame of `poses`, of a batch the newest; null without a frame, see `reason`.",
    }),
    records: Schema.optionalKey(Schema.Array(RecordResult)).annotate({
      description: "Of a batch: the result of each packet, in order.",
    }),
    frames: Schema.optionalKey(Schema.Array(Schema.Struct({ ...frameFields, poses, reason: noPoses }))).annotate({
      description: "Of a batch: the frames of its packets, each once, by time.",
    }),
  })
}

const BareBody = bodySchema(
  Schema.Struct({ ...untrackedBare, tracking_info: Schema.optionalKey(tracking_info) }),
)
const EnvelopeBody = bodySchema(Schema.Struct({ ...untrackedEnvelope, track_id: Schema.optionalKey(track_id) }))

const frameOf = ({ frame }: MemoFrame, nowMs: number) => ({
  environment_id: frame.environmentId,
  frame_id: frame.frameId,
  timestamp: isoTime(frame.timestampMs),
  provenance: provenanceOf(frame, ageMsOf(frame, nowMs)),
})

const recordOf = ({ failure, field, found, reason, status }: ProcessedRecord, form: Form) => ({
  status,
  reason,
  error_code: failure === null ? null : codeOf(failure, form),
  field,
  environment_id: found?.shared.frame.environmentId ?? null,
  frame_id: found?.shared.frame.frameId ?? null,
})

/** The answer in a form, whose persons are made by `personsOf`. */
const bodyOf = <P>(
  answer: ProcessAnswer,
  nowMs: number,
  form: Form,
  personsOf: (frame: ProcessedFrame) => Array<P>,
) => {
  const { frames, isBatch, processingId, processingMs, records } = answer
  const newest = frames.at(-1) ?? null
  return {
    processing_id: processingId,
    status: bestOf(records.map(({ status }) => status)),
    processing_time_ms: round3(processingMs),
    poses: newest === null ? [] : personsOf(newest),
    reason: newest === null ? records.at(-1)!.reason : newest.reason,
    frame: newest === null ? null : frameOf(newest.shared, nowMs),
    ...(isBatch
      ? {
        records: records.map((record) => recordOf(record, form)),
        frames: frames.map((frame) => ({
          ...frameOf(frame.shared, nowMs),
          poses: personsOf(frame),
          reason: frame.reason,
        })),
      }
      : {}),
  }
}

const shownOf = ({ filter }: ProcessAnswer, { persons, shared: { densePose } }: ProcessedFrame) => ({
  filter,
  persons,
  densePose,
})

const bareCodec = jsonCodec(
  BareBody,
  (answer: ProcessAnswer, nowMs) =>
    bodyOf(
      answer,
      nowMs,
      "bare",
      (frame) =>
        frame.persons.map(barePerson(shownOf(answer, frame))).map(({ tracking_info, ...person }) =>
          answer.withTracks ? { ...person, tracking_info } : person
        ),
    ),
)

const envelopeCodec = jsonCodec(
  EnvelopeBody,
  (answer: ProcessAnswer, nowMs) =>
    bodyOf(
      answer,
      nowMs,
      "envelope",
      (frame) =>
        frame.persons.map(envelopePerson(shownOf(answer, frame))).map(({ track_id, ...person }) =>
          answer.withTracks ? { ...person, track_id } : person
        ),
    ),
)

export const poseProcess = endpoint({
  method: "POST",
  path: "/pose/process",
  rules: [requestRules.aliases, "all antennas have the same number of subcarriers"],
  note: partlyInvalid,
  group: "Pose data",
  summary: "Submit CSI packets to their routers, and get the poses of their times if there are any",
  access: "process:csi",
  category: "pose-processing",
  body: { schema: ProcessBody, required: true, limitBytes: bodyBytesMax },
  status: 200,
  response: { bare: bareCodec, envelope: envelopeCodec },
  failures: ["UnknownRouter", "ActorUnavailable", "StoreUnavailable"],
})
