import { describe, expect, it } from "vitest"
import { factGroups } from "../../../gateways/console/web/reports/report-facts.ts"
import { scaleOf } from "../../../gateways/console/web/reports/scale.ts"
import { groupsOf, parsedValue } from "../../../gateways/console/web/settings/config-fields.ts"

describe("the facts of a report", () => {
  const members = {
    mobility_score: null,
    activity_summary: { walking_minutes: 12.5, sitting_minutes: 3 },
    traffic: { peak_hour: "09:00", unique_visitors: null, unique_visitors_bounds: { min: 1, max: 2 } },
    zones: [],
  }
  const reasons = { "metrics.mobility_score": "Nobody walked.", "metrics.traffic": "No track was stored." }

  it("are its figures with their units, and a reason beside each null", () => {
    expect(factGroups(members, reasons, "metrics.")).toEqual([
      { title: "Summary", facts: [{ title: "Mobility score", text: null, reason: "Nobody walked." }] },
      {
        title: "Activity summary",
        facts: [
          { title: "Walking", text: "12.50 minutes", reason: null },
          { title: "Sitting", text: "3 minutes", reason: null },
        ],
      },
      {
        title: "Traffic",
        facts: [
          { title: "Peak hour", text: "09:00", reason: "No track was stored." },
          { title: "Unique visitors", text: null, reason: "No track was stored." },
        ],
      },
    ])
  })
})

describe("the scale of a chart", () => {
  const textsOf = (values: ReadonlyArray<number | null>) => scaleOf(values).marks.map(({ text }) => text)

  it("ends at a round value that no bar exceeds", () => {
    expect(scaleOf([null, 3.2, 1]).max).toBe(5)
    expect(textsOf([null, 3.2, 1])).toEqual(["0", "1.25", "2.5", "3.75", "5"])
    expect(textsOf([0.0004])).toEqual(["0", "0.000125", "0.00025", "0.000375", "0.0005"])
  })

  it("ends at 1 if all values are zero, and has no numbers if none is known", () => {
    expect(textsOf([0, 0])).toEqual(["0", "0.25", "0.5", "0.75", "1"])
    expect(textsOf([null, null])).toEqual(["", "", "", "", ""])
  })
})

describe("the fields of the settings", () => {
  const schema = {
    type: "object",
    properties: {
      domain: { type: "string", enum: ["general", "retail"], description: "Domain." },
      alerts: {
        type: "object",
        properties: {
          armed: { anyOf: [{ type: "boolean" }, { type: "null" }] },
          delay_seconds: { type: "integer", minimum: 0, maximum: 60 },
          seen_at: { type: "string", description: "Reported only, cannot be set." },
        },
      },
    },
  }
  const values = { domain: "retail", alerts: { armed: null, delay_seconds: 5, seen_at: "x" } }
  const groups = groupsOf(schema, values, { ...values, domain: "general" })
  const [armed, delay] = groups[1]!.fields

  it("have the kind, the bounds and the values of the schema", () => {
    expect(groups.map(({ title }) => title)).toEqual(["Domain", "Alerts"])
    expect(groups[0]!.fields).toMatchObject([{ kind: "choice", value: "retail", standard: "general" }])
    expect(groups[1]!.fields).toMatchObject([
      { name: "alerts.armed", kind: "optional-switch", value: null },
      { title: "Delay seconds", kind: "number", minimum: 0, maximum: 60, isInteger: true, value: 5 },
      { kind: "report" },
    ])
  })

  it("send what was typed as a value of their type, and nothing that is none", () => {
    expect([parsedValue(armed!, ""), parsedValue(armed!, "false")]).toEqual([null, false])
    expect([parsedValue(delay!, "7"), parsedValue(delay!, ""), parsedValue(delay!, "x")]).toEqual([
      7,
      undefined,
      undefined,
    ])
  })
})
