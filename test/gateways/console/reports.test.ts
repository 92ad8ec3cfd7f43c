import { describe, expect, it } from "vitest"
import { factGroups } from "../../../gateways/console/web/reports/report-facts.ts"
import { askedOf, occupancyRange, periodQuery, rangeText } from "../../../gateways/console/web/reports/report-range.ts"
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

describe("the time of a report", () => {
  const nowMs = Date.UTC(2026, 10, 27, 0, 30)

  it("is stated in the reader's time zone, also of a day of UTC", () => {
    const day = { fromMs: Date.UTC(2026, 10, 27), toMs: Date.UTC(2026, 10, 28) }
    expect(rangeText(day, "a day of UTC", nowMs, "Asia/Tokyo")).toMatch(
      /^From .*27.*, 09:00 to .*28.*, 09:00 \(a day of UTC\), so far\.$/,
    )
    expect(rangeText({ fromMs: 0, toMs: nowMs }, "", nowMs, "Asia/Tokyo")).toMatch(/, 09:30\.$/)
  })

  it("ends now in whole intervals, or is the day that is asked for", () => {
    const last = occupancyRange({ period: "day", date: null }, nowMs)
    expect(last).toEqual({ fromMs: Date.UTC(2026, 10, 26, 1), toMs: Date.UTC(2026, 10, 27, 1) })
    const localMs = (day: number, hour = 0) => new Date(2026, 10, day, hour).getTime()
    const asked = (period: "hour" | "day" | "week") => occupancyRange({ period, date: "2026-11-25" }, nowMs)
    expect(asked("day")).toEqual({ fromMs: localMs(25), toMs: localMs(26) })
    expect(asked("hour")).toEqual({ fromMs: localMs(25, 12), toMs: localMs(25, 13) })
    expect(asked("week").toMs).toBe(localMs(26))
  })

  it("contains the noon of the date in periods of UTC", () => {
    expect(periodQuery({ period: "day", date: null })).toEqual({ period: "day" })
    const date = new Date(2026, 10, 25, 12).toISOString()
    expect(periodQuery({ period: "day", date: "2026-11-25" })).toEqual({ period: "day", date })
  })

  it("is read from the address", () => {
    const askedIn = (query: string) => askedOf(new URLSearchParams(query))
    expect(askedIn("period=week&date=2026-11-25")).toEqual({ period: "week", date: "2026-11-25" })
    expect(askedIn("period=toString&date=yesterday")).toEqual({ period: "day", date: null })
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
