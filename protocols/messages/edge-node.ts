/**
 * What the EdgeNode actor of one node answers. Address: the node's id, which is its router's id, so both live on the same runner.
 *
 * Boundary: its answers have not passed the privacy gate. Gateways read them through `EdgeFeed` alone.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { StoreUnavailable, UnknownRouter } from "../domain/failure.ts"
import { Vitals } from "../domain/pose.ts"
import { Presence, Source } from "../domain/provenance.ts"
import { BeamformingScan, EdgeRecord, RegistryEntry } from "../domain/sensing.ts"
import { sensingGroup } from "./shard-groups.ts"

/**
 * What the environment says of the room that its routers share. Only where persons are counted, which takes a known geometry; else its
 * nodes may be anywhere, and each speaks for itself.
 */
export const RoomReading = Schema.Struct({
  presence: Presence,
  /** Null where it cannot tell, with the reason. */
  nPersons: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
})
export type RoomReading = typeof RoomReading.Type

/** What a router says of itself at the end of a hop: what the node's record is made of. */
export const NodeReading = Schema.Struct({
  environmentId: Schema.String,
  kind: Schema.String,
  /** End of the hop, event time. */
  timestampMs: Schema.Number,
  source: Source,
  /** By how much the clock of the node is behind the service's; absent: not at all. */
  clockOffsetMs: Schema.optionalKey(Schema.Number),
  calibrated: Schema.Boolean,
  linksUsed: Schema.Int,
  presence: Presence,
  motion: Schema.NullOr(Schema.Number),
  vitals: Vitals,
  /** Greatest place of a link's static residual between the two sides of its calibration; null without both. */
  occupancy: Schema.NullOr(Schema.Number),
  /** Share of the hop's packets that were no outliers; null without packets. */
  usableShare: Schema.NullOr(Schema.Number),
  rssiDbm: Schema.NullOr(Schema.Number),
  packetRateHz: Schema.Number,
  packetLoss: Schema.NullOr(Schema.Number),
  /** Null where the environment counts nobody. */
  room: Schema.NullOr(RoomReading),
  scan: Schema.NullOr(BeamformingScan),
})
export type NodeReading = typeof NodeReading.Type

/** The actor reads its router's enrolment and its learned week before it does anything. */
const notOpened = Schema.Union([UnknownRouter, StoreUnavailable])

/** Takes the newest readings of the node's router, in order. */
const Report = Rpc.make("Report", { payload: { readings: Schema.Array(NodeReading) }, error: notOpened })

/** What the node says now. */
const Latest = Rpc.make("Latest", { success: EdgeRecord, error: notOpened })

/** What the node says now, then whenever it says something; a slow reader loses the oldest first. Nothing in between means silence. */
const Subscribe = Rpc.make("Subscribe", { success: EdgeRecord, error: notOpened, stream: true })

/** What the registry knows of it. */
const Registry = Rpc.make("Registry", { success: RegistryEntry, error: notOpened })

export const EdgeNode = Entity.make("EdgeNode", [Report, Latest, Subscribe, Registry])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
