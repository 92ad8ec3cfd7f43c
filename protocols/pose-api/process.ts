/**
 * Endpoint of the group Pose data that takes a packet of CSI from a client.
 *
 * The packet goes the way of all others, to the Router actor of its router. One packet is no pose: poses are told when the frame that
 * describes the packet's time is made soon enough, and else there is a reason.
 */
import { Schema } from "effect"
import type { Person } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { Identifier } from "../domain/site.ts"
import { AntennaDataField } from "./antenna-data.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, Fraction, NullableString, round3, Text, Timestamp } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"
import type { MemoFrame } from "./pose-frame.ts"
import {
  ageMsOf,
  BarePerson,
  barePerson,
  EnvelopePerson,
  envelopePerson,
  type PoseFilter,
  provenanceOf,
  ProvenanceShape,
} from "./pose-json.ts"

const bodyBytesMax = 16 * 1024 * 1024

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

const Metadata = Schema.Struct({
  router_id: Identifier,
  sampling_rate: Schema.optionalKey(
    between(0.001, 1e6).annotate({
      description: "Packets per second. Taken and not used: the rate is measured from the times of packets.",
    }),
  ),
  signal_strength: Schema.optionalKey(between(-127, 127).annotate({ description: "dBm." })),
  subcarrier_indices: Schema.optionalKey(
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -32768, maximum: 32767 }))).check(
      Schema.isMaxLength(4096),
    ).annotate({
      description: "Extension: the tone of each subcarrier, from the centre of the channel. Default: by their count.",
    }),
  ),
  bandwidth_hz: Schema.optionalKey(between(1e6, 1e10).annotate({ description: "Extension." })),
  center_frequency_hz: Schema.optionalKey(between(1e6, 1e12).annotate({ description: "Extension." })),
  transmitter_id: Schema.optionalKey(
    Text(1, 64).annotate({ default: "ap", description: "Extension: who sent the packet." }),
  ),
  sequence: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })).annotate({
      description: "Extension: the sender's own count of packets.",
    }),
  ),
  source: Schema.optionalKey(
    Source.annotate({
      default: "live",
      description: "Extension: where the packet comes from; it is told of every frame.",
    }),
  ),
})

const Options = Schema.Struct({
  confidence_threshold: Schema.optionalKey(Fraction),
  min_confidence: Schema.optionalKey(Fraction.annotate({ description: "The same as `confidence_threshold`." })),
  max_persons: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({ description: "The surest ones." }),
  ),
  enable_tracking: Schema.optionalKey(
    Schema.Boolean.annotate({ default: true, description: "Whether what is known of persons' tracks is told." }),
  ),
  tracking_enabled: Schema.optionalKey(Schema.Boolean.annotate({ description: "The same as `enable_tracking`." })),
  return_dense_pose: Schema.optionalKey(Schema.Boolean.annotate({ default: false })),
})

const ProcessBody = Schema.Struct({
  csi_data: Schema.Struct({
    timestamp: Timestamp.annotate({ description: "When the packet was received; microseconds are kept." }),
    antenna_data: AntennaDataField,
    metadata: Metadata,
  }),
  processing_options: Schema.optionalKey(Options),
})

export type ProcessBody = typeof ProcessBody.Type
export type ProcessOptions = typeof Options.Type

const ProcessStatus = Schema.Literals(["completed", "accepted", "dropped"]).annotate({
  description:
    "completed: `poses` are of the frame that describes the packet's time. accepted: the router took the packet, and no " +
    "such frame is there yet. dropped: the router left it out. `reason` says why there are no poses.",
})
type ProcessStatus = typeof ProcessStatus.Type

/** What became of a packet. */
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
  /** Why nobody is told of; null when somebody is. */
  readonly reason: string | null
}

const { tracking_info, ...untrackedBare } = BarePerson.fields
const { track_id, ...untrackedEnvelope } = EnvelopePerson.fields

const bodySchema = <P extends Schema.Constraint>(person: P) =>
  Schema.Struct({
    processing_id: Schema.String,
    status: ProcessStatus,
    processing_time_ms: Schema.Finite,
    poses: Schema.Array(person),
    reason: NullableString.annotate({ description: "Extension: why `poses` is empty; else null." }),
    frame: Schema.NullOr(Schema.Struct({
      environment_id: Schema.String,
      frame_id: Count,
      timestamp: IsoTime,
      provenance: ProvenanceShape,
    })).annotate({ description: "Extension: the frame that `poses` are of." }),
  })

const BareBody = bodySchema(
  Schema.Struct({ ...untrackedBare, tracking_info: Schema.optionalKey(tracking_info) }),
)
const EnvelopeBody = bodySchema(Schema.Struct({ ...untrackedEnvelope, track_id: Schema.optionalKey(track_id) }))

/** All but the persons. */
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
  group: "Pose data",
  summary: "Hands a packet of CSI to its router, and tells the poses of its time where there are some",
  access: "process",
  category: "pose-processing",
  body: { schema: ProcessBody, required: true, limitBytes: bodyBytesMax },
  status: 200,
  response: { bare: bareCodec, envelope: envelopeCodec },
  failures: ["UnknownRouter", "ActorUnavailable"],
})
