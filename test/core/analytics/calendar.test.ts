import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  bucketCount,
  bucketStarts,
  dayMs,
  floorTo,
  hourMs,
  minuteMs,
  periodOf,
  periods,
  weekMs,
} from "../../../core/analytics/calendar.ts"

const iso = (ms: number) => new Date(ms).toISOString()
const at = (text: string) => Date.parse(text)
/** Any time of the years 0 to 9999. */
const time = fc.integer({ min: at("0000-01-01T00:00:00Z"), max: at("9999-12-31T23:59:59Z") })

describe("periods", () => {
  it("are an hour, a day, a week from Monday and a month, UTC", () => {
    const noon = at("2026-02-18T12:34:56.789Z")
    const reported = periods.map((period) => {
      const { fromMs, toMs } = periodOf(period, noon)
      return [period, iso(fromMs), iso(toMs)]
    })
    expect(reported).toEqual([
      ["hour", "2026-02-18T12:00:00.000Z", "2026-02-18T13:00:00.000Z"],
      ["day", "2026-02-18T00:00:00.000Z", "2026-02-19T00:00:00.000Z"],
      ["week", "2026-02-16T00:00:00.000Z", "2026-02-23T00:00:00.000Z"],
      ["month", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
    ])
  })

  it("contain their time, and months are those of the calendar", () =>
    fc.assert(
      fc.property(time, fc.constantFrom(...periods), (timeMs, period) => {
        const { fromMs, toMs } = periodOf(period, timeMs)
        expect(fromMs <= timeMs && timeMs < toMs).toBe(true)
        expect(periodOf(period, fromMs)).toEqual({ fromMs, toMs })
        expect(periodOf(period, toMs).fromMs).toBe(toMs)
        if (period !== "month") return
        const date = new Date(timeMs)
        const begin = new Date(0)
        begin.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth(), 1)
        expect(fromMs).toBe(begin.getTime())
      }),
    ))
})

describe("buckets", () => {
  it("tile a range with any edges", () =>
    fc.assert(
      fc.property(
        time,
        fc.integer({ min: 1, max: 40 * dayMs }),
        fc.constantFrom(hourMs, dayMs, weekMs),
        (fromMs, lengthMs, widthMs) => {
          const range = { fromMs, toMs: fromMs + lengthMs }
          const starts = bucketStarts(range, widthMs)
          expect(starts).toHaveLength(bucketCount(range, widthMs))
          expect(starts[0]).toBe(floorTo(fromMs, widthMs))
          starts.forEach((start, i) => expect(start).toBe(starts[0]! + i * widthMs))
          expect(starts.at(-1)! < range.toMs && starts.at(-1)! + widthMs >= range.toMs).toBe(true)
        },
      ),
    ))

  it("begin at full hours and Mondays", () => {
    expect(iso(floorTo(at("2026-01-07T10:07:00Z"), 5 * minuteMs))).toBe("2026-01-07T10:05:00.000Z")
    expect(iso(floorTo(at("2026-01-07T10:07:00Z"), weekMs))).toBe("2026-01-05T00:00:00.000Z")
    expect(iso(floorTo(at("1999-12-31T10:07:00Z"), weekMs))).toBe("1999-12-27T00:00:00.000Z")
  })

  it("are empty for an empty or reversed range", () => {
    expect(bucketStarts({ fromMs: 10, toMs: 10 }, hourMs)).toEqual([])
    expect(bucketStarts({ fromMs: 10, toMs: 5 }, hourMs)).toEqual([])
  })
})
