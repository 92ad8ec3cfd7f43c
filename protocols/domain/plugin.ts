/**
 * Plugins of the home-automation runtime: the manifest, the permissions, the states and the failures of a plugin.
 *
 * All permissions of a plugin are in its manifest. Everything else is denied.
 */
import { Schema } from "effect"
import { isPluginVersion } from "../../core/home/plugin-version.ts"
import { isSlug } from "./home.ts"

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1024))
const texts = (max: number) => Schema.Array(Text).check(Schema.isMaxLength(max))
const Slug = Schema.String.check(Schema.makeFilter(isSlug, { expected: "a slug: a-z, 0-9 and single _ between them" }))
const none = { read: [], write: [] } as const

const iotClasses = [
  "assumed_state",
  "calculated",
  "cloud_polling",
  "cloud_push",
  "local_polling",
  "local_push",
] as const
const integrationTypes = [
  "device",
  "entity",
  "hardware",
  "helper",
  "hub",
  "service",
  "system",
  "virtual",
] as const

/** Domains of the home whose services and entities are the service's own. */
export const coreDomains: ReadonlyArray<string> = [
  "homeassistant",
  "input_boolean",
  "input_number",
  "input_select",
  "persistent_notification",
  "scene",
]

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)
/** A domain, or `*` for all. */
const Domains = Schema.Array(Schema.Union([Schema.Literal("*"), Slug])).check(Schema.isMaxLength(64))

/**
 * Permissions on the machine, which the runtime enforces: paths (within the plugin's folder unless absolute), `host` or `host:port`, names of
 * variables, names of system information. Programs and native code are never permitted: they would bypass the other rules.
 */
const MachinePermissions = Schema.Struct({
  read: optional(texts(32)),
  write: optional(texts(32)),
  net: optional(texts(64)),
  env: optional(texts(64)),
  sys: optional(texts(16)),
})
type MachinePermissions = typeof MachinePermissions.Type

/** Permissions in the home, which the host enforces. A plugin always controls the entities and services of its own domain. */
export const PluginPermissions = Schema.Struct({
  machine: optional(MachinePermissions),
  states: optional(Schema.Struct({
    /** Domains whose entities it may read and observe. */
    read: optional(Domains),
    /** Domains in which it may create entities. An entity that another plugin has created stays with that plugin. */
    write: optional(Domains),
  })),
  /** Services that it may call: `light.turn_on`, or `light.*`. */
  services: optional(
    Schema.Array(Schema.String.check(Schema.isPattern(/^([a-z0-9_]+|\*)\.([a-z0-9_]+|\*)$/u))).check(
      Schema.isMaxLength(64),
    ),
  ),
  events: optional(Schema.Struct({
    /** Event types that it may receive, beside `state_changed` of the entities that it may read. */
    subscribe: optional(texts(64)),
    /** Types that it may fire. */
    fire: optional(texts(64)),
  })),
})
export type PluginPermissions = typeof PluginPermissions.Type

/** `manifest.json`. Unknown keys are ignored, because other programs define more of them. */
export const Manifest = Schema.Struct({
  /** Also the name of the plugin's folder, and the domain of its services. */
  domain: Slug,
  name: Text,
  version: Schema.String.check(
    Schema.makeFilter(isPluginVersion, { expected: "a version, e.g. 1.2.3 or 2026.11.0" }),
  ),
  /** The module, within the folder. */
  main: optional(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,120}\.(ts|js|mjs)$/u))),
  documentation: optional(Text),
  issue_tracker: optional(Text),
  codeowners: optional(texts(32)),
  dependencies: optional(Schema.Array(Slug).check(Schema.isMaxLength(64))),
  after_dependencies: optional(Schema.Array(Slug).check(Schema.isMaxLength(64))),
  requirements: optional(texts(64)),
  iot_class: optional(Schema.Literals(iotClasses)),
  integration_type: optional(Schema.Literals(integrationTypes)),
  disabled: optional(Text),
  permissions: optional(PluginPermissions),
})
export type Manifest = typeof Manifest.Type

export const mainDefault = "plugin.ts"

/** The permissions of a manifest. Absent entries are empty. */
export const permissionsOf = ({ domain, permissions = {} }: Manifest) => {
  const { events = {}, machine = {}, services = [], states = none } = permissions
  return {
    machine: { read: [], write: [], net: [], env: [], sys: [], ...machine },
    states: { read: [domain, ...states.write ?? [], ...states.read ?? []], write: [domain, ...states.write ?? []] },
    services,
    events: { subscribe: events.subscribe ?? [], fire: events.fire ?? [] },
  }
}
export type GrantedPermissions = ReturnType<typeof permissionsOf>

/** The state of a plugin. */
export const pluginStatuses = [
  "not_loaded",
  "setup_in_progress",
  "loaded",
  "setup_error",
  "setup_retry",
  "unload_in_progress",
  "failed_unload",
] as const
export const PluginStatus = Schema.Literals(pluginStatuses)
export type PluginStatus = typeof PluginStatus.Type

const ofPlugin = { domain: Schema.String, message: Schema.String }

/** The manifest cannot be read, lacks something, or asks for a permission that is never granted. */
export class InvalidManifest extends Schema.TaggedError<InvalidManifest>()("InvalidManifest", ofPlugin) {}
/** No plugin has this domain. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", ofPlugin) {
  static of(domain: string): NotFound {
    return new NotFound({ domain, message: `Integration '${domain}' not found.` })
  }
}
/** It is already set up. */
export class AlreadyLoaded extends Schema.TaggedError<AlreadyLoaded>()("AlreadyLoaded", ofPlugin) {}
/** Its setup failed. */
export class SetupFailed extends Schema.TaggedError<SetupFailed>()("SetupFailed", {
  ...ofPlugin,
  /**
   * `declined`: the plugin returned false. `failed`: an exception. `dependency`, `circular`: another plugin. `unenforceable`: this runtime cannot
   * enforce its permissions. `retry`: something is not available yet, and setup will be tried again.
   */
  reason: Schema.Literals([
    "declined",
    "failed",
    "timeout",
    "dependency",
    "circular",
    "requirements",
    "disabled",
    "unenforceable",
    "retry",
  ]),
}) {}
/** Its teardown failed. It can be set up again after a restart of the service. */
export class UnloadFailed extends Schema.TaggedError<UnloadFailed>()("UnloadFailed", ofPlugin) {}
/** It violated its permissions, hung or crashed while it ran. */
export class RuntimeError extends Schema.TaggedError<RuntimeError>()("RuntimeError", ofPlugin) {}
/** Its files cannot be read. */
export class Io extends Schema.TaggedError<Io>()("Io", ofPlugin) {}

export const PluginError = Schema.Union([
  InvalidManifest,
  NotFound,
  AlreadyLoaded,
  SetupFailed,
  UnloadFailed,
  RuntimeError,
  Io,
])
export type PluginError = typeof PluginError.Type
