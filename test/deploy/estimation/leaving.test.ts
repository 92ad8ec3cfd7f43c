/** A person who walks out of the room is neither a fall nor somebody who lies at the door. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { readPoseNetwork } from "../../../deploy/composition/pose-models.ts"
import { estimatorsOf } from "../../../deploy/estimation/estimators.ts"
import { openKernels } from "../../../deploy/estimation/kernels.ts"
import { playScene } from "../../../deploy/estimation/sequence.ts"
import { playScenario } from "../../../sim/evaluation/scene.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import falls from "../../../sim/scenarios/falls.json" with { type: "json" }

/** Until the window of an image, a second, has passed. */
const goneWithinS = 2

it("shows nobody soon after a person has left, states no presence, and raises no alarm", async () => {
  const steps = [
    { do: "enter", door: "door" },
    { do: "walk", to: [3, 1.5] },
    { do: "leave", door: "door", seconds: 6 },
  ]
  const behaviour = { kind: "script", loop: true, steps }
  const persons = [{ ...falls.persons[0]!, behaviour }]
  const scenario = Effect.runSync(decodeScenario({ ...falls, persons, emptySeconds: 5, seed: 9 }))
  const { estimator } = estimatorsOf(readPoseNetwork("wavepose"), null)
  const [record] = await playScene(playScenario(scenario), 20, [estimator], await openKernels("wasm"))
  const { hops } = record!
  const leftS = hops.findLast(({ truth }, i) => truth.length > 0 && hops[i + 1]?.truth.length === 0)!.timeS
  const shown = ({ estimate }: typeof hops[number]) => estimate.persons.length > 0 || estimate.present === true
  expect(hops.some((hop) => hop.timeS <= leftS && shown(hop))).toBe(true)
  expect(hops.filter((hop) => hop.timeS > leftS + goneWithinS && shown(hop)).map(({ timeS }) => timeS)).toEqual([])
  expect(hops.filter(({ estimate }) => estimate.fallAlarms > 0)).toEqual([])
})
