import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { emptyAtFirst, openSimulation, scenarioEnrolments } from "../../../deploy/source/simulate.ts"
import { encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import { loadScenario } from "../../../deploy/source/load-scenario.ts"
import { decodeScenario, geometryOf } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }

const startMs = 1_700_000_000_000

/** The bytes of every batch of the first hops. */
const play = (seed: number | null) =>
  Effect.gen(function* () {
    const source = openSimulation(yield* decodeScenario(smallRoom), { startMs, seed, hops: 3 })
    const bytes: Array<string> = []
    let hops = 0
    for (let hop = yield* source.next; hop !== null; hop = yield* source.next) {
      hops++
      expect(hop.endUs).toBe(startMs * 1000 + hops * 100_000)
      for (const batch of hop.batches) bytes.push(Buffer.from(encodeCsiBatch(batch)).toString("base64"))
    }
    expect(hops).toBe(3)
    return bytes
  }).pipe(Effect.runPromise)

describe("simulation as a source", () => {
  it("gives the same bytes for the same seed and different ones for another", async () => {
    const [first, again, other] = [await play(null), await play(null), await play(7)]
    expect(first.length).toBeGreaterThan(0)
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  it("is enrolled as one environment per room, as surveyed, with its nodes as routers", () =>
    Effect.gen(function* () {
      const scenario = yield* loadScenario("home")
      const sites = scenarioEnrolments(scenario)
      expect(sites.map(({ environment }) => environment.environmentId)).toEqual(["living-room", "bedroom"])
      for (const [i, { environment, routerIds }] of sites.entries()) {
        expect(environment.geometry).toEqual(geometryOf(scenario, environment.environmentId))
        expect(routerIds).toEqual(scenario.rooms[i]!.nodes.map(({ nodeId }) => nodeId))
      }
      const routerIds = sites.flatMap((site) => site.routerIds)
      expect(emptyAtFirst(scenario)).toEqual([{ seconds: scenario.emptySeconds, routerIds }])
      expect(emptyAtFirst({ ...scenario, emptySeconds: 0 })).toEqual([])
    }).pipe(Effect.runPromise))
})
