import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { defaultConfiguration } from "../../../protocols/domain/configuration.ts"
import { configurationWith, settingPaths } from "../../../protocols/domain/configuration-change.ts"
import {
  configurationSchema,
  entityTagOf,
  putConfiguration,
  readChanges,
  refusedReports,
  revisionOf,
} from "../../../protocols/pose-api/configuration.ts"
import {
  configurationBody,
  configurationTrees,
  everyField,
  fieldOf,
  nothingObserved,
} from "../../../protocols/pose-api/configuration-fields.ts"
import { forms } from "../../../protocols/pose-api/forms.ts"
import { reader } from "../../../protocols/pose-api/input.ts"
import { isSetting, leavesOf } from "../../../protocols/pose-api/setting-tree.ts"
import { anyConfiguration } from "../../harness/configurations.ts"

const readBody = reader(putConfiguration.body!.schema, { whole: "body" })
const runs = { seed: 20261122, numRuns: 200 }

/** The specification's own lists of fields. */
const specified = {
  bare: [
    "domain",
    "environment.id",
    "environment.name",
    "environment.calibration_timestamp",
    "detection.confidence_threshold",
    "detection.max_persons",
    "detection.tracking_enabled",
    "alerts.fall_detection.enabled",
    "alerts.fall_detection.sensitivity",
    "alerts.fall_detection.notification_delay_seconds",
    "alerts.inactivity_detection.enabled",
    "alerts.inactivity_detection.threshold_minutes",
    "streaming.restream_enabled",
    "streaming.websocket_enabled",
    "streaming.mqtt_enabled",
  ],
  envelope: [
    "domain",
    "environment_id",
    "detection.confidence_threshold",
    "detection.max_persons",
    "detection.enable_tracking",
    "detection.tracking_max_age",
    "detection.tracking_min_hits",
    "neural_network.model_version",
    "neural_network.batch_size",
    "neural_network.enable_gpu",
    "neural_network.inference_timeout",
    "hardware.csi_sampling_rate",
    "hardware.buffer_size",
    "hardware.antenna_count",
    "hardware.subcarrier_count",
    "analytics.enable_fall_detection",
    "analytics.enable_activity_recognition",
    "analytics.alert_thresholds.fall_confidence",
    "analytics.alert_thresholds.inactivity_timeout",
    "privacy.data_retention_days",
    "privacy.anonymize_data",
    "privacy.enable_encryption",
    "privacy.csi_recording_enabled",
  ],
} as const

const dottedOf = (value: unknown, prefix = ""): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, each]) => dottedOf(each, `${prefix}${key}.`))
    : [prefix.slice(0, -1)]

describe.each(forms)("the configuration in the %s form", (form) => {
  it("has every field of the specification, and besides extensions no other", () => {
    const fields = dottedOf(configurationBody(form, defaultConfiguration, nothingObserved))
    expect(fields.filter((field) => !field.startsWith("alerts.intrusion_detection."))).toEqual(specified[form])
  })

  it("can be sent back as it was read without a change; sent to another configuration it makes that one equal", () => {
    fc.assert(
      fc.property(anyConfiguration, anyConfiguration, (one, other) => {
        const body = configurationBody(form, one, nothingObserved)
        const given = readChanges(Result.getOrThrow(readBody(JSON.parse(JSON.stringify(body)))))
        if (!("changes" in given)) throw new Error("it contradicts itself")
        expect(refusedReports(given.reports, nothingObserved)).toEqual([])
        const again = configurationBody(form, configurationWith(other, given.changes), nothingObserved)
        expect(again).toEqual(body)
      }),
      runs,
    )
  })

  it("is described by a schema that its defaults satisfy", () => {
    const { defaults, schema } = JSON.parse(configurationSchema.response![form].text(null, 0))
    expect(defaults).toEqual(configurationBody(form, defaultConfiguration, nothingObserved))
    expect(schema.properties.detection.properties.confidence_threshold).toMatchObject({
      type: "number",
      minimum: 0,
      maximum: 1,
      description: expect.stringMatching(/^Minimum probability/),
    })
    const described = (node: Record<string, unknown>): boolean =>
      "properties" in node
        ? Object.values(node["properties"] as object).every(described)
        : JSON.stringify(node).includes(`"description":`)
    expect(described(schema)).toBe(true)
  })
})

describe("a change", () => {
  const changesOf = (body: unknown) => readChanges(Result.getOrThrow(readBody(body)))

  it("can change every setting, by the names of one of the forms", () => {
    const named = new Set(leavesOf(everyField).flatMap(([, leaf]) => isSetting(leaf) ? [leaf.path] : []))
    expect([...named].sort()).toEqual([...settingPaths(defaultConfiguration)].sort())
  })

  it.each([
    [{ detection: { max_persons: 5 } }],
    [{ "detection.max_persons": 5 }],
    [{ "detection.max_persons": 5, detection: { max_persons: 5 } }],
  ])("is the same nested and dotted: %j", (body) => {
    expect(changesOf(body)).toMatchObject({ changes: { detection: { maxPersons: 5 } } })
  })

  it("accepts a group by its dotted name, and the fields of both forms at once", () => {
    const body = {
      "alerts.fall_detection": { sensitivity: 1, enabled: true },
      analytics: { enable_fall_detection: true, alert_thresholds: { inactivity_timeout: 90 } },
    }
    expect(changesOf(body)).toMatchObject({
      changes: {
        alerts: { fallDetection: { sensitivity: 1, enabled: true }, inactivityDetection: { thresholdMinutes: 1.5 } },
      },
    })
  })

  it("is rejected if one setting has two values under two names", () => {
    const body = {
      detection: { tracking_enabled: true, enable_tracking: false },
      environment_id: null,
      environment: { id: null },
    }
    expect(changesOf(body)).toEqual([{
      field: "detection.tracking_enabled",
      message: "is the same setting as detection.enable_tracking, which has another value. Send one of them",
      received: true,
    }])
  })

  it.each([
    [{ detection: { max_persons: 0 } }, "detection.max_persons"],
    [{ "detection.max_persons": "5" }, "detection.max_persons"],
    [{ detection: { nothing: 1 } }, "detection.nothing"],
    [{ "detection.nothing": 1 }, "detection.nothing"],
    [{ detection: 5 }, "detection"],
    [{ analytics: { alert_thresholds: { inactivity_timeout: 59 } } }, "analytics.alert_thresholds.inactivity_timeout"],
    [JSON.parse(`{"__proto__": {"domain": "retail"}}`), "__proto__"],
    [[], "body"],
  ])("is rejected by the field's path: %j", (body, field) => {
    const read = readBody(body)
    expect(Result.isFailure(read) && read.failure.errors.map((error) => error.field)).toEqual([field])
  })

  it("of a reported field is rejected with what to do, unless the value is the reported one", () => {
    const observed = { ...nothingObserved, antennaCount: 3 }
    const given = changesOf({ hardware: { antenna_count: 4, subcarrier_count: null, csi_sampling_rate: 100 } })
    if (!("changes" in given)) throw new Error("it contradicts itself")
    expect(refusedReports(given.reports, observed)).toMatchObject([
      { field: "hardware.csi_sampling_rate", message: expect.stringContaining("diagnostics") },
      { field: "hardware.antenna_count", message: expect.stringContaining("Configure the routers") },
    ])
    expect(given.changes).toEqual({})
  })
})

it("names a setting as in its form, else as in the other", () => {
  expect(fieldOf("bare", "alerts.fallDetection.enabled")).toBe("alerts.fall_detection.enabled")
  expect(fieldOf("envelope", "alerts.fallDetection.enabled")).toBe("analytics.enable_fall_detection")
  expect(fieldOf("bare", "privacy.anonymizeData")).toBe("privacy.anonymize_data")
  expect(fieldOf("bare", "gone.since")).toBe("gone.since")
  expect(Object.keys(configurationTrees.bare)).not.toContain("privacy")
})

it("has an entity tag per revision", () => {
  expect(revisionOf(entityTagOf(12))).toBe(12)
  for (const tag of ["12", `W/"r12"`, `"r-1"`, `"r1e3"`, `"r1", "r2"`]) expect(revisionOf(tag)).toBe(null)
})
