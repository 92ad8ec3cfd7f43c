/**
 * The messages to a site from another node: what is for its routers, together, because a message between nodes costs more than most of what it
 * carries. Entity id: the environment id. The actor has no state.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { StoreUnavailable, UnknownRouter } from "../domain/failure.ts"
import { IngestOutcome } from "./router.ts"
import { sensingGroup } from "./shard-groups.ts"

/** A router failed on what it was sent, and would fail again. */
export class RouterBroke extends Schema.TaggedError<RouterBroke>()("RouterBroke", { message: Schema.String }) {}

const RouterFailure = Schema.Union([UnknownRouter, StoreUnavailable, RouterBroke])
export type RouterFailure = typeof RouterFailure.Type

/** What a router has made of its batches, or why it has not. */
const RouterAnswer = Schema.Union([
  Schema.TaggedStruct("Taken", {
    outcomes: Schema.Array(IngestOutcome),
    /** Where senders reach this node (`protocols/ports/ingest-address.ts`). A node of an older version states none. */
    nodeAddress: Schema.optionalKey(Schema.String),
  }),
  Schema.TaggedStruct("NotTaken", { failure: RouterFailure }),
])
export type RouterAnswer = typeof RouterAnswer.Type

/** The batches of a router, encoded, in their order. */
const RouterBatches = Schema.Struct({ routerId: Schema.String, batches: Schema.Array(Schema.Uint8Array) })
export type RouterBatches = typeof RouterBatches.Type

/** Hands batches to routers of the site; answers in the order of the routers when all have taken theirs. */
const Ingest = Rpc.make("Ingest", {
  payload: { routers: Schema.Array(RouterBatches) },
  success: Schema.Array(RouterAnswer),
})

export const Site = Entity.make("Site", [Ingest]).annotate(ClusterSchema.ShardGroup, sensingGroup)
