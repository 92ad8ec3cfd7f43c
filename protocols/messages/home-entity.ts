/**
 * Messages of the HomeEntity actor. Entity id: the id of the home's entity, in lower case.
 *
 * The actor performs one write after the other. It answers when the bus has stored and published the change. `sequence` is that of the
 * change on the bus, so that the caller can wait for it; 0: nothing was published.
 */
import { Context, Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { EntityState, HomeContext, JsonObject } from "../domain/home.ts"
import { InvalidEntityId, InvalidEntityState } from "../domain/home-failure.ts"
import { StoreUnavailable } from "../domain/failure.ts"
import type { LocalCall, LocalCalls } from "./local-calls.ts"
import { homeGroup } from "./shard-groups.ts"

/** Sets the state; attributes are replaced whole. */
const Write = Rpc.make("Write", {
  payload: {
    state: Schema.String,
    attributes: JsonObject,
    /** Treats an equal state as a change. */
    forceUpdate: Schema.Boolean,
    context: HomeContext,
  },
  success: Schema.Struct({
    /** The state after the write; if nothing changed, the old one with its own context. */
    state: EntityState,
    /** The entity was absent before. */
    created: Schema.Boolean,
    sequence: Schema.Int,
  }),
  error: Schema.Union([InvalidEntityId, InvalidEntityState, StoreUnavailable]),
})
export type WriteOrder = typeof Write.payloadSchema.Type
export type Written = typeof Write.successSchema.Type

/** Removes the entity. `removed` false: it did not exist. */
const Remove = Rpc.make("Remove", {
  payload: { context: HomeContext },
  success: Schema.Struct({ removed: Schema.Boolean, sequence: Schema.Int }),
  error: StoreUnavailable,
})

export const HomeEntity = Entity.make("HomeEntity", [Write, Remove])
  .annotate(ClusterSchema.ShardGroup, homeGroup)
  .annotate(ClusterSchema.ClientTracingEnabled, false)

/** A write that bypasses the cluster; see the message `Write`. */
export type WriteEntity = LocalCall<WriteOrder, Written, typeof Write.errorSchema.Type>

/** Local calls to the entities of this node. */
export class LocalHomeEntities extends Context.Service<LocalHomeEntities, LocalCalls<WriteEntity>>()(
  "wavepose/protocols/LocalHomeEntities",
) {}
