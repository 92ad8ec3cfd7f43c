import { describe, expect, it } from "vitest"
import { activities, bucketsOf, bucketText, sourceOf } from "../../../gateways/console/web/history/buckets.ts"
import { csvOf, jsonOf } from "../../../gateways/console/web/history/export-text.ts"
import {
  dateOf,
  hashOf,
  hourAround,
  minuteMs,
  rangeOf,
  viewOf,
} from "../../../gateways/console/web/history/history-range.ts"
import {
  adviceOf,
  agreementText,
  allLabels,
  inputTimeOf,
  msOfInputTime,
} from "../../../gateways/console/web/history/labels.ts"
import { changed, type Playhead, positionAt } from "../../../gateways/console/web/history/playhead.ts"
import type { LabelsPage, RoomLabel } from "../../../gateways/console/web/service/types.ts"
import { sceneOf } from "../../../gateways/console/web/state/scene.ts"
import { person, received } from "./frames.ts"

const nowMs = Date.UTC(2026, 10, 25, 3, 12, 30)
const view = { environmentId: "room", span: "hour", endMs: null, date: null } as const

const result = {
  timestamp: "2026-11-25T03:10:00.000Z",
  environment_id: "room",
  person_count: 1.2,
  max_person_count: 2,
  avg_confidence: 0.8,
  activities: { walking: 0.6, sitting: 0.4 },
  presence: { present: 0.75, absent: 0.1 },
  motion: 0.25,
  provenance: { live: 10, replay: 0, simulated: 590 },
}
const range = rangeOf(view, nowMs)
const buckets = bucketsOf([result], range)

describe("the range of the history", () => {
  it("is written to the address and read from it", () => {
    for (const one of [view, { ...view, span: "date", date: "2026-11-24" }, { ...view, endMs: nowMs }] as const) {
      expect(viewOf(new URLSearchParams(hashOf(one).split("?")[1]))).toEqual(one)
    }
  })

  it("ignores values that it cannot read", () => {
    expect(viewOf(new URLSearchParams("span=year&end=never&date=2026-13-45"))).toEqual({
      environmentId: null,
      span: "hour",
      endMs: null,
      date: null,
    })
  })

  it("ends with the current minute", () => {
    const toMs = Date.UTC(2026, 10, 25, 3, 13)
    expect(range).toEqual({ fromMs: toMs - 60 * minuteMs, toMs })
    expect(rangeOf({ ...view, span: "day" }, nowMs)).toEqual({ fromMs: toMs - 24 * 60 * minuteMs, toMs })
  })

  it("is the hour around a minute of a day", () => {
    const at = Date.UTC(2026, 10, 24, 12, 30)
    const around = rangeOf({ ...view, endMs: hourAround(at) }, nowMs)
    expect(around).toEqual({ fromMs: at - 30 * minuteMs, toMs: at + 30 * minuteMs })
  })

  it("is a whole day of the browser's time zone for a date", () => {
    const { fromMs, toMs } = rangeOf({ ...view, span: "date", date: "2026-11-24" }, nowMs)
    expect([dateOf(fromMs), dateOf(toMs - 1), dateOf(toMs)]).toEqual(["2026-11-24", "2026-11-24", "2026-11-25"])
  })
})

describe("the buckets of a range", () => {
  it("are one for each minute; those without frames have no values", () => {
    expect(buckets).toHaveLength(60)
    expect(buckets.filter(({ recorded }) => recorded !== null)).toHaveLength(1)
    expect(buckets[57]).toMatchObject({
      startMs: Date.parse(result.timestamp),
      recorded: {
        present: 0.75,
        absent: 0.1,
        motion: 0.25,
        personsMean: 1.2,
        personsMax: 2,
        confidence: 0.8,
        shares: { walking: 0.6, lying: 0 },
      },
    })
  })

  it("name the source of most frames", () => expect(sourceOf(buckets[57]!.recorded!)).toBe("simulated"))

  it("are one sentence each", () => {
    expect(bucketText(buckets[57]!)).toMatch(
      /:10: somebody 75 %, nobody 10 %, not known 15 %; motion 0\.25; 1\.2 persons on average, at most 2; walking 60 %, sitting 40 %; simulated$/,
    )
    expect(bucketText(buckets[0]!)).toMatch(/: no frames$/)
    const [uncounted] = bucketsOf([{ ...result, person_count: null, max_person_count: null }], range)
      .filter(({ recorded }) => recorded !== null)
    expect(bucketText(uncounted!)).toMatch(/motion 0\.25; persons not counted; simulated$/)
  })
})

describe("the export of a range", () => {
  it("is CSV with a header, a row for each bucket, and empty values in gaps", () => {
    const lines = csvOf('room, "east"', buckets).split("\r\n")
    expect(lines).toHaveLength(62)
    const columns = lines[0]!.split(",")
    expect(columns).toEqual(
      expect.arrayContaining([
        "start_time",
        "persons_mean",
        "frames_simulated",
        ...activities.map((n) => `share_${n}`),
      ]),
    )
    expect(lines[1]).toBe(
      `"room, ""east""",2026-11-25T02:13:00.000Z,2026-11-25T02:14:00.000Z,${",".repeat(columns.length - 6)}0,0,0`,
    )
    expect(lines[58]).toContain(",0.75,0.1,0.25,1.2,2,0.8,0.6,0,0.4,0,0,0,10,0,590")
  })

  it("is JSON with the same values", () => {
    const rows = JSON.parse(jsonOf("room", buckets))
    expect(rows[0]).toMatchObject({ environment_id: "room", persons_mean: null, frames_live: 0 })
    expect(rows[57]).toMatchObject({ persons_mean: 1.2, share_walking: 0.6, frames_simulated: 590 })
  })
})

describe("labels", () => {
  const label = (state: RoomLabel["state"], total: number, present: number, absent: number): RoomLabel => ({
    label_id: "1",
    environment_id: "room",
    start_time: result.timestamp,
    end_time: result.timestamp,
    state,
    note: null,
    created_at: result.timestamp,
    created_by: "vera",
    frames: { total, present, absent },
  })

  it("say how often presence was right, and what to do if it was wrong", () => {
    expect(agreementText(label("empty", 200, 10, 90))).toBe("right in 90 % of the decided time; undecided 50 %")
    expect(adviceOf(label("empty", 200, 10, 90))).toMatch(/Calibrate the empty room/)
    expect(adviceOf(label("empty", 200, 1, 199))).toBe(null)
    expect(agreementText(label("moving", 100, 100, 0))).toBe("right in 100 % of the decided time")
    expect(adviceOf(label("still", 100, 50, 50))).toMatch(/occupied/)
    expect(agreementText(label("still", 100, 0, 0))).toBe("presence was never decided")
    expect(agreementText(label("still", 0, 0, 0))).toBe("no frames are stored of it")
    expect(adviceOf(label("still", 100, 0, 0))).toBe(null)
  })

  it("have times that an input writes and reads", () => {
    expect(msOfInputTime(inputTimeOf(nowMs))).toBe(nowMs)
    expect(msOfInputTime("")).toBe(null)
  })
})

describe("the playhead", () => {
  const playing: Playhead = { positionMs: 1_000, setAtMs: 50, speed: 10, isPlaying: true }

  it("goes on by its speed, to the end and not further", () => {
    expect(positionAt(playing, 150, 60_000)).toBe(2_000)
    expect(positionAt(playing, 60_000, 60_000)).toBe(60_000)
    expect(positionAt({ ...playing, isPlaying: false }, 150, 60_000)).toBe(1_000)
  })

  it("does not jump when its speed changes or when it stops", () => {
    expect(changed(playing, { speed: 60 }, 150, 60_000)).toEqual({
      ...playing,
      positionMs: 2_000,
      setAtMs: 150,
      speed: 60,
    })
    expect(positionAt(changed(playing, { isPlaying: false }, 150, 60_000), 999, 60_000)).toBe(2_000)
  })
})

describe("a scene", () => {
  it("has the persons at its moment, and their ways until then", () => {
    const frames = [0, 5_000, 12_000, 12_500].map((ms, x) => received(ms, ms, [person(1, x)]))
    const scene = sceneOf({ frames, letters: new Map(), eventMs: 12_000, isGrey: false })
    expect(scene.persons).toMatchObject([{ id: 1, x: 2 }])
    expect(scene.trailOf(1).map(({ x }) => x)).toEqual([1, 2])
    expect(scene.trailOf(2)).toEqual([])
  })
})

it("the labels of a range are those of all its pages, oldest first", async () => {
  const page = (ids: ReadonlyArray<string>, next_cursor: string | null) =>
    ({ labels: ids.map((label_id) => ({ label_id })), pagination: { next_cursor } }) as unknown as LabelsPage
  const pages = new Map([[null, page(["d", "c"], "c")], ["c", page(["b"], "b")], ["b", page(["a"], null)]])
  const labels = await allLabels((cursor) => Promise.resolve(pages.get(cursor)!))
  expect(labels.map(({ label_id }) => label_id)).toEqual(["a", "b", "c", "d"])
})
