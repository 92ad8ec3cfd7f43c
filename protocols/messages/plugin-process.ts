/**
 * The messages between a plugin in a process and its host, checked by the host on arrival.
 *
 * Each side numbers its requests; an answer has the number of its request, and answers may arrive in any order.
 * Boundary: `actors/home/plugins/plugin-capabilities.ts` performs the requests; authors see the API of `actors/home/plugins/api.ts`.
 */
import { Schema } from "effect"
import { DeviceEntry, EntityEntry } from "../domain/home-registry.ts"
import { Fields } from "../domain/service-field.ts"

const Text = Schema.String.check(Schema.isMaxLength(1024))
const Data = Schema.Record(Schema.String, Schema.Json)
const Name = Schema.String.check(Schema.isPattern(/^[a-z0-9_]{1,64}$/))
const optional = Schema.optionalKey
/** The context of a call that the plugin serves, by its id. */
const contextId = optional(Schema.NullOr(Text))

const { deviceId, identifiers, ...deviceMore } = DeviceEntry.fields
const { entityId, platform: _, uniqueId, ...entityMore } = EntityEntry.fields
const allOptional = <F extends Record<string, Schema.Top>>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, optional(field)])) as {
    readonly [Name in keyof F]: Schema.optionalKey<F[Name]>
  }

/** A request of a plugin to the home. */
export const PluginRequest = Schema.Union([
  Schema.Struct({ method: Schema.Literal("states.get"), entityId: Text }),
  Schema.Struct({ method: Schema.Literal("states.all") }),
  Schema.Struct({
    method: Schema.Literal("states.set"),
    entityId: Text,
    state: Schema.String,
    attributes: Data,
    forceUpdate: Schema.Boolean,
    contextId,
  }),
  Schema.Struct({ method: Schema.Literal("states.remove"), entityId: Text, contextId }),
  Schema.Struct({
    method: Schema.Literal("entities.register"),
    entity: Schema.Struct({ entityId, uniqueId, ...allOptional(entityMore) }),
  }),
  Schema.Struct({
    method: Schema.Literal("devices.register"),
    device: Schema.Struct({ deviceId, identifiers, ...allOptional(deviceMore) }),
  }),
  Schema.Struct({
    method: Schema.Literal("services.register"),
    name: Name,
    title: optional(Text),
    description: optional(Text),
    fields: Fields,
    target: optional(Schema.Struct({ required: Schema.Boolean, domains: Schema.Array(Name) })),
    response: Schema.Literals(["none", "optional", "only"]),
  }),
  Schema.Struct({ method: Schema.Literal("services.unregister"), name: Name }),
  Schema.Struct({
    method: Schema.Literal("services.call"),
    domain: Name,
    service: Name,
    data: Data,
    returnResponse: Schema.Boolean,
  }),
  Schema.Struct({ method: Schema.Literal("events.listen"), eventType: Text, listener: Schema.Int }),
  Schema.Struct({ method: Schema.Literal("events.unlisten"), listener: Schema.Int }),
  Schema.Struct({ method: Schema.Literal("events.fire"), eventType: Text, data: Data }),
  Schema.Struct({
    method: Schema.Literal("log"),
    level: Schema.Literals(["debug", "info", "warn", "error"]),
    message: Schema.String,
  }),
])
export type PluginRequest = typeof PluginRequest.Type

/** A serialised exception: the name of its class, and its message. */
const Thrown = Schema.Struct({ name: Schema.String, message: Schema.String })
export type Thrown = typeof Thrown.Type

const answers = {
  done: Schema.Struct({ kind: Schema.Literal("done"), id: Schema.Int, value: Schema.Json }),
  threw: Schema.Struct({ kind: Schema.Literal("threw"), id: Schema.Int, error: Thrown }),
}

export const FromPlugin = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("ask"), id: Schema.Int, request: PluginRequest }),
  answers.done,
  answers.threw,
  /** It has handled an event. */
  Schema.Struct({ kind: Schema.Literal("handled") }),
  Schema.Struct({ kind: Schema.Literal("pong"), count: Schema.Int }),
  /** What the process used since its start, with the key that only its main thread knows: the plugin cannot write one. */
  Schema.Struct({
    kind: Schema.Literal("usage"),
    key: Schema.String,
    cpuMs: Schema.Finite,
    residentBytes: Schema.Finite,
  }),
])
export type FromPlugin = typeof FromPlugin.Type

/** A request of the host to a plugin. */
export type HostRequest =
  /** Loads the module and runs its `setup`; true is success. */
  | { readonly method: "setup"; readonly module: string; readonly domain: string }
  | { readonly method: "unload" }
  | {
    readonly method: "serve"
    readonly name: string
    readonly data: Schema.Json
    readonly entityIds: ReadonlyArray<string>
    readonly context: { readonly id: string; readonly parent_id: string | null; readonly user_id: string | null }
    readonly returnResponse: boolean
  }
  /** Updates these entities. */
  | { readonly method: "update"; readonly entityIds: ReadonlyArray<string> }

export type ToPlugin =
  | { readonly kind: "ask"; readonly id: number; readonly request: HostRequest }
  | typeof answers.done.Type
  | typeof answers.threw.Type
  /** An event as JSON text; `dropped` were left out before it, because the plugin was too slow. */
  | { readonly kind: "event"; readonly listener: number; readonly event: string; readonly dropped: number }
  | { readonly kind: "ping"; readonly count: number }
