/** A simulation of coverage in its thread: its progress and its figures, on a small room. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { layerCoverageSimulations } from "../../../deploy/plan-coverage/coverage-simulations.ts"
import { CoverageSimulations } from "../../../protocols/ports/coverage-simulations.ts"
import { eventually } from "../../harness/service.ts"

const node = (nodeId: string, x: number, y: number) => ({
  nodeId,
  position: [x, y, 1.2] as const,
  arrayAxis: (y === 0 || y === 3 ? [1, 0, 0] : [0, 1, 0]) as readonly [number, number, number],
})
const nodes = [node("AA:01", 0, 1), node("AA:02", 1.5, 3), node("AA:03", 3, 1.5), node("AA:04", 1.5, 0)]

const request = (environmentId: string, antennas: number) => ({
  environmentId,
  geometry: { size: [3, 3, 2.5] as const, nodes },
  receivers: nodes.map(({ nodeId }) => nodeId),
  antennas,
  candidates: [],
})

it("locates a walking person with three antennas, says that one antenna locates no person, and does one at a time", async () => {
  await Effect.runPromise(
    Effect.gen(function* () {
      const { newest, start } = yield* CoverageSimulations
      const ended = (environmentId: string) =>
        Effect.promise(() =>
          eventually(() => Effect.runPromise(newest(environmentId)), (job) => job?.outcome.state !== "running", 120_000)
        )
      expect((yield* start(request("den", 3))).outcome).toEqual({ state: "running", progress: 0 })
      expect((yield* Effect.flip(start(request("attic", 3)))).message).toContain(`"den" is being simulated`)
      const located = (yield* ended("den"))!.outcome
      if (located.state !== "done") throw new Error(JSON.stringify(located))
      expect(located.result.squares).toHaveLength(9)
      expect(located.result.squares.every(({ moments }) => moments > 0)).toBe(true)
      expect(located.result.errorM).toBeLessThan(0.6)
      expect(located.result.missedShare).toBeLessThan(0.3)
      yield* start(request("den", 1))
      const blind = (yield* ended("den"))!.outcome
      if (blind.state !== "done") throw new Error(JSON.stringify(blind))
      expect(blind.result).toMatchObject({ errorM: null, missedShare: 1 })
      expect(yield* newest("attic")).toBeNull()
    }).pipe(Effect.provide(layerCoverageSimulations), Effect.scoped),
  )
})
