/**
 * Queries without an environment cover the active ones; a query that names an environment is answered, active or not.
 */
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { FrameStore } from "../../../../actors/store/frames/frames.ts"
import type { StartedWith } from "../../../../actors/store/sensing/node-sources.ts"
import { TrackStore } from "../../../../actors/store/tracks/tracks.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { Origin } from "../../../../protocols/domain/site.ts"
import { Analytics, type AnalyticsScope, type EventFilter } from "../../../../protocols/ports/analytics.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { FrameHistory } from "../../../../protocols/ports/frame-history.ts"
import { FrameSummaries, type Stretch } from "../../../../protocols/ports/frame-summaries.ts"
import { TrackHistory } from "../../../../protocols/ports/track-history.ts"
import { nodeStores } from "../../../harness/node-stores.ts"
import { incidentEvent } from "../../../harness/events.ts"
import { archivedOf, testFrame, testPerson } from "../../../harness/frames.ts"
import { useStores } from "../../../harness/stores.ts"

const startMs = Date.UTC(2026, 0, 5, 9)
const minuteMs = 60_000
const range = { fromMs: startMs, toMs: startMs + 10 * minuteMs }
const noPersonFilter = { personId: null, minConfidence: 0 }
const anyEvent: EventFilter = { types: null, severity: null, alerted: false, before: null, limit: 10 }
const openFilter = { personsMin: null, personsMax: null, confidenceMin: null, activities: [] }

const origins: ReadonlyArray<readonly [string, Origin]> = [
  ["bedroom", { source: "simulated", name: "home" }],
  ["flat", { source: "live", name: "/sites/flat.json" }],
  ["hall", { source: "simulated", name: "small-room" }],
  ["replay", { source: "replay", name: "/a.csv" }],
]
const trackIdOf = (index: number) => 900 + index

/** A frame with a person, the person's track and an event of each environment. */
const storeHistory = Effect.gen(function* () {
  for (const [index, [environmentId, origin]] of origins.entries()) {
    yield* (yield* Directory).enrol({ environmentId, name: environmentId, geometry: null }, [], origin)
    const persons = [testPerson(trackIdOf(index), "walking")]
    yield* (yield* FrameStore).append(
      environmentId,
      archivedOf(testFrame(environmentId, 1, startMs + 100, { persons })),
    )
    yield* (yield* TrackStore).append(environmentId, [{
      trackId: trackIdOf(index),
      status: "ended",
      firstSeenMs: startMs + 100,
      lastSeenMs: startMs + 5_000,
      frames: 1,
      confidence: 0.9,
      distanceM: 4,
      movingS: 4,
      stationaryS: 0,
      source: origin.source,
    }])
    const eventId = `00000000-0000-7000-8000-00000000000${index}`
    yield* (yield* EventStore).append([
      incidentEvent(eventId, "open", 1, { environmentId, timestampMs: startMs + 100 }),
    ])
  }
})

const summaryOf = (scope: AnalyticsScope, stretch: Stretch) =>
  Effect.gen(function* () {
    const summaries = yield* FrameSummaries
    const answer = yield* summaries.ask({ ...scope, filter: openFilter, stretch, falls: false, limit: 10, after: null })
    return answer.rows.map(({ environmentId }) => environmentId)
  })

/** The environments that a query covers: all queries have to agree. */
const coveredBy = (environmentId: string | null) =>
  Effect.gen(function* () {
    const history = yield* FrameHistory
    const analytics = yield* Analytics
    const tracks = yield* TrackHistory
    const scope = { ...range, environmentId }
    const asked = { range: scope, filter: noPersonFilter, limit: 10 }
    const page = yield* history.frames({ ...asked, newestFirst: false, after: null, counted: true })
    const covered = page.frames.map((frame) => frame.environmentId)
    const persons = yield* history.persons({ ...asked, offset: 0 })
    expect(persons.entries.map(({ frame }) => frame.environmentId)).toEqual(covered)
    for (const stretch of ["frame", "minute", "hour"] as const) {
      expect(yield* summaryOf(scope, stretch)).toEqual(covered)
    }
    expect((yield* analytics.sums(scope)).map((sums) => sums.environmentId)).toEqual(covered)
    const events = (yield* analytics.events(scope, anyEvent))!
    expect(events.map((event) => event.environmentId).toSorted()).toEqual(covered)
    const counts = [
      page.total!.count,
      persons.total.count,
      (yield* analytics.movement(scope)).tracks,
      (yield* analytics.eventCounts(scope)).falls,
      (yield* analytics.incidents(scope, "fall_detection", 10)).count,
      (yield* analytics.peak(scope))?.persons ?? 0,
    ]
    expect(counts).toEqual(counts.map(() => covered.length))
    expect(yield* history.has(scope)).toBe(covered.length > 0)
    const found = yield* Effect.forEach(
      origins,
      ([id], index) => Effect.map(tracks.track(trackIdOf(index), environmentId), (track) => track === null ? [] : [id]),
    )
    expect(found.flat()).toEqual(covered)
    return covered
  })

describe("active environments on the embedded database", () => {
  const { database, run } = useStores(({ location }) => layerStores(location))
  beforeAll(() => run(storeHistory))

  const node = (startedWith: Partial<StartedWith>) => nodeStores(database(), startedWith)

  it("a store without a node covers all environments", async () => {
    expect(await run(coveredBy(null))).toEqual(["bedroom", "flat", "hall", "replay"])
  })

  it("a node covers the environments of its source, and an inactive one that the query names", async () => {
    const waiting = node({})
    expect(await waiting.runPromise(coveredBy(null))).toEqual(["flat"])
    expect(await waiting.runPromise(coveredBy("hall"))).toEqual(["hall"])
    await waiting.dispose()
  })

  it("all nodes cover what any running node was started with, also where an answer was remembered", async () => {
    const waiting = node({})
    expect(await waiting.runPromise(coveredBy(null))).toEqual(["flat"])
    const simulating = node({ source: "simulated", environmentIds: ["bedroom"] })
    expect(await simulating.runPromise(coveredBy(null))).toEqual(["bedroom", "flat"])
    expect(await waiting.runPromise(coveredBy(null))).toEqual(["bedroom", "flat"])
    await simulating.dispose()
    expect(await waiting.runPromise(coveredBy(null))).toEqual(["flat"])
    await waiting.dispose()
  })
})
