import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nextFrames } from "../../../../actors/store/frames/frame-rows.ts"
import { makeActiveReader } from "../../../../actors/store/sensing/active-environments.ts"
import { minuteSlicesOf } from "../../../../actors/store/history/minute-slices.ts"
import type { PoseFrame } from "../../../../protocols/domain/pose.ts"
import {
  FrameHistory,
  type FramePosition,
  type FrameRange,
  type FramesPage,
  type FramesRequest,
} from "../../../../protocols/ports/frame-history.ts"
import { onEachDatabase } from "../../../harness/history-store.ts"
import { frameWith, someone, storeFrames, storeTrack } from "../../../harness/stored-frames.ts"

const startMs = Date.UTC(2026, 0, 5, 9, 29, 50)
const everybody = { personId: null, minConfidence: 0 }

/** Persons come and go: none, one, two, three, of different certainty. */
const frameAt = (frameId: number, environmentId = "living-room"): PoseFrame =>
  frameWith(
    frameId,
    startMs + frameId * 100,
    [41, 42, 43].slice(0, Math.floor(frameId / 7) % 4).map((id) =>
      someone(id, { confidence: (id + frameId % 5 - 40) / 10 })
    ),
    { environmentId },
  )

const frames = (from: number, to: number, environmentId?: string) =>
  Array.from({ length: to - from }, (_, i) => frameAt(from + i, environmentId))

const within = ({ fromMs, toMs }: FrameRange) => ({ timestampMs }: PoseFrame) =>
  timestampMs >= (fromMs ?? -Infinity) && timestampMs < (toMs ?? Infinity)

const request = (over: Partial<FramesRequest> = {}): FramesRequest => ({
  range: { environmentId: "living-room", fromMs: null, toMs: null },
  filter: everybody,
  newestFirst: false,
  after: null,
  limit: 100,
  counted: true,
  ...over,
})

/** All frames of a walk, page by page; `meanwhile` is done between two pages. */
const walk = Effect.fnUntraced(function* (
  first: FramesRequest,
  meanwhile: (page: number) => Effect.Effect<void, unknown, SqlClient.SqlClient> = () => Effect.void,
) {
  const history = yield* FrameHistory
  const seen: Array<PoseFrame> = []
  let after: FramePosition | null = null
  for (let page = 0; page < 1000; page++) {
    const answer: FramesPage = yield* history.frames({ ...first, after })
    seen.push(...answer.frames)
    if (answer.next === null) return seen
    after = answer.next
    yield* meanwhile(page)
  }
  return yield* Effect.die("the walk does not end")
})

const moment = fc.option(fc.integer({ min: -20_000, max: 140_000 }).map((ms) => startMs + ms), { nil: null })
const range = fc.record({ environmentId: fc.constant("sums"), fromMs: moment, toMs: moment })
const summed = frames(0, 1300, "sums")

describe("minutes of a range", () => {
  it("with what is left at its ends make up the range", () => {
    const time = fc.integer({ min: 0, max: 400_000 })
    fc.assert(fc.property(time, time, (fromMs, toMs) => {
      const { after, before, minutes } = minuteSlicesOf({ fromMs, toMs })
      const parts = [before, minutes, after].filter((part) => part !== null)
      const lengthsMs = parts.map(({ fromMs, toMs }) => toMs! - fromMs!)
      expect(lengthsMs.reduce((a, b) => a + b, 0)).toBe(Math.max(0, toMs - fromMs))
      for (const [i, part] of parts.entries()) expect(part.fromMs).toBe(i === 0 ? fromMs : parts[i - 1]!.toMs)
      if (minutes !== null) expect([minutes.fromMs! % 60_000, minutes.toMs! % 60_000]).toEqual([0, 0])
      for (const end of [before, after]) if (end !== null) expect(end.toMs - end.fromMs).toBeLessThan(120_000)
    }))
  })
})

await onEachDatabase("the history of frames", ({ run }) => {
  it("has the frames of a range without persons as entries, page by page", () =>
    run(Effect.gen(function* () {
      const history = yield* FrameHistory
      const quiet = Array.from({ length: 25 }, (_, i) =>
        frameWith(i + 1, startMs + i * 100, [], { environmentId: "quiet" }))
      yield* storeFrames(quiet)
      const range: FrameRange = { environmentId: "quiet", fromMs: null, toMs: null }
      for (const offset of [0, 10, 20, 30]) {
        const page = yield* history.persons({ range, filter: everybody, offset, limit: 10 })
        expect(page.entries).toEqual(quiet.slice(offset, offset + 10).map((frame) => ({ frame, person: null })))
        expect([page.total.count, page.hasMore]).toEqual([25, offset + 10 < 25])
      }
      const far = { range, filter: everybody, offset: 0, limit: 10 }
      expect((yield* history.persons({ ...far, filter: { personId: 41, minConfidence: 0 } })).entries).toEqual([])
    })))

  it("has nothing of an environment without frames", () =>
    run(Effect.gen(function* () {
      const history = yield* FrameHistory
      const range: FrameRange = { environmentId: "nowhere", fromMs: null, toMs: null }
      expect(yield* history.available("nowhere")).toBe(null)
      expect(yield* history.has(range)).toBe(false)
      expect(yield* history.frames(request({ range }))).toEqual({
        frames: [],
        next: null,
        total: { count: 0, reason: null },
      })
      expect(yield* history.persons({ range, filter: everybody, offset: 0, limit: 5 })).toEqual({
        entries: [],
        hasMore: false,
        total: { count: 0, reason: null },
      })
    })))

  it("gives each frame once, and none is missing, while frames are written", () =>
    run(Effect.gen(function* () {
      yield* storeFrames(frames(1, 301))
      const seen = yield* walk(request({ limit: 37 }), (page) =>
        page < 10 ? storeFrames(frames(301 + 20 * page, 321 + 20 * page)) : Effect.void)
      expect(seen.map(({ frameId }) =>
        frameId
      )).toEqual(Array.from({ length: 500 }, (_, i) => i + 1))
      expect(seen[100]).toEqual(frameAt(101))
      const backwards = yield* walk(request({ limit: 37, newestFirst: true }), (page) =>
        page < 3 ? storeFrames(frames(501 + 20 * page, 521 + 20 * page)) : Effect.void)
      expect(backwards.map(({ frameId }) =>
        frameId
      )).toEqual(Array.from({ length: 500 }, (_, i) => 500 - i))
    })))

  it("finds where the frames after a frame id begin", () =>
    run(Effect.gen(function* () {
      const history = yield* FrameHistory
      const environmentId = "resumed"
      yield* storeFrames(frames(1, 41, environmentId))
      const point = (afterFrameId: number, framesMax = 100) =>
        history.resumePoint({ environmentId, afterFrameId, framesMax })
      const first = (frameId: number) => ({
        newestFrameId: 40,
        first: { timestampUs: frameAt(frameId).timestampMs * 1000, environmentId, frameId },
      })
      expect(yield* point(0)).toEqual(first(1))
      expect(yield* point(25)).toEqual(first(26))
      expect(yield* point(0, 10)).toEqual(first(31))
      expect(yield* point(40)).toEqual({ newestFrameId: 40, first: null })
      expect(yield* point(99)).toEqual({ newestFrameId: 40, first: null })
      expect(yield* history.resumePoint({ environmentId: "nowhere", afterFrameId: 1, framesMax: 9 })).toBe(null)
    })))

  it("walks through frames of the same moment, as a recording that is played again makes them", () =>
    run(Effect.gen(function* () {
      const twice = [0, 1, 2, 3, 4, 5].map((i) =>
        frameWith(i + 1, startMs + (i % 2) * 100, [], { environmentId: "again" })
      )
      yield* storeFrames(twice)
      const range = { environmentId: "again", fromMs: null, toMs: null }
      const seen = yield* walk(request({ range, limit: 1 }))
      expect(seen.map(({ frameId }) => frameId)).toEqual([1, 3, 5, 2, 4, 6])
    })))

  it("counts frames and persons of any range as they are", () =>
    run(Effect.gen(function* () {
      yield* storeFrames(summed)
      const history = yield* FrameHistory
      for (const asked of fc.sample(range, { seed: 5, numRuns: 25 })) {
        const inRange = summed.filter(within(asked))
        const page = yield* history.frames(request({ range: asked, limit: 1 }))
        expect(page.total).toEqual({ count: inRange.length, reason: null })
        const { total } = yield* history.persons({ range: asked, filter: everybody, offset: 0, limit: 1 })
        // The entries of a range without persons are its frames.
        const persons = inRange.reduce((sum, { persons }) => sum + persons.length, 0)
        expect(total.count).toBe(persons === 0 ? inRange.length : persons)
        expect(yield* history.has(asked)).toBe(inRange.length > 0)
      }
      expect(yield* history.available("sums")).toEqual({ firstMs: startMs, lastMs: startMs + 129_900 })
    })))

  it("numbers the pages of persons without a gap, with and without a filter", () =>
    run(Effect.gen(function* () {
      const history = yield* FrameHistory
      const asked = fc.record({
        range,
        filter: fc.record({
          personId: fc.constantFrom(null, 41, 43, 99),
          minConfidence: fc.constantFrom(0, 0, 0.35),
        }),
        limit: fc.integer({ min: 1, max: 400 }),
        page: fc.integer({ min: 0, max: 12 }),
      })
      for (const { filter, limit, page, range } of fc.sample(asked, { seed: 11, numRuns: 30 })) {
        const all = summed.filter(within(range)).flatMap((frame) =>
          frame.persons
            .filter(({ confidence, id }) =>
              confidence >= filter.minConfidence && (filter.personId === null || filter.personId === id)
            )
            .map((person) => ({ frameId: frame.frameId, id: person.id }))
        )
        const offset = page * limit
        const answer = yield* history.persons({ range, filter, offset, limit })
        expect(answer.entries.map(({ frame, person }) => ({ frameId: frame.frameId, id: person!.id }))).toEqual(
          all.slice(offset, offset + limit),
        )
        expect([answer.total.count, answer.hasMore]).toEqual([all.length, offset + limit < all.length])
      }
    })))

  it("finds the frames of a person, within the life of its track where that is known", () =>
    run(Effect.gen(function* () {
      const expected = summed.filter(({ persons }) => persons.some(({ id }) => id === 42))
      const range = { environmentId: "sums", fromMs: null, toMs: null }
      const filter = { personId: 42, minConfidence: 0 }
      const unknown = yield* walk(request({ range, filter, limit: 33 }))
      expect(unknown).toEqual(expected)
      yield* storeTrack({ environmentId: "sums", trackId: 42, firstMs: startMs + 10_000, lastMs: startMs + 20_000 })
      const inLife = expected.filter(({ timestampMs }) =>
        timestampMs >= startMs + 9_000 && timestampMs < startMs + 21_000
      )
      const known = yield* walk(request({ range, filter, limit: 33 }))
      expect(known).toEqual(inLife)
      const history = yield* FrameHistory
      expect((yield* history.frames(request({ range, filter }))).total).toEqual({ count: inLife.length, reason: null })
      const later = { ...range, fromMs: startMs + 60_000 }
      expect(yield* history.frames(request({ range: later, filter }))).toEqual({
        frames: [],
        next: null,
        total: { count: 0, reason: null },
      })
    })))

  it(
    "reads no more than a bound for a filter, says so, and still finds what is further",
    () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const history = yield* FrameHistory
        const range = { environmentId: "crowd", fromMs: null, toMs: null }
        yield* storeFrames([frameWith(1, startMs, [someone(1)], { environmentId: "crowd" })])
        yield* sql`
        INSERT INTO pose_frames
        SELECT environment_id, ts + id * interval '100 milliseconds', id + 1, person_count, confidence, walking, standing,
          sitting, lying, falling, unknown, processing_ms, source, key_id, body
        FROM pose_frames, generate_series(1, 10600) AS id WHERE environment_id = 'crowd'`
        yield* sql`UPDATE pose_minutes SET frames = 10601, person_frames = 10601 WHERE environment_id = 'crowd'`
        yield* storeFrames([frameWith(20_000, startMs + 2e6, [someone(2)], { environmentId: "crowd" })])
        const filter = { personId: 2, minConfidence: 0 }
        const first = yield* history.frames(request({ range, filter }))
        expect(first).toMatchObject({ frames: [], total: { count: null, reason: expect.stringContaining("10000") } })
        expect(first.next).not.toBe(null)
        const second = yield* history.frames(request({ range, filter, after: first.next, counted: false }))
        expect(second.frames.map(({ frameId }) => frameId)).toEqual([20_000])
        expect([second.next, second.total]).toEqual([null, null])
        const far = yield* Effect.flip(history.persons({ range, filter, offset: 0, limit: 10 }))
        expect(far).toMatchObject({ _tag: "TooManyFrames", framesMax: 10_000 })
        const near = yield* history.persons({ range, filter: { personId: 1, minConfidence: 0 }, offset: 20, limit: 10 })
        expect([near.entries.length, near.hasMore, near.total.count]).toEqual([10, true, null])
      })),
    20_000,
  )

  it("leaves out a frame whose bytes are none", () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* storeFrames(
        [1, 2, 3].map((id) => frameWith(id, startMs + id * 100, [someone(5)], { environmentId: "bad" })),
      )
      yield* sql`UPDATE pose_frames SET body = ${Uint8Array.of(255, 255)} WHERE environment_id = 'bad' AND frame_id = 2`
      const range = { environmentId: "bad", fromMs: null, toMs: null }
      expect((yield* walk(request({ range }))).map(({ frameId }) => frameId)).toEqual([1, 3])
      const filter = { personId: 5, minConfidence: 0 }
      expect((yield* walk(request({ range, filter }))).map(({ frameId }) => frameId)).toEqual([1, 3])
    })))
})

/** Frames of three environments: two at the same moments, whose ids differ, and one that begins later. */
const others = frames(0, 1300, "sums").map((frame) => ({
  ...frame,
  environmentId: "attic",
  frameId: frame.frameId + 5000,
}))
const late = frames(700, 900, "hall").map((frame) => ({ ...frame, timestampMs: frame.timestampMs + 33 }))
const inOrder = (a: PoseFrame, b: PoseFrame) =>
  a.timestampMs - b.timestampMs || (a.environmentId < b.environmentId ? -1 : 1)
const everywhere = [...summed, ...others, ...late].sort(inOrder)

await onEachDatabase("the history of frames of all environments", ({ run }) => {
  const all: FrameRange = { environmentId: null, fromMs: null, toMs: null }

  it("has nothing while no environment has a frame", () =>
    run(Effect.gen(function* () {
      const history = yield* FrameHistory
      expect(yield* history.available(null)).toBe(null)
      expect(yield* history.has(all)).toBe(false)
      expect((yield* history.frames(request({ range: all }))).total).toEqual({ count: 0, reason: null })
    })))

  it(
    "gives each frame of each once, in the order of their times, oldest or newest first, while frames are written",
    () =>
      run(Effect.gen(function* () {
        for (const stored of [summed, others, late]) yield* storeFrames(stored)
        const seen = yield* walk(request({ range: all, limit: 97 }))
        expect(seen.length).toBe(everywhere.length)
        expect(seen.map(({ environmentId, frameId }) => `${environmentId} ${frameId}`)).toEqual(
          everywhere.map(({ environmentId, frameId }) => `${environmentId} ${frameId}`),
        )
        expect(seen[100]).toEqual(everywhere[100])
        const backwards = yield* walk(
          request({ range: all, limit: 97, newestFirst: true }),
          (page) => page < 3 ? storeFrames(frames(1300 + 20 * page, 1320 + 20 * page, "sums")) : Effect.void,
        )
        expect(backwards).toEqual(everywhere.toReversed())
        // Without the frames that were written meanwhile.
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM pose_minutes WHERE environment_id = 'sums'`
        yield* sql`DELETE FROM pose_frames WHERE environment_id = 'sums'`
        yield* storeFrames(summed)
      })),
    30_000,
  )

  it("counts the frames of a range, and says of what time there are some", () =>
    run(Effect.gen(function* () {
      const history = yield* FrameHistory
      for (const { fromMs, toMs } of fc.sample(range, { seed: 13, numRuns: 30 })) {
        const asked = { environmentId: null, fromMs, toMs }
        const inRange = everywhere.filter(within(asked))
        const { total } = yield* history.frames(request({ range: asked, limit: 1 }))
        expect(total).toEqual({ count: inRange.length, reason: null })
        expect(yield* history.has(asked)).toBe(inRange.length > 0)
      }
      expect(yield* history.available(null)).toEqual({ firstMs: startMs, lastMs: startMs + 129_900 })
    })))

  it("numbers the pages of persons without a gap, with and without a filter", () =>
    run(Effect.gen(function* () {
      const history = yield* FrameHistory
      const asked = fc.record({
        range,
        filter: fc.record({ personId: fc.constantFrom(null, 41, 99), minConfidence: fc.constantFrom(0, 0, 0.35) }),
        limit: fc.integer({ min: 1, max: 700 }),
        page: fc.integer({ min: 0, max: 8 }),
      })
      for (const { filter, limit, page, range: { fromMs, toMs } } of fc.sample(asked, { seed: 17, numRuns: 25 })) {
        const asked = { environmentId: null, fromMs, toMs }
        const persons = everywhere.filter(within(asked)).flatMap((frame) =>
          frame.persons
            .filter(({ confidence, id }) =>
              confidence >= filter.minConfidence && (filter.personId === null || filter.personId === id)
            )
            .map((person) => `${frame.environmentId} ${frame.frameId} ${person.id}`)
        )
        const offset = page * limit
        const answer = yield* history.persons({ range: asked, filter, offset, limit })
        expect(answer.entries.map(({ frame, person }) => `${frame.environmentId} ${frame.frameId} ${person!.id}`))
          .toEqual(persons.slice(offset, offset + limit))
        expect([answer.total.count, answer.hasMore]).toEqual([persons.length, offset + limit < persons.length])
      }
    })), 30_000)

  it("looks for a person in the environment of its track alone, where that is known", () =>
    run(Effect.gen(function* () {
      const filter = { personId: 42, minConfidence: 0 }
      const anywhere = yield* walk(request({ range: all, filter, limit: 333 }))
      expect(new Set(anywhere.map(({ environmentId }) => environmentId))).toEqual(new Set(["attic", "hall", "sums"]))
      yield* storeTrack({ environmentId: "attic", trackId: 42, firstMs: startMs + 10_000, lastMs: startMs + 20_000 })
      const known = yield* walk(request({ range: all, filter, limit: 33 }))
      expect(known.length).toBeGreaterThan(0)
      expect(new Set(known.map(({ environmentId }) => environmentId))).toEqual(new Set(["attic"]))
    })))

  it("finds pages by the primary keys, not by reading partitions whole", () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ANALYZE pose_frames`
      const after = { timestampUs: (startMs + 60_000) * 1000, environmentId: "attic", frameId: 5600 }
      const next = nextFrames(
        yield* makeActiveReader,
        { range: all, after, newestFirst: true, limit: 5, peopled: false },
        "ts, environment_id, frame_id, key_id, body",
      )
      const plan = yield* sql<{ "QUERY PLAN": string }>`EXPLAIN ${next}`
      const text = plan.map((row) => row["QUERY PLAN"]).join("\n")
      expect(text).toMatch(/Index (Only )?Scan.* on pose_frames/)
      expect(text).not.toMatch(/Seq Scan on pose_frames_/)
    })))
})
