/** Endpoint of the group System control with the parts that the service consists of: nodes, plugins and pose networks. */
import { Schema } from "effect"
import { PluginStatus } from "../domain/plugin.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { NullableString } from "./fields.ts"

export const InventoryBody = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({
    address: Schema.String.annotate({ description: "Address for other nodes." }),
    healthy: Schema.Boolean.annotate({ description: "Whether the others reach it." }),
    actors: Schema.Array(Schema.String).annotate({ description: "Groups of actors that it hosts." }),
    environments: Schema.Array(Schema.String).annotate({ description: "Ids of the environments that it has." }),
    answering: Schema.Boolean.annotate({ description: "Whether this node answered." }),
  })).annotate({ description: "Nodes of the cluster; empty on the embedded database, whose node is alone." }),
  plugins: Schema.Array(Schema.Struct({
    domain: Schema.String.annotate({ description: "Domain of the plugin." }),
    status: PluginStatus.annotate({ description: "State of the plugin." }),
    reason: NullableString.annotate({ description: "Why it does not run." }),
  })).annotate({ description: "Plugins of the home." }),
  plugins_reason: NullableString.annotate({ description: "Why the plugins are not known; else null." }),
  models: Schema.Array(Schema.Struct({
    model_version: Schema.String,
    environments: Schema.Array(Schema.String).annotate({ description: "Ids of the environments that use it." }),
    card: NullableString.annotate({ description: "Its card as Markdown; null if none is beside the weights." }),
  })).annotate({ description: "Pose networks in use." }),
})
export type Inventory = typeof InventoryBody.Type

const codec = jsonCodec(InventoryBody, (body: Inventory) => body)

export const systemInventory = endpoint({
  method: "GET",
  path: "/system/inventory",
  group: "System control",
  summary: "List the nodes, the plugins and the pose networks in use with their cards",
  access: "write:configuration",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["StoreUnavailable", "ActorUnavailable", "AnswerTimeout"],
})
