import * as fc from "fast-check"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  Configuration,
  type ConfigurationChanges,
  defaultConfiguration,
} from "../../../protocols/domain/configuration.ts"
import {
  appliedAtOnce,
  changedSettings,
  changesOf,
  configurationWith,
  contradictions,
  restartSettings,
  settingAt,
  settingPaths,
  settingsAt,
  warningsOf,
} from "../../../protocols/domain/configuration-change.ts"
import { anyChanges, anyConfiguration } from "../../harness/configurations.ts"

const runs = { seed: 20261122, numRuns: 200 }

describe("changes of a configuration", () => {
  it("set what they name, and leave everything else", () => {
    fc.assert(
      fc.property(anyConfiguration, anyChanges, (before, changes) => {
        const after = configurationWith(before, changes)
        for (const path of settingPaths(before)) {
          const given = settingAt(changes, path)
          expect(settingAt(after, path)).toEqual(given === undefined ? settingAt(before, path) : given)
        }
        expect(Schema.is(Configuration)(after)).toBe(true)
      }),
      runs,
    )
  })

  it("are what the differences of two configurations say", () => {
    fc.assert(
      fc.property(anyConfiguration, anyConfiguration, (before, after) => {
        const changed = changedSettings(before, after)
        const changes = changesOf(Object.entries(settingsAt(after, changed)))
        expect(configurationWith(before, changes)).toEqual(after)
        expect(changedSettings(after, configurationWith(before, changes))).toEqual([])
      }),
      runs,
    )
  })

  it("take effect at once but for those that wait for a restart", () => {
    fc.assert(
      fc.property(anyConfiguration, anyConfiguration, (running, wanted) => {
        const applied = appliedAtOnce(running, wanted)
        for (const path of settingPaths(wanted)) {
          expect(settingAt(applied, path)).toEqual(settingAt(restartSettings.has(path) ? running : wanted, path))
        }
      }),
      runs,
    )
  })

  it("name settings of a configuration and nothing that it inherits", () => {
    expect(settingAt(defaultConfiguration, "detection.toString")).toBeUndefined()
    expect(settingAt(defaultConfiguration, "constructor.name")).toBeUndefined()
    expect(settingPaths(defaultConfiguration)).toContain("alerts.intrusionDetection.armed")
  })
})

describe("what is wrong across settings", () => {
  const withChanges = (changes: ConfigurationChanges) => configurationWith(defaultConfiguration, changes)
  const settingsOf = (problems: ReadonlyArray<{ readonly setting: string }>) => problems.map(({ setting }) => setting)

  it("is nothing of the defaults", () => {
    expect(contradictions(defaultConfiguration)).toEqual([])
    expect(warningsOf(defaultConfiguration, settingPaths(defaultConfiguration)).map(({ setting }) => setting)).toEqual([
      "privacy.dataRetentionDays",
    ])
  })

  it.each([
    [{ detection: { trackingMinHits: 61 } }, ["detection.trackingMinHits"]],
    [{ detection: { trackingMinHits: 60 } }, []],
    [{ alerts: { intrusionDetection: { armed: true, enabled: false } } }, ["alerts.intrusionDetection.armed"]],
    [{ alerts: { intrusionDetection: { armed: null, enabled: false } } }, []],
  ])("contradicts itself: %j", (changes, expected) => {
    expect(settingsOf(contradictions(withChanges(changes)))).toEqual(expected)
  })

  it.each<[ConfigurationChanges, ReadonlyArray<string>]>([
    [{ detection: { maxPersons: 33 } }, ["detection.maxPersons"]],
    [{ detection: { maxPersons: 32 } }, []],
    [{ detection: { enableTracking: false } }, ["detection.enableTracking"]],
    [{ domain: "retail", alerts: { intrusionDetection: { armed: true } } }, ["alerts.intrusionDetection.armed"]],
    [{ domain: "security", alerts: { intrusionDetection: { armed: true } } }, []],
    [{ domain: "security", alerts: { intrusionDetection: { armed: false } } }, ["alerts.intrusionDetection.armed"]],
    [{ domain: "security", alerts: { intrusionDetection: { enabled: false } } }, ["alerts.intrusionDetection.enabled"]],
    [{ domain: "healthcare", alerts: { fallDetection: { enabled: false } } }, ["alerts.fallDetection.enabled"]],
    [{ privacy: { dataRetentionDays: 7 } }, ["privacy.dataRetentionDays"]],
    [{ privacy: { dataRetentionDays: 31 } }, []],
    [{ privacy: { enableEncryption: true } }, ["privacy.enableEncryption"]],
    [{ streaming: { mqttEnabled: false, websocketEnabled: false } }, [
      "streaming.websocketEnabled",
      "streaming.mqttEnabled",
    ]],
  ])("is worth a warning: %j", (changes, expected) => {
    const after = withChanges(changes)
    expect(settingsOf(warningsOf(after, changedSettings(defaultConfiguration, after)))).toEqual(expected)
  })

  it("is not reported with unrelated changes", () => {
    const after = withChanges({ streaming: { mqttEnabled: false } })
    expect(warningsOf(after, ["detection.maxPersons"])).toEqual([])
  })
})
