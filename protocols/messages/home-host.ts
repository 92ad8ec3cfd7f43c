/**
 * Messages of the HomeHost actor, which runs the services and plugins of the cluster. Entity id: always `homeHostId`.
 *
 * Boundary: edges use the ports `HomeServices` and `HomePlugins`, which call this actor on whichever node it runs.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { fromExactJsonString } from "../domain/exact-json.ts"
import { ActorUnavailable, StoreUnavailable } from "../domain/failure.ts"
import { HomeContext, JsonObject } from "../domain/home.ts"
import { ServiceFailure } from "../domain/home-failure.ts"
import { PluginError, PluginStatus } from "../domain/plugin.ts"
import { ServiceDescriptions } from "../domain/service-description.ts"
import { homeGroup } from "./shard-groups.ts"

/** There is one host in a cluster. */
export const homeHostId = "host"

/** All services by domain and name. */
const Services = Rpc.make("Services", { success: fromExactJsonString(ServiceDescriptions) })

/** Calls a service; see `HomeServices.call`. */
const CallService = Rpc.make("CallService", {
  payload: {
    domain: Schema.String,
    service: Schema.String,
    data: JsonObject,
    context: HomeContext,
    returnResponse: Schema.Boolean,
  },
  success: Schema.NullOr(JsonObject),
  error: Schema.Union([ServiceFailure, ActorUnavailable, StoreUnavailable]),
})

/** The plugins and their states. */
const Plugins = Rpc.make("Plugins", {
  success: Schema.Struct({
    manifests: Schema.Array(JsonObject),
    components: Schema.Array(Schema.String),
    plugins: Schema.Array(
      Schema.Struct({ domain: Schema.String, status: PluginStatus, reason: Schema.NullOr(Schema.String) }),
    ),
  }),
})

/** Loads, unloads or reloads a plugin. Answers when that is done. */
const ManagePlugin = Rpc.make("ManagePlugin", {
  payload: { action: Schema.Literals(["load", "unload", "reload"]), domain: Schema.String },
  error: PluginError,
})

export const HomeHost = Entity.make("HomeHost", [Services, CallService, Plugins, ManagePlugin])
  .annotate(ClusterSchema.ShardGroup, homeGroup)
