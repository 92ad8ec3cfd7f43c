import { describe, expect, it } from "vitest"
import { createEstimator, type Estimate, type Estimator } from "../../../actors/environment/estimator.ts"
import type { Observation } from "../../../core/signal/observation.ts"
import { randomNetwork } from "../../core/pose/random-network.ts"
import { compute } from "../../harness/compute.ts"
import { noVitals } from "../../harness/vitals.ts"

const observation = (routerId: string, hop: number, source: Observation["source"]): Observation => ({
  routerId,
  hop,
  source,
  calibrated: false,
  receiveAntennas: 1,
  centerFrequencyHz: 2.437e9,
  amplitudeOnly: false,
  tonesHz: new Float32Array(),
  packetRateHz: 100,
  packetLoss: null,
  links: [{
    transmitterId: "access point",
    packets: 10,
    outliers: 0,
    rssiDbm: -50,
    motionStatistic: 0,
    motionStatisticSigma: 0.1,
    slowStatistic: 0,
    slowStatisticSigma: 0.1,
    windowWhole: true,
    dynamicPower: null,
    occupancy: null,
    vitals: noVitals,
    dynamic: new Float32Array(),
    dynamicTimesS: new Float32Array(),
  }],
})

const wall = (nodeId: string, x: number) => ({ nodeId, position: [x, 0, 1] as const, axis: [1, 0, 0] as const })

const estimator = (geometry: boolean) =>
  createEstimator(
    {
      environmentId: "home",
      name: "Home",
      geometry: geometry ? { size: [4, 4, 2.5], nodes: [wall("a", 0), wall("b", 4)] } : null,
    } as never,
    null,
    () => 1,
  )

/** A hop without a pose network. */
const hopOf = (estimator: Estimator, hop: number, observations: ReadonlyArray<Observation>): Estimate => {
  expect(compute(estimator.observe(hop, observations))).toBeNull()
  return estimator.estimate(null)
}

describe("estimator", () => {
  it.each(
    [
      [["live", "replay"], "replay"],
      [["replay", "simulated"], "simulated"],
      [["live", "live"], "live"],
    ] as const,
  )("a frame of %s is worth no more than %s", (sources, least) => {
    const observations = sources.map((source, i) => observation(`router ${i}`, 1, source))
    expect(hopOf(estimator(false), 1, observations).provenance.source).toBe(least)
  })

  it("counts the links that presence and motion come from when nobody can be located", () => {
    for (const geometry of [true, false]) {
      const frame = hopOf(estimator(geometry), 1, [observation("a", 1, "live"), observation("b", 1, "live")])
      expect(frame.capabilities).toEqual(["presence", "motion", "breathing"])
      expect(frame.provenance.linksUsed).toBe(2)
    }
  })

  it("says which network it asks, from the hop on at which it was given one, also after a reset", () => {
    const used = estimator(true)
    const modelAt = (hop: number) => hopOf(used, hop, [observation("a", hop, "live")]).provenance.modelVersion
    expect(modelAt(1)).toBe("mean-skeleton")
    used.useNetwork(randomNetwork(1))
    expect([modelAt(2), used.network()?.modelVersion]).toEqual(["random-1", "random-1"])
    used.useNetwork(randomNetwork(2))
    used.reset()
    expect(modelAt(3)).toBe("random-2")
    used.useNetwork(null)
    expect([modelAt(4), used.network()]).toEqual(["mean-skeleton", null])
  })

  it("after a reset takes hops from before, as a new one does", () => {
    const used = estimator(false)
    for (let hop = 5_000; hop < 5_100; hop++) hopOf(used, hop, [observation("a", hop, "live")])
    used.reset()
    const fresh = estimator(false)
    for (let hop = 100; hop < 200; hop++) {
      const observations = [observation("a", hop, "live")]
      expect(hopOf(used, hop, observations)).toEqual(hopOf(fresh, hop, observations))
    }
    expect(hopOf(used, 200, [observation("a", 200, "live")]).presence.present).toBe(false)
  })
})
