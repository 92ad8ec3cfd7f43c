/** The hand-over of an environment through the embedded database: visits of zones continue with the next activation, or end. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ActivityWatch } from "../../../actors/environment/activity-watch.ts"
import { makeSiteMemory } from "../../../actors/environment/site-memory.ts"
import { layerStores } from "../../../deploy/composition/service.ts"
import { defaultPrivacy } from "../../../protocols/domain/configuration.ts"
import type { ActivityEvent } from "../../../protocols/domain/event.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { samplesOf, standing } from "../../core/activity/movements.ts"
import { compute } from "../../harness/compute.ts"
import { heardOf, roomOf } from "../../harness/heard-room.ts"
import { useStores } from "../../harness/stores.ts"

const scenario = Effect.runSync(decodeScenario(smallRoom))
const [heard] = heardOf(scenario, 100_000, 1)
const hall = { zoneId: "hall", name: "hall", kind: "general", polygon: [[1, 2], [3, 2], [3, 4], [1, 4]] } as const
const provenance = { source: "replay", calibrated: true, modelVersion: "test", linksUsed: 3 } as const
const at = { sessionId: "one", frameId: 50, timestampMs: 5_000 }

const watchOf = () => new ActivityWatch({ environmentId: "home", zones: [hall] }, () => "an id")

/** A site in whose hall a person has been for five seconds. */
const visited = () => {
  const estimator = roomOf(scenario, null)
  compute(estimator.observe(heard!.hop, heard!.observations))
  estimator.estimate(null)
  const watch = watchOf()
  const frame = { persons: [], presence: { present: true, confidence: 1, reason: null }, motion: 0, provenance }
  for (const sample of samplesOf([standing(5)], { seed: 1 })) watch.step(1000 * sample.timeS, frame, [sample])
  return { estimator, watch }
}

const leftHall = { personId: 1, zone: { zoneId: "hall" }, detail: { type: "zone_left", dwellS: 4.9 } }

describe("a hand-over", () => {
  const { run } = useStores(({ location }) => layerStores(location))

  /** A hand-over; returns what the activations report at it, the memories that are left, and the site that continues. */
  const handOver = async (
    {
      anonymizeData = false,
      isLate = false,
      failedOpenings = 0,
      leftAt = at as typeof at | null,
      takenAt = at as typeof at | null,
    },
  ) => {
    const events: Array<ActivityEvent> = []
    const log = { add: (some: ReadonlyArray<ActivityEvent>) => Effect.sync(() => void events.push(...some)) }
    const next = { estimator: roomOf(scenario, null), watch: watchOf() }
    const memory = makeSiteMemory("home")
    const left = await run(
      Effect.gen(function* () {
        yield* Effect.scoped(Effect.flatMap(memory, ({ leave }) => leave(leftAt, visited(), log)))
        const sql = yield* SqlClient.SqlClient
        if (isLate) yield* sql`UPDATE environment_memories SET left_at = now() - interval '1 minute'`
        // The embedded database answers in order: each has read.
        for (let i = 0; i < failedOpenings; i++) yield* Effect.scoped(Effect.andThen(memory, sql`SELECT 1`))
        yield* Effect.scoped(Effect.flatMap(memory, ({ recall }) => recall(takenAt, next, log)))
        return yield* sql`SELECT environment_id FROM environment_memories`
      }).pipe(
        Effect.provideService(Privacy, { current: Effect.succeed({ ...defaultPrivacy, anonymizeData }) }),
        // The limit of a hand-over is not for a busy machine that tests.
        Effect.provide(TestClock.layer()),
      ),
    )
    return { events, left, next }
  }

  it("continues visits where the next activation continues the frames", async () => {
    const { events, left, next } = await handOver({})
    expect([events, left]).toEqual([[], []])
    expect(next.estimator.memory).not.toBeNull()
    expect(next.watch.stop()).toMatchObject([leftHall])
  })

  it("waits for an activation that opens, if one before it did not", async () => {
    const { events, next } = await handOver({ failedOpenings: 1 })
    expect(events).toEqual([])
    expect(next.watch.stop()).toMatchObject([leftHall])
    expect((await handOver({ failedOpenings: 1, isLate: true })).events).toMatchObject([leftHall])
  })

  it.each([
    ["the data must be anonymous", { anonymizeData: true }],
    ["the position is not known", { leftAt: null }],
    ["another session has begun", { takenAt: { ...at, sessionId: "two" } }],
    ["no session has begun", { takenAt: null }],
    ["it is late", { isLate: true }],
  ])("ends visits, once, where %s", async (_, how) => {
    const { events, left, next } = await handOver(how)
    expect(events).toMatchObject([leftHall])
    expect(left).toEqual([])
    expect(next.estimator.memory).toBeNull()
    expect(next.watch.stop()).toEqual([])
  })
})
