/** The hand-over of an environment: visits of zones continue with the next activation, or end. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ActivityWatch } from "../../../actors/environment/activity-watch.ts"
import { makeSiteMemory } from "../../../actors/environment/site-memory.ts"
import { EnvironmentMemories } from "../../../actors/store/sensing/environment-memories.ts"
import { defaultPrivacy } from "../../../protocols/domain/configuration.ts"
import type { ActivityEvent } from "../../../protocols/domain/event.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { samplesOf, standing } from "../../core/activity/movements.ts"
import { compute } from "../../harness/compute.ts"
import { heardOf, roomOf } from "../../harness/heard-room.ts"

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

/** A hand-over; returns what the two activations report at it, and the site that continues. */
const handOver = async (
  { anonymizeData = false, isLate = false, leftAt = at as typeof at | null, takenAt = at as typeof at | null },
) => {
  const memories = new Map<string, string>()
  const events: Array<ActivityEvent> = []
  const log = { add: (some: ReadonlyArray<ActivityEvent>) => Effect.sync(() => void events.push(...some)) }
  const next = { estimator: roomOf(scenario, null), watch: watchOf() }
  const memory = makeSiteMemory("home")
  await Effect.scoped(Effect.flatMap(memory, ({ leave }) => leave(leftAt, visited(), log))).pipe(
    Effect.andThen(Effect.scoped(Effect.flatMap(memory, ({ recall }) => recall(takenAt, next, log)))),
    Effect.provideService(Privacy, { current: Effect.succeed({ ...defaultPrivacy, anonymizeData }) }),
    Effect.provideService(EnvironmentMemories, {
      leave: (environmentId, memory) => Effect.sync(() => void memories.set(environmentId, memory)),
      take: (environmentId) =>
        Effect.sync(() => {
          const memory = memories.get(environmentId)
          return memory === undefined ? null : { memory, isLate }
        }),
    }),
    Effect.runPromise,
  )
  return { events, next }
}

const leftHall = { personId: 1, zone: { zoneId: "hall" }, detail: { type: "zone_left", dwellS: 4.9 } }

describe("a hand-over", () => {
  it("continues visits where the next activation continues the frames", async () => {
    const { events, next } = await handOver({})
    expect(events).toEqual([])
    expect(next.estimator.memory).not.toBeNull()
    expect(next.watch.stop()).toMatchObject([leftHall])
  })

  it.each([
    ["the data must be anonymous", { anonymizeData: true }],
    ["the position is not known", { leftAt: null }],
    ["another session has begun", { takenAt: { ...at, sessionId: "two" } }],
    ["no session has begun", { takenAt: null }],
    ["it is late", { isLate: true }],
  ])("ends visits, once, where %s", async (_, how) => {
    const { events, next } = await handOver(how)
    expect(events).toMatchObject([leftHall])
    expect(next.estimator.memory).toBeNull()
    expect(next.watch.stop()).toEqual([])
  })
})
