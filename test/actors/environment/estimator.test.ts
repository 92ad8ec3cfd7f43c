import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Estimator } from "../../../actors/environment/estimator.ts"
import type { Estimate } from "../../../actors/environment/seen-site.ts"
import { memorySize, outputLayout, type PoseOutputs } from "../../../core/pose/network.ts"
import type { Observation } from "../../../core/observation/observation.ts"
import { defaultDetection } from "../../../protocols/domain/configuration.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { randomNetwork } from "../../core/pose/random-network.ts"
import { compute } from "../../harness/compute.ts"
import { heardOf, roomOf } from "../../harness/heard-room.ts"
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
    leadsRad: new Float32Array(0),
    calibratedAtUs: null,
  }],
})

const wall = (nodeId: string, x: number) => ({ nodeId, position: [x, 0, 1] as const, axis: [1, 0, 0] as const })

const estimator = (geometry: boolean) =>
  new Estimator(
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

  it("counts the links of presence and motion when persons cannot be located", () => {
    for (const geometry of [true, false]) {
      const frame = hopOf(estimator(geometry), 1, [observation("a", 1, "live"), observation("b", 1, "live")])
      expect(frame.capabilities).toEqual(["presence", "motion", "breathing"])
      expect(frame.provenance.linksUsed).toBe(2)
    }
  })

  it("names its network from the hop on at which it was set, also after a reset", () => {
    const used = estimator(true)
    const modelAt = (hop: number) => hopOf(used, hop, [observation("a", hop, "live")]).provenance.modelVersion
    expect(modelAt(1)).toBe("mean-skeleton")
    used.useNetwork(randomNetwork(1))
    expect([modelAt(2), used.network?.modelVersion]).toEqual(["random-1", "random-1"])
    used.useNetwork(randomNetwork(2))
    used.reset()
    expect(modelAt(3)).toBe("random-2")
    used.useNetwork(null)
    expect([modelAt(4), used.network]).toEqual(["mean-skeleton", null])
  })

  it("takes earlier hops after a reset, as a new one does", () => {
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

  it("decides on presence in hops that it does not estimate, too", () => {
    /** Motion at the threshold of a body for 3 s, and then none. */
    const heard = (hop: number): Observation => {
      const { links, ...rest } = observation("a", hop, "live")
      const moving = {
        motionStatistic: 0.51,
        slowStatistic: 0.25,
        slowStatisticSigma: 0.001,
        motionStatisticSigma: 0.01,
      }
      return { ...rest, links: links.map((link) => hop < 30 ? { ...link, ...moving, dynamicPower: 0.0012 } : link) }
    }
    const [whole, reduced] = [estimator(false), estimator(false)]
    const decisions: Array<boolean | null> = []
    for (let hop = 0; hop < 1_200; hop++) {
      const { presence } = hopOf(whole, hop, [heard(hop)])
      decisions.push(presence.present)
      if (hop % 4 !== 3) reduced.skim([heard(hop)])
      else expect(hopOf(reduced, hop, [heard(hop)]).presence).toEqual(presence)
    }
    expect(decisions[31]).toBe(true)
    expect(new Set(decisions)).toEqual(new Set([true, null, false]))
  })
})

describe("estimator of a simulated room", () => {
  it("has a record of every person in its frames, with the times of the imaged moment", () => {
    const scenario = Effect.runSync(decodeScenario(smallRoom))
    const room = roomOf(scenario, null)
    room.configure({ ...defaultDetection, trackingMinHits: 6 })
    const hops = heardOf(scenario, 5_000_000, scenario.emptySeconds + 7)
    let persons: Estimate["persons"] = []
    for (const { hop, observations } of hops) {
      if (observations.length > 0) persons = hopOf(room, hop, observations).persons
    }
    const { endMs } = hops.at(-1)!
    expect(persons.length).toBeGreaterThan(0)
    for (const person of persons) {
      const record = room.trackRecords.find(({ trackId }) => trackId === person.id)!
      expect(record.status).toBe("active")
      expect(record.totalFrames).toBeGreaterThanOrEqual(6)
      expect(record.lastSeenMs).toBeLessThan(endMs)
      expect(record.lastSeenMs).toBeGreaterThan(endMs - 3_000)
      expect(record.statistics.movementDistanceM).toBeGreaterThan(1)
      const { x, y } = record.trajectory.at(-1)!
      expect(Math.hypot(x - person.location.x, y - person.location.y)).toBeLessThan(1.5)
    }
    room.reset()
    expect(room.trackRecords).toEqual([])
  })

  it("soon drops a standing person without an echo of whom the pose network is unsure", () => {
    const [person] = smallRoom.persons
    const weights = { ...person!.behaviour.weights, walk: 0, stand: 1 }
    const persons = [{ ...person, behaviour: { ...person!.behaviour, weights } }]
    const scenario = Effect.runSync(decodeScenario({ ...smallRoom, persons }))
    // Without a calibration a still person is not detected.
    const hops = heardOf(scenario, 0, scenario.emptySeconds + 18)
    const answers = (persons: number, sigmaM: number): PoseOutputs => ({
      values: new Float32Array(persons * outputLayout.size).fill(Math.log(sigmaM)),
      memory: new Float32Array(persons * memorySize),
    })
    const confidencesBy = (sigmaM: number): ReadonlyArray<number> => {
      const room = roomOf(scenario, randomNetwork(1))
      return hops.flatMap(({ hop, observations }) => {
        const asked = compute(room.observe(hop, observations))
        const { persons } = room.estimate(asked === null ? null : answers(asked.persons, sigmaM))
        return persons.map(({ confidence }) => confidence)
      })
    }
    const [sure, unsure] = [confidencesBy(0.13), confidencesBy(0.4)]
    expect(sure.at(-1)).toBeGreaterThan(0.9)
    expect(unsure.at(-1)).toBeLessThan(0.5)
    expect(unsure.length).toBeLessThan(sure.length / 2)
  })
})
