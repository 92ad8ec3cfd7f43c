/**
 * The messages of the EdgeNode actor. Entity id: the node's id, which is its router's id; both are placed with
 * their site. And of the EdgeSite actor, for readers of all nodes of a site. Entity id: the environment id.
 *
 * Boundary: its answers have not passed the privacy gate. Gateways read them through the port `EdgeFeed` only.
 */
import { Context, Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { StoreUnavailable, UnknownRouter } from "../domain/failure.ts"
import { Vitals } from "../domain/pose.ts"
import { Presence, Source } from "../domain/provenance.ts"
import { BeamformingScan, EdgeRecord, RegistryEntry } from "../domain/sensing.ts"
import type { LocalCall, LocalCalls } from "./local-calls.ts"
import { PlacedWithSite } from "./placement.ts"
import { sensingGroup } from "./shard-groups.ts"

/**
 * The environment's reading of the room that its routers share. It exists only where persons are counted, which requires a known geometry.
 * Without one the nodes can be in different rooms, so each reports its own presence.
 */
export const RoomReading = Schema.Struct({
  presence: Presence,
  /** Null when unknown, with the reason. */
  nPersons: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
})
export type RoomReading = typeof RoomReading.Type

/** A router's report about its node at the end of a hop, from which the node's record is built. */
export const NodeReading = Schema.Struct({
  environmentId: Schema.String,
  kind: Schema.String,
  /** End of the hop, event time. */
  timestampMs: Schema.Number,
  source: Source,
  /** Time by which the node's clock is behind the service's; absent when it is not. */
  clockOffsetMs: Schema.optionalKey(Schema.Number),
  calibrated: Schema.Boolean,
  linksUsed: Schema.Int,
  presence: Presence,
  motion: Schema.NullOr(Schema.Number),
  vitals: Vitals,
  /** Largest position of a link's static residual between the empty (0) and the occupied (1) calibration; null without both. */
  occupancy: Schema.NullOr(Schema.Number),
  /** Share of the hop's packets that were not outliers; null without packets. */
  usableShare: Schema.NullOr(Schema.Number),
  rssiDbm: Schema.NullOr(Schema.Number),
  packetRateHz: Schema.Number,
  packetLoss: Schema.NullOr(Schema.Number),
  /** Null where the environment does not count persons. */
  room: Schema.NullOr(RoomReading),
  scan: Schema.NullOr(BeamformingScan),
})
export type NodeReading = typeof NodeReading.Type

/** The actor reads its router's enrolment and its learned week before the first message. */
const notOpened = Schema.Union([UnknownRouter, StoreUnavailable])

/** Takes the newest readings of the node's router, in order. */
const Report = Rpc.make("Report", { payload: { readings: Schema.Array(NodeReading) }, error: notOpened })

/** The current record. */
const Latest = Rpc.make("Latest", { success: EdgeRecord, error: notOpened })

/** The current record, then every later one; a slow reader loses the oldest first. The current one is repeated, so silence means failure. */
const Subscribe = Rpc.make("Subscribe", { success: EdgeRecord, error: notOpened, stream: true })
  .annotate(ClusterSchema.InterruptOnTermination, true)

/** The registry entry of the node. */
const Registry = Rpc.make("Registry", { success: RegistryEntry, error: notOpened })

export const EdgeNode = Entity.make("EdgeNode", [Report, Latest, Subscribe, Registry])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
  .annotate(PlacedWithSite, true)

/** Takes readings as the message `Report` does. */
export type ReportCall = LocalCall<ReadonlyArray<NodeReading>, void, typeof Report.errorSchema.Type>

/** The EdgeNode actors of this node. */
export class LocalEdgeNodes
  extends Context.Service<LocalEdgeNodes, LocalCalls<ReportCall>>()("wavepose/protocols/LocalEdgeNodes") {}

/**
 * The records of these nodes of the site, as `Subscribe` of each has them. Those of a few milliseconds are one element, because to another node
 * an element costs more than what it carries. Nodes that are not enrolled are left out.
 */
const Records = Rpc.make("Records", {
  payload: { nodeIds: Schema.Array(Schema.String) },
  success: Schema.Array(EdgeRecord),
  error: notOpened,
  stream: true,
}).annotate(ClusterSchema.InterruptOnTermination, true)

export const EdgeSite = Entity.make("EdgeSite", [Records]).annotate(ClusterSchema.ShardGroup, sensingGroup)
