/**
 * Plugins of the home-automation runtime: the manifest, what a plugin may do, how it fares, and how it fails.
 *
 * Everything that a plugin may do is declared in its manifest and nowhere else. What the manifest does not name is not permitted.
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

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)
/** A domain, or `*` for all. */
const Domains = Schema.Array(Schema.Union([Schema.Literal("*"), Slug])).check(Schema.isMaxLength(64))

/**
 * What a plugin may do on the machine, as the runtime enforces it: paths (within its folder unless absolute), `host` or `host:port`, names of
 * variables, names of system information. Starting programs and native code cannot be permitted: they would be a way round the rest.
 */
const MachinePermissions = Schema.Struct({
  read: optional(texts(32)),
  write: optional(texts(32)),
  net: optional(texts(64)),
  env: optional(texts(64)),
  sys: optional(texts(16)),
})
type MachinePermissions = typeof MachinePermissions.Type

/** What a plugin may do in the home, as the host enforces it. Entities and services of its own domain are always its own. */
export const PluginPermissions = Schema.Struct({
  machine: optional(MachinePermissions),
  states: optional(Schema.Struct({
    /** Domains whose entities it may see, and whose changes it may hear. */
    read: optional(Domains),
    /** Domains in which it may have entities. One that another plugin has made stays that one's. */
    write: optional(Domains),
  })),
  /** Services that it may call: `light.turn_on`, or `light.*`. */
  services: optional(
    Schema.Array(Schema.String.check(Schema.isPattern(/^([a-z0-9_]+|\*)\.([a-z0-9_]+|\*)$/u))).check(
      Schema.isMaxLength(64),
    ),
  ),
  events: optional(Schema.Struct({
    /** Types that it may hear, beside `state_changed` of the entities that it may see. */
    subscribe: optional(texts(64)),
    /** Types that it may fire. */
    fire: optional(texts(64)),
  })),
})
export type PluginPermissions = typeof PluginPermissions.Type

/** `manifest.json`. Keys that are not known are passed over, for other programs have more of them. */
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

/** The permissions of a manifest, with nothing where it names nothing. */
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

/** Where a plugin stands. */
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

/** The manifest cannot be read, lacks something, or asks for what is never given. */
export class InvalidManifest extends Schema.TaggedError<InvalidManifest>()("InvalidManifest", ofPlugin) {}
/** There is no plugin of this domain. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", ofPlugin) {
  static of(domain: string): NotFound {
    return new NotFound({ domain, message: `Integration '${domain}' not found.` })
  }
}
/** It is set up already. */
export class AlreadyLoaded extends Schema.TaggedError<AlreadyLoaded>()("AlreadyLoaded", ofPlugin) {}
/** Its setup did not succeed. */
export class SetupFailed extends Schema.TaggedError<SetupFailed>()("SetupFailed", {
  ...ofPlugin,
  /**
   * `declined`: it said so itself. `failed`: an exception. `dependency`, `circular`: another plugin. `unenforceable`: this runtime cannot
   * hold it to its permissions. `retry`: what it needs is not there yet, and it is tried again.
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
/** It could not be ended in good order; it can be set up again when the service starts anew. */
export class UnloadFailed extends Schema.TaggedError<UnloadFailed>()("UnloadFailed", ofPlugin) {}
/** It did what it may not do, hung or crashed while it ran. */
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
