/**
 * Changes of a configuration: how they are applied, which settings differ, when each takes effect, and contradictions between
 * settings. Pure.
 *
 * A setting is named by its dotted path in `Configuration`, e.g. `detection.maxPersons`.
 */
import { Schema } from "effect"
import type { Configuration, ConfigurationChanges } from "./configuration.ts"

type Json = { readonly [key: string]: unknown }

const isGroup = (value: unknown): value is Json => typeof value === "object" && value !== null

const merged = <Base extends object>(base: Base, over: Json): Base =>
  Object.fromEntries(
    Object.entries(base).map(([key, value]) => {
      const next = Object.hasOwn(over, key) ? over[key] : undefined
      if (next === undefined) return [key, value]
      return [key, isGroup(value) && isGroup(next) ? merged(value, next) : next]
    }),
  ) as Base

/** The configuration after these changes. Unknown settings are dropped. */
export const configurationWith = (before: Configuration, changes: ConfigurationChanges): Configuration =>
  merged(before, changes as Json)

const leaves = (value: Json, prefix = ""): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).flatMap(([key, each]): ReadonlyArray<readonly [string, unknown]> =>
    isGroup(each) ? leaves(each, `${prefix}${key}.`) : [[prefix + key, each]]
  )

/** The value of a setting; undefined for an unknown path. */
export const settingAt = (configuration: ConfigurationChanges, path: string): unknown =>
  path.split(".").reduce<unknown>(
    (value, key) => isGroup(value) && Object.hasOwn(value, key) ? value[key] : undefined,
    configuration,
  )

/** Changes that set these settings. */
export const changesOf = (settings: Iterable<readonly [path: string, value: unknown]>): ConfigurationChanges => {
  const changes: Record<string, unknown> = {}
  for (const [path, value] of settings) {
    const keys = path.split(".")
    let at = changes
    for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>
    at[keys.at(-1)!] = value
  }
  return changes as ConfigurationChanges
}

/** The paths of all settings. */
export const settingPaths = (configuration: Configuration): ReadonlyArray<string> =>
  leaves(configuration).map(([path]) => path)

/** The settings in which two configurations differ. */
export const changedSettings = (before: Configuration, after: Configuration): ReadonlyArray<string> =>
  leaves(after).filter(([path, value]) => settingAt(before, path) !== value).map(([path]) => path)

/** Only the settings of these paths, for the record of a change. */
export const settingsAt = (configuration: Configuration, paths: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(paths.map((path) => [path, settingAt(configuration, path)]))

/** Settings that a running session keeps until its restart. All others take effect at once. */
export const restartSettings: ReadonlySet<string> = new Set(["environmentId"])

/** The configuration of a session that runs with `running` when the configuration becomes `wanted`. */
export const appliedAtOnce = (running: Configuration, wanted: Configuration): Configuration =>
  configurationWith(wanted, changesOf([...restartSettings].map((path) => [path, settingAt(running, path)])))

/** A remark about a setting. */
export const SettingProblem = Schema.Struct({ setting: Schema.String, message: Schema.String })
export type SettingProblem = typeof SettingProblem.Type

/** A configuration whose settings contradict each other. At least one problem. */
export class InvalidConfiguration extends Schema.TaggedError<InvalidConfiguration>()("InvalidConfiguration", {
  problems: Schema.Array(SettingProblem),
  message: Schema.String,
}) {
  static of(problems: ReadonlyArray<SettingProblem>): InvalidConfiguration {
    return new InvalidConfiguration({ problems, message: problems.map(({ message }) => message).join(" ") })
  }
}

/** The configuration has changed since the caller read it. */
export class ConfigurationMoved extends Schema.TaggedError<ConfigurationMoved>()("ConfigurationMoved", {
  revision: Schema.Int,
  message: Schema.String,
}) {
  static of(revision: number): ConfigurationMoved {
    return new ConfigurationMoved({
      revision,
      message: "The configuration was changed after it was read. Read it again, and repeat the change.",
    })
  }
}

/** Persons that are followed at one time, whatever `maxPersons` says. */
const followedPersonsMax = 32
/** The longest period of a report. */
const reportDaysMax = 31

/** Contradictions, which are rejected. */
export const contradictions = ({ alerts, detection }: Configuration): ReadonlyArray<SettingProblem> => [
  ...(detection.trackingMinHits <= detection.trackingMaxAgeFrames ? [] : [{
    setting: "detection.trackingMinHits",
    message: `A track needs ${detection.trackingMinHits} detections before it is reported, but ends after ` +
      `${detection.trackingMaxAgeFrames} frames without one. Set an age that is not below the hits.`,
  }]),
  ...(alerts.intrusionDetection.armed !== true || alerts.intrusionDetection.enabled ? [] : [{
    setting: "alerts.intrusionDetection.armed",
    message: "Intrusion detection is armed and off. Turn it on, or disarm it.",
  }]),
]

type Rule = readonly [holds: (configuration: Configuration) => boolean, setting: string, message: string]

/** Valid combinations that may not be intended, which are reported as warnings. */
const rules: ReadonlyArray<Rule> = [
  [
    ({ detection }) => detection.maxPersons > followedPersonsMax,
    "detection.maxPersons",
    `At most ${followedPersonsMax} persons are tracked at a time, so no frame shows more.`,
  ],
  [
    ({ alerts, detection }) =>
      !detection.enableTracking && (alerts.fallDetection.enabled || alerts.activityRecognition.enabled),
    "detection.enableTracking",
    "Without tracking, persons are not observed over time: falls, activities and zone entries are not reported.",
  ],
  [
    ({ alerts, domain }) => alerts.intrusionDetection.armed === true && domain !== "security",
    "alerts.intrusionDetection.armed",
    "Armed outside the domain security: residents and staff are reported as intruders.",
  ],
  [
    ({ alerts, domain }) => domain === "security" && !alerts.intrusionDetection.enabled,
    "alerts.intrusionDetection.enabled",
    "The domain is security, and intrusion detection is off.",
  ],
  [
    ({ alerts, domain }) => domain === "security" && alerts.intrusionDetection.armed === false,
    "alerts.intrusionDetection.armed",
    "The domain is security, and intrusion detection is disarmed: only watched zones raise alerts.",
  ],
  [
    ({ alerts, domain }) => domain === "healthcare" && !alerts.fallDetection.enabled,
    "alerts.fallDetection.enabled",
    "The domain is healthcare, and fall detection is off.",
  ],
  [
    ({ privacy }) => privacy.dataRetentionDays < reportDaysMax,
    "privacy.dataRetentionDays",
    `Monthly reports need ${reportDaysMax} days of data: reports of periods beyond the retention are partial.`,
  ],
  [
    ({ streaming }) => !streaming.websocketEnabled,
    "streaming.websocketEnabled",
    "WebSocket clients are disconnected: they receive no alerts.",
  ],
  [
    ({ streaming }) => !streaming.mqttEnabled,
    "streaming.mqttEnabled",
    "Nothing is published over MQTT: Home Assistant shows the nodes as unavailable.",
  ],
  [
    ({ privacy }) => privacy.enableEncryption,
    "privacy.enableEncryption",
    "New frames are encrypted. Frames that are already stored stay unencrypted until they are deleted.",
  ],
]

/** The warnings about a configuration that concern these changed settings. */
export const warningsOf = (after: Configuration, changed: ReadonlyArray<string>): ReadonlyArray<SettingProblem> =>
  rules.filter(([holds, setting]) => holds(after) && changed.some((path) => concerns(setting, path)))
    .map(([, setting, message]) => ({ setting, message }))

/** A rule about a setting applies to changes of that setting, of the domain, and of its group. */
const concerns = (setting: string, changed: string): boolean =>
  changed === setting || (changed === "domain" && setting.startsWith("alerts.")) ||
  (setting === "detection.enableTracking" && changed.startsWith("alerts."))
