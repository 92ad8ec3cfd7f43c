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

const merged = (base: Json, over: Json): Json =>
  Object.fromEntries(
    Object.entries(base).map(([key, value]) => {
      const next = Object.hasOwn(over, key) ? over[key] : undefined
      if (next === undefined) return [key, value]
      return [key, isGroup(value) && isGroup(next) ? merged(value, next) : next]
    }),
  )

/** The configuration after these changes. Settings that it does not have are dropped. */
export const configurationWith = (before: Configuration, changes: ConfigurationChanges): Configuration =>
  merged(before, changes as Json) as unknown as Configuration

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

/** The settings of these paths alone, for the record of a change. */
export const settingsAt = (configuration: Configuration, paths: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(paths.map((path) => [path, settingAt(configuration, path)]))

/** Settings that a session that runs keeps until it is restarted; all others take effect at once. */
export const restartSettings: ReadonlySet<string> = new Set(["environmentId"])

/** What a session that runs with `running` goes on with when the configuration becomes `wanted`. */
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
      message: "Somebody has changed the configuration since you read it. Get it again, and decide anew.",
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
    message: `A track would have to be seen in ${detection.trackingMinHits} frames before it counts, and ends after ` +
      `${detection.trackingMaxAgeFrames} that miss it. Give it an age that is not less than its hits.`,
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
    `No more than ${followedPersonsMax} persons are followed at a time, so no frame shows more.`,
  ],
  [
    ({ alerts, detection }) =>
      !detection.enableTracking && (alerts.fallDetection.enabled || alerts.activityRecognition.enabled),
    "detection.enableTracking",
    "Without tracking nobody is watched over time: falls, activities and who enters a zone are not told.",
  ],
  [
    ({ alerts, domain }) => alerts.intrusionDetection.armed === true && domain !== "security",
    "alerts.intrusionDetection.armed",
    "Armed outside the domain security: whoever lives or works there is told of as an intruder.",
  ],
  [
    ({ alerts, domain }) => domain === "security" && !alerts.intrusionDetection.enabled,
    "alerts.intrusionDetection.enabled",
    "The domain is security, and intrusion detection is off.",
  ],
  [
    ({ alerts, domain }) => domain === "security" && alerts.intrusionDetection.armed === false,
    "alerts.intrusionDetection.armed",
    "The domain is security, and intrusion detection is disarmed: only watched zones are told of.",
  ],
  [
    ({ alerts, domain }) => domain === "healthcare" && !alerts.fallDetection.enabled,
    "alerts.fallDetection.enabled",
    "The domain is healthcare, and fall detection is off.",
  ],
  [
    ({ privacy }) => privacy.dataRetentionDays < reportDaysMax,
    "privacy.dataRetentionDays",
    `Reports of a month need ${reportDaysMax} days of data: those of longer periods than are kept are partial.`,
  ],
  [
    ({ streaming }) => !streaming.websocketEnabled,
    "streaming.websocketEnabled",
    "Clients of the WebSocket are cut off: alerts reach nobody by it.",
  ],
  [
    ({ streaming }) => !streaming.mqttEnabled,
    "streaming.mqttEnabled",
    "Nothing is published over MQTT: Home Assistant calls the nodes unavailable.",
  ],
  [
    ({ privacy }) => privacy.enableEncryption,
    "privacy.enableEncryption",
    "Frames are encrypted from now on; those that are stored already stay as they are until they are deleted.",
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
