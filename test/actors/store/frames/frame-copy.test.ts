/** Batches of frames that are copied: the same rows as inserted ones, each once, whatever becomes of the COPY. */
import { Effect, type Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FrameStore } from "../../../../actors/store/frames/frames.ts"
import { dayMs } from "../../../../core/analytics/calendar.ts"
import { dayOf, partitionName } from "../../../../actors/store/sql/partitions.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { defaultPrivacy, type PrivacySettings } from "../../../../protocols/domain/configuration.ts"
import { activities } from "../../../../protocols/domain/frame-summary.ts"
import type { Activity } from "../../../../protocols/domain/pose.ts"
import { Source } from "../../../../protocols/domain/provenance.ts"
import type { ArchivedFrame } from "../../../../protocols/messages/archive.ts"
import { type DatabaseLink, type Link, linkTo } from "../../../harness/database-link.ts"
import { archivedOf, testFrame, testPerson } from "../../../harness/frames.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../../../harness/postgres.ts"

type Stores = Layer.Success<ReturnType<typeof layerStores>>

/** More than a batch must have to be copied. */
const many = 200

const nowMs = dayOf(Date.now()) * dayMs

const frameOf = (environmentId: string, frameId: number, timestampMs = nowMs + 100 * frameId): ArchivedFrame =>
  archivedOf(testFrame(environmentId, frameId, timestampMs, { persons: [testPerson(1, "walking", frameId)] }))

const framesOf = (environmentId: string, from = 1, count = many) =>
  Array.from({ length: count }, (_, i) => frameOf(environmentId, from + i))

const appendAll = (environmentId: string, frames: ReadonlyArray<ArchivedFrame>) =>
  Effect.flatMap(
    FrameStore,
    (store) => Effect.forEach(frames, (frame) => store.append(environmentId, frame), { concurrency: "unbounded" }),
  )

/** In batches that are too small to be copied. */
const appendFew = (environmentId: string, frames: ReadonlyArray<ArchivedFrame>) =>
  Effect.flatMap(
    FrameStore,
    (store) => Effect.forEach(frames, (frame) => store.append(environmentId, frame), { concurrency: 16 }),
  )

/** What is stored of an environment, without its name. */
const rowsOf = (environmentId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const table = (columns: string, name: string, order: string) =>
      Effect.map(
        sql`SELECT ${sql.literal(columns)} FROM ${sql(name)} WHERE environment_id = ${environmentId}
          ORDER BY ${sql.literal(order)}`,
        (rows) => rows.map(({ environment_id: _, ...row }) => row as Readonly<Record<string, unknown>>),
      )
    return {
      frames: yield* table("*, tableoid::regclass::text AS partition", "pose_frames", "frame_id"),
      minutes: yield* table("*", "pose_minutes", "minute"),
      spans: yield* table("*", "pose_spans", "width_s, span"),
    }
  })

/** Sums of fractions depend on their order in the last digits. */
const close = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  rows.map(({ confidence_sum, motion_sum, processing_ms_sum, ...row }) => ({
    ...row,
    confidence_sum: expect.closeTo(confidence_sum as number, 6),
    ...(motion_sum === undefined ? {} : { motion_sum: expect.closeTo(motion_sum as number, 6) }),
    processing_ms_sum: expect.closeTo(processing_ms_sum as number, 6),
  }))

const summary = fc.record({
  persons: fc.array(fc.constantFrom<Activity>(...activities), { maxLength: 6 }),
  isCounted: fc.boolean(),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }).filter((value) => value === 0 || value > 1e-30),
  present: fc.constantFrom(true, false, null),
  motion: fc.option(fc.double({ min: 0, max: 1, noNaN: true }).filter((value) => value === 0 || value > 1e-30)),
  processingMs: fc.double({ min: 0.001, max: 1_000, noNaN: true }),
  source: fc.constantFrom<Source>(...Source.literals),
})

const anyFrame = fc.record({
  summary,
  offsetUs: fc.integer({ min: 0, max: 200_000_000 }),
  body: fc.uint8Array({ maxLength: 3_000, size: "max" }),
}).map((
  { body, offsetUs, summary: { confidence, isCounted, motion, persons, present, processingMs, source } },
): Omit<ArchivedFrame, "frameId"> => ({
  generation: 0,
  timestampMs: nowMs + offsetUs / 1_000,
  summary: {
    personCount: persons.length === 0 && !isCounted ? null : persons.length,
    confidence: persons.length === 0 ? null : confidence,
    activities: Object.fromEntries(
      activities.map((activity) => [activity, persons.filter((one) => one === activity).length]),
    ) as Record<Activity, number>,
    present,
    motion,
    processingMs,
    source,
  },
  body,
}))

const all = (count: number, answer: boolean) => Array.from({ length: count }, () => answer)

describe.skipIf(!await hasPostgres())("frames that are copied", () => {
  let postgres: TestPostgres
  let link: DatabaseLink
  let runtime: ManagedRuntime.ManagedRuntime<Stores, unknown>
  /** What a test does to connections. */
  let onSent: (link: Link, bytes: Buffer) => void = () => {}
  let privacy: PrivacySettings = defaultPrivacy
  const folder = mkdtempSync(join(tmpdir(), "wavepose-copy-"))
  const run = <A, E>(effect: Effect.Effect<A, E, Stores>) => runtime.runPromise(effect)
  const copies = () => link.links.reduce((sum, { copies }) => sum + copies, 0)

  beforeAll(async () => {
    postgres = (await startPostgres())!
    link = await linkTo(postgres.url, { onSent: (link, bytes) => onSent(link, bytes) })
    runtime = ManagedRuntime.make(layerStores({ url: link.url }, {
      keys: { given: [], file: join(folder, "keys"), mayMake: true },
      privacy: Effect.sync(() => privacy),
    }))
    await run(Effect.void)
  }, 60_000)
  afterAll(async () => {
    await runtime.dispose()
    await link.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("are stored, and added up, as they are when they are inserted", () =>
    run(Effect.gen(function* () {
      // In the order of time, as ids are.
      const frames = fc.sample(anyFrame, { seed: 3, numRuns: many })
        .toSorted((a, b) => a.timestampMs - b.timestampMs).map((frame, i) => ({ ...frame, frameId: i + 1 }))
      const before = copies()
      expect(yield* appendFew("inserted", frames)).toEqual(all(many, true))
      expect(copies()).toBe(before)
      expect(yield* appendAll("copied", frames)).toEqual(all(many, true))
      expect(copies()).toBe(before + 1)
      const inserted = yield* rowsOf("inserted")
      const copied = yield* rowsOf("copied")
      expect(inserted.frames).toHaveLength(many)
      expect(inserted.minutes.length).toBeGreaterThan(2)
      expect(copied.frames).toEqual(inserted.frames)
      expect(copied.minutes).toEqual(close(inserted.minutes))
      expect(copied.spans).toEqual(close(inserted.spans))
      expect(yield* (yield* FrameStore).newest("copied")).toMatchObject({ frameId: many, body: frames.at(-1)!.body })
    })))

  it("are stored once when some of a batch are there already", () =>
    run(Effect.gen(function* () {
      const frames = framesOf("known", 1, 2 * many)
      expect(yield* appendAll("known", frames.slice(0, many))).toEqual(all(many, true))
      const before = copies()
      expect(yield* appendAll("known", [...frames, ...frames.slice(0, 3)])).toEqual([
        ...all(many, false),
        ...all(many, true),
        ...all(3, false),
      ])
      expect(copies()).toBe(before)
      const rows = yield* rowsOf("known")
      expect(rows.frames.map((row) => Number(row["frame_id"]))).toEqual(frames.map(({ frameId }) => frameId))
      expect(rows.minutes.reduce((sum, row) => sum + Number(row["frames"]), 0)).toBe(2 * many)
      // What comes after is copied again.
      expect(yield* appendAll("known", framesOf("known", 2 * many + 1))).toEqual(all(many, true))
      expect(copies()).toBe(before + 1)
    })))

  it("go to the partitions of their days", () =>
    run(Effect.gen(function* () {
      const before = copies()
      const midnightMs = nowMs + dayMs
      const frames = Array.from(
        { length: many },
        (_, i) => frameOf("midnight", i + 1, midnightMs + 100 * (i - many / 2)),
      )
      expect(yield* appendAll("midnight", frames)).toEqual(all(many, true))
      expect(copies()).toBe(before + 1)
      const { frames: rows } = yield* rowsOf("midnight")
      const day = dayOf(nowMs)
      expect(rows.map((row) => row["partition"])).toEqual(
        frames.map((_, i) => partitionName(i < many / 2 ? day : day + 1)),
      )
    })))

  it("are sealed before", async () => {
    privacy = { ...defaultPrivacy, enableEncryption: true }
    const before = copies()
    const frames = framesOf("sealed")
    await run(Effect.gen(function* () {
      expect(yield* appendAll("sealed", frames)).toEqual(all(many, true))
      expect(copies()).toBe(before + 1)
      const { frames: rows } = yield* rowsOf("sealed")
      expect(rows.every((row) => row["key_id"] !== null)).toBe(true)
      expect((rows[0]!["body"] as Uint8Array).length).toBeGreaterThan(frames[0]!.body.length)
      expect(yield* (yield* FrameStore).newest("sealed")).toMatchObject({ body: frames.at(-1)!.body })
    }))
    privacy = defaultPrivacy
  })

  it("are inserted when the connection dies in the middle of a COPY", () =>
    run(Effect.gen(function* () {
      let cut = 0
      onSent = (link) => {
        if (link.copiedBytes < 200_000) return
        cut++
        onSent = () => {}
        link.cut()
      }
      // A connection that has copied before counts what it has copied.
      for (const one of link.links) one.copiedBytes = 0
      expect(yield* appendAll("cut", framesOf("cut"))).toEqual(all(many, true))
      expect(cut).toBe(1)
      const rows = yield* rowsOf("cut")
      expect(rows.frames).toHaveLength(many)
      expect(rows.minutes.reduce((sum, row) => sum + Number(row["frames"]), 0)).toBe(many)
      // The next batch has a connection of its own again.
      const before = copies()
      expect(yield* appendAll("cut", framesOf("cut", many + 1))).toEqual(all(many, true))
      expect(copies()).toBe(before + 1)
    })))

  it("fail when it is the commit that is cut off, and are stored once by the next try", () =>
    run(Effect.gen(function* () {
      const frames = framesOf("uncommitted")
      onSent = (link, bytes) => {
        if (link.copies > 0 && link.copiedBytes > 200_000 && bytes.length < 200) {
          onSent = () => {}
          link.cut()
        }
      }
      for (const one of link.links) one.copiedBytes = 0
      const failed = yield* Effect.flip(appendAll("uncommitted", frames))
      expect(failed).toMatchObject({ _tag: "StoreUnavailable" })
      const answers = yield* appendAll("uncommitted", frames)
      const rows = yield* rowsOf("uncommitted")
      expect(rows.frames).toHaveLength(many)
      expect(rows.minutes.reduce((sum, row) => sum + Number(row["frames"]), 0)).toBe(many)
      // A frame that the first try inserted before the rest was copied is known.
      expect(answers.filter((stored) => stored).length).toBeGreaterThanOrEqual(many - 1)
    })))

  it("are rejected with their whole batch if a value does not fit its column", () =>
    run(Effect.gen(function* () {
      const frames = framesOf("wide").map((frame, i) =>
        i === many - 1 ? { ...frame, summary: { ...frame.summary, personCount: 40_000 } } : frame
      )
      expect(yield* Effect.flip(appendAll("wide", frames))).toMatchObject({ _tag: "StoreUnavailable" })
      const { frames: rows } = yield* rowsOf("wide")
      expect(rows.some((row) => Number(row["person_count"]) > 6)).toBe(false)
    })))
})
