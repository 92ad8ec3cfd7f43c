import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Draft } from "../../../actors/environment/made-frame.ts"
import { Publication } from "../../../actors/environment/publication.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { defaultPrivacy } from "../../../protocols/domain/configuration.ts"
import { summaryOf } from "../../../protocols/domain/frame-summary.ts"
import { decodePoseFrame, encodePoseFrame } from "../../../protocols/grpc/pose-frame.ts"
import type { ArchivedFrame } from "../../../protocols/messages/archive.ts"
import { testPerson } from "../../harness/frames.ts"
import { noVitals } from "../../harness/vitals.ts"

const draft = (timestampMs: number): Draft => ({
  environmentId: "home",
  timestampMs,
  processingTimeMs: 1,
  persons: [],
  routerCount: 1,
  signalQuality: null,
  processingPipeline: "motion-statistic",
  processingMode: "streaming",
  presence: { present: null, confidence: 0, reason: "not enough data yet" },
  motion: null,
  vitals: noVitals,
  capabilities: ["presence"],
  personsReason: "no geometry",
  view: null,
  provenance: { source: "simulated", calibrated: false, modelVersion: "motion-statistic", linksUsed: 1 },
})

type State = "works" | "fails" | "breaks" | "hangs" | "writes without an answer"

/** A publication over an archive that can be made to fail, and the times of the frames that are stored and shown. */
const run = <A>(
  use: (site: {
    readonly publication: Publication
    readonly add: (...timesMs: ReadonlyArray<number>) => void
    readonly stored: ReadonlyArray<ArchivedFrame>
    readonly shown: ReadonlyArray<number>
    /** The ids of each append. */
    readonly appends: ReadonlyArray<ReadonlyArray<number>>
    readonly set: (state: State) => void
    readonly anonymise: () => void
    /** Another activation claims the environment, and stores frames. */
    readonly supersede: (...frames: ReadonlyArray<ArchivedFrame>) => void
  }) => Effect.Effect<A>,
) => {
  const stored: Array<ArchivedFrame> = []
  const shown: Array<number> = []
  const appends: Array<ReadonlyArray<number>> = []
  let state: State = "works"
  let generation = 0
  let privacy = defaultPrivacy
  const archive = {
    Append: ({ frames }: { readonly frames: ReadonlyArray<ArchivedFrame> }) =>
      Effect.suspend(() => {
        if (state === "fails") return Effect.fail(new StoreUnavailable({ message: "The database failed." }))
        if (state === "breaks") return Effect.die(new TypeError("the archive broke"))
        if (state === "hangs") return Effect.never
        appends.push(frames.map(({ frameId }) => frameId))
        const newest = stored.at(-1)?.frameId ?? 0
        const fresh = frames.filter((frame) => frame.generation >= generation && frame.frameId > newest)
        stored.push(...fresh)
        if (fresh.length < frames.length) return Effect.succeed({ stored: false })
        return state === "works" ? Effect.succeed({ stored: true }) : Effect.never
      }),
    Newest: () => Effect.sync(() => stored.at(-1) ?? null),
    Claim: () =>
      Effect.suspend(() => {
        if (state === "fails") return Effect.fail(new StoreUnavailable({ message: "The database failed." }))
        if (state === "hangs") return Effect.never
        return Effect.succeed({ generation: ++generation, newest: stored.at(-1) ?? null })
      }),
  }
  return Effect.gen(function* () {
    const publication = yield* Publication.start(archive as never, Effect.sync(() => privacy))
    const add = (...timesMs: ReadonlyArray<number>) => {
      for (const timeMs of timesMs) publication.add(draft(timeMs), Effect.sync(() => void shown.push(timeMs)))
    }
    return yield* use({
      publication,
      add,
      stored,
      shown,
      appends,
      set: (wanted) => void (state = wanted),
      supersede: (...frames) => {
        generation++
        stored.push(...frames)
      },
      anonymise: () => void (privacy = { ...defaultPrivacy, anonymizeData: true }),
    })
  }).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise)
}

/** A frame that another activation has stored. */
const archived = (frameId: number, timestampMs: number): ArchivedFrame => {
  const frame = { ...draft(timestampMs), frameId }
  return { frameId, generation: 2, timestampMs, summary: summaryOf(frame), body: encodePoseFrame(frame) }
}

const times = (frames: ReadonlyArray<ArchivedFrame>) => frames.map(({ frameId, timestampMs }) => [frameId, timestampMs])

describe("publication", () => {
  it("stores and publishes frames in order", () =>
    run(({ add, publication, shown, stored }) =>
      Effect.gen(function* () {
        add(100, 200)
        yield* publication.publish
        expect(times(stored)).toEqual([[1, 100], [2, 200]])
        expect(shown).toEqual([100, 200])
        expect(decodePoseFrame(publication.newest!.bytes)).toMatchObject({ frameId: 2, timestampMs: 200 })
        expect(publication.storeFailure).toBeNull()
      })
    ))

  it("stores the frames that wait together, 32 at most", () =>
    run(({ add, appends, publication, shown }) =>
      Effect.gen(function* () {
        const all = Array.from({ length: 40 }, (_, i) => i + 1)
        add(...all)
        yield* publication.publish
        expect(appends).toEqual([all.slice(0, 32), all.slice(32)])
        expect(shown).toEqual(all)
      })
    ))

  it("tries frames again with no others when it does not know whether they are stored", () =>
    run(({ add, appends, publication, set, shown, stored }) =>
      Effect.gen(function* () {
        set("writes without an answer")
        add(100, 200)
        const publishing = yield* Effect.forkChild(publication.publish)
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.join(publishing)
        set("works")
        add(300, 400)
        yield* publication.publish
        expect(appends).toEqual([[1, 2], [1, 2], [3, 4]])
        expect(times(stored)).toEqual([[1, 100], [2, 200], [3, 300], [4, 400]])
        expect(shown).toEqual([100, 200, 300, 400])
      })
    ))

  it.each(["fails", "breaks"] as const)(
    "keeps frames of a store that %s, and publishes them before newer ones without a gap",
    (state) =>
      run(({ add, publication, set, shown, stored }) =>
        Effect.gen(function* () {
          set(state)
          add(100, 200)
          yield* publication.publish
          expect([stored, shown]).toEqual([[], []])
          expect(publication.storeFailure).toContain("2 frames wait")
          set("works")
          add(300)
          yield* publication.publish
          expect(times(stored)).toEqual([[1, 100], [2, 200], [3, 300]])
          expect(shown).toEqual([100, 200, 300])
          expect(publication.storeFailure).toBeNull()
        })
      ),
  )

  it("publishes them when the store is back, though no newer frame comes", () =>
    run(({ add, publication, set, shown }) =>
      Effect.gen(function* () {
        set("fails")
        add(100)
        yield* publication.publish
        yield* TestClock.adjust("3 seconds")
        expect(shown).toEqual([])
        set("works")
        yield* TestClock.adjust("1 second")
        expect(shown).toEqual([100])
      })
    ))

  it("drops the oldest beyond 100, and reports it", () =>
    run(({ add, publication, set, stored }) =>
      Effect.gen(function* () {
        set("fails")
        add(...Array.from({ length: 103 }, (_, i) => i))
        yield* publication.publish
        expect(publication.storeFailure).toContain("100 frames wait, 3 were dropped")
        set("works")
        yield* publication.publish
        expect(times(stored)).toEqual(Array.from({ length: 100 }, (_, i) => [i + 1, i + 3]))
      })
    ))

  it("publishes a frame once that was written without an answer in time", () =>
    run(({ add, publication, set, shown, stored }) =>
      Effect.gen(function* () {
        set("writes without an answer")
        add(100)
        const publishing = yield* Effect.forkChild(publication.publish)
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.join(publishing)
        expect(shown).toEqual([])
        set("works")
        yield* TestClock.adjust("1 second")
        expect(times(stored)).toEqual([[1, 100]])
        expect(shown).toEqual([100])
      })
    ))

  it("is silent when another activation has claimed the environment, and claims it again if it still lives after five seconds", () =>
    run(({ add, publication, shown, stored, supersede }) =>
      Effect.gen(function* () {
        add(100)
        yield* publication.publish
        supersede({ ...stored[0]!, frameId: 2, timestampMs: 200 })
        add(200, 300)
        yield* publication.publish
        expect([times(stored), shown]).toEqual([[[1, 100], [2, 200]], [100]])
        expect(publication.storeFailure).toContain("Another node")
        yield* TestClock.adjust("4 seconds")
        add(400)
        yield* publication.publish
        expect(shown).toEqual([100])
        yield* TestClock.adjust("1 second")
        add(90, 500)
        yield* publication.publish
        expect(times(stored)).toEqual([[1, 100], [2, 200], [3, 500]])
        expect([shown, publication.storeFailure]).toEqual([[100, 500], null])
      })
    ))

  it("claims a superseded environment again in time although the clock was set back", () =>
    run(({ add, publication, shown, stored, supersede }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("2 hours")
        add(100)
        yield* publication.publish
        supersede({ ...stored[0]!, frameId: 2, timestampMs: 200 })
        add(200)
        yield* publication.publish
        yield* TestClock.setTime(0)
        yield* TestClock.adjust("5 seconds")
        add(500)
        yield* publication.publish
        expect(shown).toEqual([100, 500])
      })
    ))

  it.each(["fails", "hangs"] as const)(
    "keeps at most 100 frames while it cannot claim again because the store %s, and no hop waits for that",
    (state) =>
      run(({ add, publication, set, shown, stored, supersede }) =>
        Effect.gen(function* () {
          supersede(archived(1, 100))
          add(200)
          yield* publication.publish
          yield* TestClock.adjust("5 seconds")
          set(state)
          for (let hop = 0; hop < 103; hop++) {
            add(300 + hop)
            const publishing = yield* Effect.forkChild(publication.publish, { startImmediately: true })
            expect(publishing.pollUnsafe()).toBeDefined()
          }
          expect(publication.waiting).toBe(100)
          // The frame at 200 was dropped when the environment was superseded.
          yield* TestClock.adjust("2 seconds")
          expect(publication.storeFailure).toContain("100 frames wait, 4 were dropped")
          set("works")
          yield* TestClock.adjust("1 second")
          expect(times(stored)).toEqual([[1, 100], ...Array.from({ length: 100 }, (_, i) => [i + 2, i + 303])])
          expect([shown.length, publication.storeFailure]).toEqual([100, null])
        })
      ),
  )

  it("stores unlinkable frames while data are anonymised, and publishes them whole", () =>
    run(({ add, anonymise, publication, stored }) =>
      Effect.gen(function* () {
        anonymise()
        publication.add({ ...draft(100), persons: [testPerson(77, "walking"), testPerson(78, "lying")] }, Effect.void)
        yield* publication.publish
        expect(decodePoseFrame(publication.newest!.bytes).persons.map(({ id }) => id)).toEqual([77, 78])
        const { persons, vitals } = decodePoseFrame(stored[0]!.body)
        expect(persons.map(({ id }) => id)).toEqual([1, 2])
        expect(persons[0]!.location.x).toBeLessThanOrEqual(persons[1]!.location.x)
        expect(persons.flatMap(({ keypoints, keypoints3d }) => [...keypoints, ...keypoints3d])).toEqual([])
        expect(vitals.breathingReason).toContain("anonymised")
        expect(stored[0]!.summary).toMatchObject({ personCount: 2, activities: { walking: 1, lying: 1 } })
        add(200)
        yield* publication.publish
        expect(times(stored)).toEqual([[1, 100], [2, 200]])
      })
    ))

  it("publishes an anonymised frame once that was written without an answer in time", () =>
    run(({ anonymise, publication, set, shown, stored }) =>
      Effect.gen(function* () {
        anonymise()
        set("writes without an answer")
        publication.add({ ...draft(100), persons: [testPerson(77, "walking")] }, Effect.void)
        const publishing = yield* Effect.forkChild(publication.publish)
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.join(publishing)
        set("works")
        yield* TestClock.adjust("1 second")
        expect(publication.newest).toMatchObject({ timestampMs: 100 })
        expect([stored.length, shown.length]).toEqual([1, 0])
      })
    ))
})
