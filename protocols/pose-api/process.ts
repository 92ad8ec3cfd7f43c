/**
 * Endpoint of the group Pose data that accepts a CSI packet from a client.
 *
 * Like any other packet, it goes to the Router actor of its router. One packet is not enough for a pose: the answer has poses if the frame
 * that describes the packet's time exists soon enough, else a reason.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import type { Person } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { Identifier } from "../domain/site.ts"
import { AntennaDataField } from "./antenna-data.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableString, round3, Text, Timestamp, Uuid } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"
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

const ProcessBody = Schema.Struct({
  csi_data: Schema.Struct({
    timestamp: Timestamp.annotate({
      description: "Time of reception of the packet, with a resolution of one microsecond.",
    }),
    antenna_data: AntennaDataField,
    metadata: Metadata,
  }),
  processing_options: Schema.optionalKey(Options),
})

export type ProcessBody = typeof ProcessBody.Type
export type ProcessOptions = typeof Options.Type

const ProcessStatus = Schema.Literals(["completed", "accepted", "dropped"]).annotate({
  description:
    "`completed`: `poses` are those of the frame that describes the packet's time. `accepted`: the router accepted the packet, and " +
    "there is no such frame yet. `dropped`: the router dropped the packet. `reason` states why there are no poses.",
})
type ProcessStatus = typeof ProcessStatus.Type

/** The result for a packet. */
export interface ProcessAnswer {
  /** A UUIDv7. */
  readonly processingId: string
  readonly status: ProcessStatus
  readonly processingMs: number
  /** The frame that describes the packet's time, or null. */
  readonly shared: MemoFrame | null
  readonly persons: ReadonlyArray<Person>
  readonly filter: PoseFilter
  readonly withTracks: boolean
  /** Why there are no poses; null if there are. */
  readonly reason: string | null
}

const { tracking_info, ...untrackedBare } = BarePerson.fields
const { track_id, ...untrackedEnvelope } = EnvelopePerson.fields

const bodySchema = <P extends Schema.Constraint>(person: P) =>
  Schema.Struct({
    processing_id: Uuid,
    status: ProcessStatus,
    processing_time_ms: Schema.Finite,
    poses: Schema.Array(person),
    reason: NullableString.annotate({ description: "Why `poses` is empty; else null." }),
    frame: Schema.NullOr(Schema.Struct({
      environment_id: Schema.String,
      frame_id: Count,
      timestamp: IsoTime,
      provenance: ProvenanceShape,
    })).annotate({ description: "The frame of `poses`." }),
  })

const BareBody = bodySchema(
  Schema.Struct({ ...untrackedBare, tracking_info: Schema.optionalKey(tracking_info) }),
)
const EnvelopeBody = bodySchema(Schema.Struct({ ...untrackedEnvelope, track_id: Schema.optionalKey(track_id) }))

/** The answer without the persons. */
const outcomeOf = ({ processingId, processingMs, reason, shared, status }: ProcessAnswer, nowMs: number) => ({
  processing_id: processingId,
  status,
  processing_time_ms: round3(processingMs),
  reason,
  frame: shared === null ? null : {
    environment_id: shared.frame.environmentId,
    frame_id: shared.frame.frameId,
    timestamp: isoTime(shared.frame.timestampMs),
    provenance: provenanceOf(shared.frame, ageMsOf(shared.frame, nowMs)),
  },
})

const shownOf = ({ filter, persons, shared }: ProcessAnswer) => ({
  filter,
  persons,
  densePose: shared?.densePose ?? null,
})

const bareCodec = jsonCodec(BareBody, (answer: ProcessAnswer, nowMs) => ({
  ...outcomeOf(answer, nowMs),
  poses: answer.persons.map(barePerson(shownOf(answer))).map(({ tracking_info, ...person }) =>
    answer.withTracks ? { ...person, tracking_info } : person
  ),
}))

const envelopeCodec = jsonCodec(EnvelopeBody, (answer: ProcessAnswer, nowMs) => ({
  ...outcomeOf(answer, nowMs),
  poses: answer.persons.map(envelopePerson(shownOf(answer))).map(({ track_id, ...person }) =>
    answer.withTracks ? { ...person, track_id } : person
  ),
}))

export const poseProcess = endpoint({
  method: "POST",
  path: "/pose/process",
  rules: [requestRules.aliases, "all antennas have the same number of subcarriers"],
  group: "Pose data",
  summary: "Submit a CSI packet to its router, and get the poses of its time if there are any",
  access: "process:csi",
  category: "pose-processing",
  body: { schema: ProcessBody, required: true, limitBytes: bodyBytesMax },
  status: 200,
  response: { bare: bareCodec, envelope: envelopeCodec },
  failures: ["UnknownRouter", "ActorUnavailable"],
})
