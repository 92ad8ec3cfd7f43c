/**
 * What the HomeEntity actor of one entity answers. Address: the entity id, in lower case.
 *
 * The actor makes one write after the other. An answer comes when the change is on disk and the bus has told it; its `sequence` is
 * where on the bus, so that whoever asks can wait until he has heard of it himself. 0: the bus has nothing to tell.
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
    /** Takes an equal state for a new one. */
    forceUpdate: Schema.Boolean,
    context: HomeContext,
  },
  success: Schema.Struct({
    /** The state after the write: when nothing changed the old one, with its own context. */
    state: EntityState,
    /** The entity was absent before. */
    created: Schema.Boolean,
    sequence: Schema.Int,
  }),
  error: Schema.Union([InvalidEntityId, InvalidEntityState, StoreUnavailable]),
})
export type WriteOrder = typeof Write.payloadSchema.Type
export type Written = typeof Write.successSchema.Type

/** Removes the entity; `removed` false: there was none. */
const Remove = Rpc.make("Remove", {
  payload: { context: HomeContext },
  success: Schema.Struct({ removed: Schema.Boolean, sequence: Schema.Int }),
  error: StoreUnavailable,
})

/** The state as the last answered write has left it. */
const Get = Rpc.make("Get", { success: Schema.NullOr(EntityState), error: StoreUnavailable })

export const HomeEntity = Entity.make("HomeEntity", [Write, Remove, Get])
  .annotate(ClusterSchema.ShardGroup, homeGroup)
  .annotate(ClusterSchema.ClientTracingEnabled, false)

/** Writes as the message `Write` does. */
export type WriteEntity = LocalCall<WriteOrder, Written, typeof Write.errorSchema.Type>

/** Ways to entities of the same node. */
export class HomeEntityDoors extends Context.Service<HomeEntityDoors, LocalCalls<WriteEntity>>()(
  "wavepose/protocols/HomeEntityDoors",
) {}
