import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { EventStore } from "../../../../actors/store/events/events.ts"
import type { PoseFrame } from "../../../../protocols/domain/pose.ts"
import {
  type FrameFilter,
  FrameSummaries,
  type Stretch,
  type SummaryAnswer,
  type SummaryRequest,
  type SummaryRow,
} from "../../../../protocols/ports/frame-summaries.ts"
import type { FramePosition } from "../../../../protocols/ports/frame-history.ts"
import { incidentEvent } from "../../../harness/events.ts"
import { onEachDatabase } from "../../../harness/history-store.ts"
import { activities, frameWith, someone, storeFrames } from "../../../harness/stored-frames.ts"

/** The last half minute of a week, so that every stretch changes within the frames. */
const startMs = Date.UTC(2026, 0, 4, 23, 59, 30)
const open: FrameFilter = { personsMin: null, personsMax: null, confidenceMin: null, activities: [] }

/** Some frames without persons do not count them. */
const isLost = (frameId: number): boolean => Math.floor(frameId / 9) % 4 === 0 && frameId % 2 === 0

const frameAt = (frameId: number): PoseFrame =>
  frameWith(
    frameId,
    startMs + frameId * 700,
    [41, 42, 43].slice(0, Math.floor(frameId / 9) % 4).map((id) =>
      someone(id, { confidence: 0.5 + (frameId % 4) / 8, activity: activities[(id + Math.floor(frameId / 50)) % 6]! })
    ),
    {
      provenance: {
        source: frameId % 3 === 0 ? "replay" : "live",
        calibrated: true,
        modelVersion: "mean-skeleton",
        linksUsed: 1,
      },
      presence: { present: [true, false, null][frameId % 7 % 3]!, confidence: 0.9, reason: null },
      motion: frameId % 5 === 0 ? null : frameId % 4 / 4,
      ...(isLost(frameId) ? { capabilities: ["presence", "motion"] as const } : {}),
    },
  )

const stored = Array.from({ length: 400 }, (_, i) => frameAt(i))
const endMs = startMs + 400 * 700

const request = (over: Partial<SummaryRequest> = {}): SummaryRequest => ({
  environmentId: "living-room",
  fromMs: startMs,
  toMs: endMs,
  filter: open,
  stretch: "minute",
  falls: false,
  limit: 1000,
  after: null,
  ...over,
})

const mean = (frame: PoseFrame): number =>
  frame.persons.reduce((sum, { confidence }) => sum + confidence, 0) / frame.persons.length

const meanMotion = (frames: ReadonlyArray<PoseFrame>) => {
  const values = frames.flatMap(({ motion }) => motion ?? [])
  return values.length === 0 ? null : expect.closeTo(values.reduce((sum, value) => sum + value, 0) / values.length, 5)
}

const isCounted = ({ capabilities }: PoseFrame): boolean => capabilities.includes("count")

const passes = (filter: FrameFilter) => (frame: PoseFrame): boolean => {
  const count = frame.persons.length
  if (!isCounted(frame) && ((filter.personsMin ?? 0) > 0 || filter.personsMax !== null)) return false
  return count >= (filter.personsMin ?? 0) && count <= (filter.personsMax ?? Infinity) &&
    (filter.confidenceMin === null || (count > 0 && mean(frame) >= filter.confidenceMin - 1e-9)) &&
    (filter.activities.length === 0 || frame.persons.some(({ activity }) => filter.activities.includes(activity)))
}

const beginOf = (stretch: Stretch, ms: number): number => {
  const lengths = { frame: 1, minute: 60e3, hour: 3600e3, day: 86_400e3, week: 604_800e3 }
  // The epoch was a Thursday; weeks begin on Monday.
  const shiftMs = stretch === "week" ? 4 * 86_400e3 : 0
  return Math.floor((ms - shiftMs) / lengths[stretch]) * lengths[stretch] + shiftMs
}

/** The same, from the frames in memory. */
const expectedRows = (
  { filter, fromMs, stretch, toMs }: SummaryRequest,
  all = stored,
): ReadonlyArray<SummaryRow> => {
  const inRange = all.filter((frame) => frame.timestampMs >= fromMs && frame.timestampMs < toMs).filter(
    passes(filter),
  )
  const groups = Map.groupBy(
    inRange,
    ({ environmentId, frameId, timestampMs }) =>
      `${beginOf(stretch, timestampMs)} ${environmentId} ${stretch === "frame" ? frameId : ""}`,
  )
  const rows = [...groups.values()].map((frames): SummaryRow => {
    const timestampMs = beginOf(stretch, frames[0]!.timestampMs)
    const persons = frames.flatMap((frame) => frame.persons)
    const from = (source: string) => frames.filter(({ provenance }) => provenance.source === source).length
    return {
      environmentId: frames[0]!.environmentId,
      timestampMs,
      frameId: stretch === "frame" ? frames[0]!.frameId : null,
      frames: frames.length,
      countedFrames: frames.filter(isCounted).length,
      personFrames: persons.length,
      personMax: frames.some(isCounted) ? Math.max(...frames.map(({ persons }) => persons.length)) : null,
      confidence: persons.length === 0
        ? null
        : expect.closeTo(persons.reduce((sum, { confidence }) => sum + confidence, 0) / persons.length, 5),
      activities: Object.fromEntries(
        activities.map((activity) => [activity, persons.filter((person) => person.activity === activity).length]),
      ) as SummaryRow["activities"],
      present: frames.filter(({ presence }) => presence.present === true).length,
      absent: frames.filter(({ presence }) => presence.present === false).length,
      motion: meanMotion(frames),
      falls: null,
      sources: { live: from("live"), replay: from("replay"), simulated: 0 },
    }
  })
  return rows.toSorted((a, b) => a.timestampMs - b.timestampMs || (a.environmentId < b.environmentId ? -1 : 1))
}

const moment = fc.integer({ min: -30_000, max: 320_000 }).map((ms) => startMs + ms)
const anyRequest = fc.record({
  times: fc.tuple(moment, moment).filter(([a, b]) => a !== b),
  filter: fc.oneof(
    fc.constant(open),
    fc.record({
      personsMin: fc.constantFrom(null, 0, 1, 2),
      personsMax: fc.constantFrom(null, 0, 2, 3),
      confidenceMin: fc.constantFrom(null, 0.6, 0.75),
      activities: fc.subarray([...activities], { maxLength: 2 }),
    }),
  ),
  stretch: fc.constantFrom<Stretch>("frame", "minute", "hour", "day", "week"),
}).map(({ filter, stretch, times: [a, b] }) =>
  request({ fromMs: Math.min(a, b), toMs: Math.max(a, b), filter, stretch })
)

await onEachDatabase("summaries of frames", ({ run }) => {
  it("say what the frames say, whatever the stretch, the range and the filter", () =>
    run(Effect.gen(function* () {
      yield* storeFrames(stored)
      const { ask } = yield* FrameSummaries
      for (const asked of fc.sample(anyRequest, { seed: 3, numRuns: 60 })) {
        const { next, rows } = yield* ask(asked)
        expect(rows).toEqual(expectedRows(asked))
        expect(next).toBe(null)
      }
    })), 20_000)

  it.each<Stretch>(["frame", "minute"])(
    "go on where they were cut, by the %s",
    (stretch) =>
      run(Effect.gen(function* () {
        const { ask } = yield* FrameSummaries
        const filter = { ...open, personsMin: 1 }
        const all = request({ stretch, filter, fromMs: startMs + 12_345 })
        const rows: Array<SummaryRow> = []
        let after: FramePosition | null = null
        for (let page = 0; page < 200; page++) {
          const answer: SummaryAnswer = yield* ask({ ...all, limit: 2, after })
          expect(answer.rows.length).toBeLessThanOrEqual(2)
          rows.push(...answer.rows)
          after = answer.next
          if (after === null) break
        }
        expect(rows).toEqual(expectedRows(all))
      })),
  )

  it("read the sums of minutes where they suffice, and frames only at the ends", () =>
    run(Effect.gen(function* () {
      const { ask } = yield* FrameSummaries
      // Half a minute of frames at each end, four whole minutes between.
      const whole = yield* ask(request({ stretch: "hour", toMs: startMs + 300_000 }))
      const firstEnd = stored.filter(({ timestampMs }) => timestampMs < startMs + 30_000).length
      const lastEnd = stored.filter(({ timestampMs }) => timestampMs >= startMs + 270_000).length
      expect(whole.recordsScanned).toBe(firstEnd + 4 + lastEnd)
    })))

  it("count falls that were alerted, and remember no answer that counts them", () =>
    run(Effect.gen(function* () {
      const { ask } = yield* FrameSummaries
      const events = yield* EventStore
      const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
      const fall = (n: number, status: "open" | "waiting", atMs: number) => ({
        ...incidentEvent(id(n), status, 1),
        timestampMs: atMs,
        environmentId: "living-room",
      })
      yield* events.append([
        fall(1, "open", startMs + 1_000),
        fall(2, "waiting", startMs + 2_000),
        fall(3, "open", startMs + 100_000),
        fall(4, "open", endMs + 1),
      ])
      const asked = request({ stretch: "minute", falls: true, toMs: startMs + 150_000 })
      for (let again = 0; again < 2; again++) {
        const { cacheHit, rows } = yield* ask(asked)
        expect(rows.map(({ falls }) => falls)).toEqual([1, 0, 1])
        expect(cacheHit).toBe(false)
      }
    })))

  it("remember an answer about the past as long as nothing of it has changed", () =>
    run(Effect.gen(function* () {
      const { ask } = yield* FrameSummaries
      const past = request({ stretch: "hour", fromMs: startMs + 1, toMs: startMs + 200_001 })
      const first = yield* ask(past)
      expect([first.cacheHit, first.recordsScanned > 0]).toEqual([false, true])
      const again = yield* ask({ ...past, filter: { ...open, activities: [] } })
      expect(again).toEqual({ ...first, cacheHit: true, recordsScanned: 0 })
      // Frames after the newest one leave the past as it is.
      yield* storeFrames([400, 401, 402].map(frameAt))
      expect((yield* ask(past)).cacheHit).toBe(true)
      yield* storeFrames([403, 404].map(frameAt))
      expect((yield* ask(past)).cacheHit).toBe(true)
      // One that is written into it does not.
      yield* storeFrames([frameWith(405, startMs + 150_050, [someone(41)])])
      const changed = yield* ask(past)
      expect(changed.cacheHit).toBe(false)
      const frames = (rows: ReadonlyArray<SummaryRow>) => rows.reduce((sum, row) => sum + row.frames, 0)
      expect(frames(changed.rows)).toBe(frames(first.rows) + 1)
      // And the end of the range is not stored past yet.
      const present = request({ stretch: "hour", toMs: endMs + 10_000_000 })
      yield* ask(present)
      expect((yield* ask(present)).cacheHit).toBe(false)
    })))

  it("forget an answer when the retention has taken one of its days", () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ask } = yield* FrameSummaries
      const dayMs = 86_400_000
      const environmentId = "kept"
      const days = [0, 1, 2, 3].map((day) =>
        frameWith(day + 1, startMs - day % 2 + day * dayMs, [someone(41)], { environmentId })
      )
      yield* storeFrames(days)
      const strayDays = sql`SELECT DISTINCT date_trunc('day', ts) FROM pose_frames WHERE environment_id = 'kept'`
      yield* sql`INSERT INTO stray_days (day, found_at) SELECT day, now() FROM (${strayDays}) AS found (day)`
      // The retention takes frames, which answers with a filter count, and keeps the minute sums.
      const filtered = request({
        environmentId,
        stretch: "day",
        fromMs: startMs - 10,
        toMs: startMs + 2 * dayMs + 10,
        filter: { ...open, personsMin: 1 },
      })
      const rowsOf = (days: number, cacheHit: boolean) =>
        Effect.map(ask(filtered), (answer) => expect([answer.rows.length, answer.cacheHit]).toEqual([days, cacheHit]))
      yield* rowsOf(3, false)
      yield* rowsOf(3, true)
      const deleteDay = (day: number) =>
        Effect.gen(function* () {
          const date = new Date(startMs + day * dayMs).toISOString().slice(0, 10)
          yield* sql`DELETE FROM pose_frames WHERE environment_id = 'kept' AND ts::date = ${date}::date`
          yield* sql`DELETE FROM stray_days WHERE day::date = ${date}::date`
        })
      yield* deleteDay(1)
      yield* rowsOf(2, false)
      yield* rowsOf(2, true)
      yield* sql`DELETE FROM pose_frames WHERE environment_id = 'kept' AND ts < to_timestamp(${
        startMs / 1000 + 60
      }::float8)`
      yield* rowsOf(1, false)
    })))
})

/** Frames of a second environment, at other moments and of other persons; of a third, which ends early. */
const elsewhere = Array.from({ length: 300 }, (_, i) => ({
  ...frameAt(i + 3),
  environmentId: "attic",
  frameId: i,
  timestampMs: startMs + 40_000 + i * 700,
}))
const early = Array.from({ length: 50 }, (_, i) => ({ ...frameAt(i + 20), environmentId: "cellar", frameId: i }))
const everywhere = [...stored, ...elsewhere, ...early]

await onEachDatabase("summaries of frames of all environments", ({ run }) => {
  it("say what the frames of each say", () =>
    run(Effect.gen(function* () {
      yield* storeFrames(stored)
      yield* storeFrames(elsewhere)
      yield* storeFrames(early)
      const { ask } = yield* FrameSummaries
      for (const asked of fc.sample(anyRequest, { seed: 5, numRuns: 60 })) {
        const { next, rows } = yield* ask({ ...asked, environmentId: null })
        expect(rows).toEqual(expectedRows(asked, everywhere))
        expect(next).toBe(null)
      }
    })), 20_000)

  it.each<[Stretch, FrameFilter]>([
    ["frame", open],
    ["frame", { ...open, personsMin: 1 }],
    ["minute", open],
    ["minute", { ...open, personsMin: 1 }],
    ["hour", open],
  ])(
    "go on where they were cut, by the %s with %j, also in the middle of a time",
    (stretch, filter) =>
      run(Effect.gen(function* () {
        const { ask } = yield* FrameSummaries
        const all = request({ environmentId: null, stretch, filter, fromMs: startMs + 12_345 })
        const rows: Array<SummaryRow> = []
        let after: FramePosition | null = null
        for (let page = 0; page < 1000; page++) {
          const answer: SummaryAnswer = yield* ask({ ...all, limit: stretch === "frame" ? 7 : 2, after })
          rows.push(...answer.rows)
          after = answer.next
          if (after === null) break
        }
        expect(rows).toEqual(expectedRows(all, everywhere))
      })),
  )

  it("count the falls of each", () =>
    run(Effect.gen(function* () {
      const { ask } = yield* FrameSummaries
      yield* (yield* EventStore).append(["attic", "attic", "living-room"].map((environmentId, n) => ({
        ...incidentEvent(`00000000-0000-7000-8000-00000000001${n}`, "open", 1),
        timestampMs: startMs + 100_000,
        environmentId,
      })))
      const { rows } = yield* ask(
        request({ environmentId: null, stretch: "week", falls: true, fromMs: startMs + 60_000 }),
      )
      expect(rows.map(({ environmentId, falls }) => [environmentId, falls])).toEqual([["attic", 2], ["living-room", 1]])
    })))

  it("are remembered as long as nothing has changed in any of them, and no other has begun", () =>
    run(Effect.gen(function* () {
      const { ask } = yield* FrameSummaries
      const past = request({ environmentId: null, stretch: "hour", fromMs: startMs + 1, toMs: startMs + 200_001 })
      const first = yield* ask(past)
      expect((yield* ask(past)).cacheHit).toBe(true)
      yield* storeFrames([400, 401, 402].map(frameAt))
      expect((yield* ask(past)).cacheHit).toBe(true)
      yield* storeFrames([{ ...frameAt(100), environmentId: "cellar", frameId: 50 }])
      const grown = yield* ask(past)
      expect(grown.cacheHit).toBe(false)
      const frames = (rows: ReadonlyArray<SummaryRow>) => rows.reduce((sum, row) => sum + row.frames, 0)
      expect(frames(grown.rows)).toBe(frames(first.rows) + 1)
      yield* storeFrames([{ ...frameAt(100), environmentId: "shed", frameId: 1 }])
      const another = yield* ask(past)
      expect([another.cacheHit, frames(another.rows)]).toEqual([false, frames(first.rows) + 2])
    })))
})
