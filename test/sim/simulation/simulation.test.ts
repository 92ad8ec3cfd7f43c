import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type CsiBatch, valuesPerFrame } from "../../../core/formats/csi-batch.ts"
import { keypointNames } from "../../../core/pose/skeleton.ts"
import { loadScenario } from "../../../deploy/source/load-scenario.ts"
import { decodeScenario, type Scenario } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { createSimulation, type PersonTruth, type SimulatedHop } from "../../../sim/simulation/simulation.ts"

const scenario = Effect.runSync(decodeScenario(smallRoom))
const startUs = 1_700_000_000_000_000

const hopsOf = (given: Scenario, seed: number, count: number): ReadonlyArray<SimulatedHop> => {
  const simulation = createSimulation(given, { startUs, seed })
  return Array.from({ length: count }, () => simulation.next())
}

const csiOf = (hops: ReadonlyArray<SimulatedHop>): ReadonlyArray<number> =>
  hops.flatMap(({ batches }) => batches.flatMap(({ csi, timestampsUs }) => [...csi, ...timestampsUs]))

/** The small room with eight of its tones and the person inside from the start. */
const occupied: Scenario = {
  ...scenario,
  emptySeconds: 0,
  rooms: scenario.rooms.map((room) => ({ ...room, radio: { ...room.radio, subcarriers: 8 } })),
}
const routerIds = scenario.rooms[0]!.nodes.map(({ nodeId }) => nodeId)

const framesOf = (hops: ReadonlyArray<SimulatedHop>, routerId: string): ReadonlyArray<CsiBatch> =>
  hops.flatMap(({ batches }) => batches.filter((batch) => batch.routerId === routerId))

describe("a simulation", () => {
  it("gives the same bytes for the same seed, and others for another", () => {
    const once = hopsOf(occupied, 5, 4)
    expect(csiOf(hopsOf(occupied, 5, 4))).toEqual(csiOf(once))
    expect(csiOf(hopsOf(occupied, 6, 4))).not.toEqual(csiOf(once))
    expect(hopsOf({ ...occupied, seed: 5 }, 5, 4)).toEqual(once)
  })

  it("has the same behaviour with any radio", () => {
    const other: Scenario = {
      ...occupied,
      rooms: occupied.rooms.map((room) => ({
        ...room,
        radio: { ...room.radio, packetRateHz: 11, receiveAntennas: 1 },
      })),
      impairments: { ...occupied.impairments, snrDb: 10, lossRate: 0.3 },
    }
    const lives = (hops: ReadonlyArray<SimulatedHop>) => hops.map(({ truth }) => truth[0]!)
    const one = lives(hopsOf(occupied, 5, 30))
    for (const [hop, { activity, keypoints, location }] of lives(hopsOf(other, 5, 30)).entries()) {
      expect(activity).toBe(one[hop]!.activity)
      for (const [axis, value] of location!.entries()) expect(value).toBeCloseTo(one[hop]!.location![axis]!, 9)
      expect(keypoints[9]![2]).toBeCloseTo(one[hop]!.keypoints[9]![2], 9)
    }
  })

  it("lets hops pass: persons are where they would be, and packets go on in time", () => {
    const lives = (hop: SimulatedHop) => hop.truth[0]!.location!
    const whole = hopsOf(occupied, 5, 30)
    const simulation = createSimulation(occupied, { startUs, seed: 5 })
    for (let i = 0; i < 10; i++) simulation.next()
    simulation.skip(15)
    for (const expected of whole.slice(25)) {
      const hop = simulation.next()
      expect(hop.endUs).toBe(expected.endUs)
      for (const [axis, value] of lives(hop).entries()) expect(value).toBeCloseTo(lives(expected)[axis]!, 9)
      expect(hop.batches.map(({ frameCount }) => frameCount).length).toBe(routerIds.length)
      const times = hop.batches.flatMap(({ timestampsUs }) => [...timestampsUs])
      expect(Math.min(...times)).toBeGreaterThan(hop.endUs - 200_000)
      expect(Math.max(...times)).toBeLessThan(hop.endUs + 100_000)
    }
  })

  it("leaves out rounds: half of the packets at the same times, and the same life", () => {
    const busy: Scenario = {
      ...occupied,
      rooms: occupied.rooms.map((room) => ({ ...room, radio: { ...room.radio, packetRateHz: 100 } })),
      impairments: { ...occupied.impairments, lossRate: 0, gapsPerMinute: 0 },
    }
    const simulation = createSimulation(busy, { startUs, seed: 5 })
    simulation.thin(2)
    for (const whole of hopsOf(busy, 5, 10)) {
      const hop = simulation.next()
      expect(hop.truth).toEqual(whole.truth)
      for (const [i, batch] of hop.batches.entries()) {
        const full = new Set(whole.batches[i]!.timestampsUs)
        expect(batch.frameCount).toBeLessThan(0.7 * full.size)
        expect(batch.frameCount).toBeGreaterThan(0.3 * full.size)
        expect(batch.timestampsUs.every((us) => full.has(us))).toBe(true)
      }
    }
  })

  it("leaves two rounds in a hop, however thin", () => {
    const simulation = createSimulation(occupied, { startUs, seed: 5 })
    simulation.thin(100)
    const { nodes, radio } = occupied.rooms[0]!
    const frames = Array.from({ length: 20 }, () => simulation.next().batches[0]?.frameCount ?? 0)
    const roundsMin = Math.min(2, radio.packetRateHz / 10)
    const mean = frames.reduce((sum, count) => sum + count, 0) / frames.length
    expect(mean).toBeGreaterThan(0.7 * roundsMin * (nodes.length - 1))
  })

  it("gives consistent batches of every router", () => {
    const lossless: Scenario = { ...scenario, impairments: { ...scenario.impairments, lossRate: 0 } }
    for (const [h, hop] of hopsOf(lossless, 1, 8).entries()) {
      expect(hop.endUs).toBe(startUs + (h + 1) * 100_000)
      expect(hop.batches.map(({ routerId }) => routerId)).toEqual(routerIds)
      for (const batch of hop.batches) {
        expect(batch).toMatchObject({ source: "simulated", batchSequence: h + 1 })
        expect(batch.layout).toMatchObject({ format: "simulated", receiveAntennas: 3, bandwidthHz: 20e6 })
        expect(batch.layout.subcarrierIndices).toHaveLength(56)
        expect(batch.csi).toHaveLength(2 * batch.frameCount * valuesPerFrame(batch.layout))
        expect(batch.csi.every((value) => Number.isInteger(value) && Math.abs(value) <= 127)).toBe(true)
        expect(batch.csi.some((value) => Math.abs(value) > 10)).toBe(true)
        expect(batch.rssiDbm.every((dbm, i) => dbm < 0 && dbm > batch.noiseFloorDbm[i]!)).toBe(true)
        const times = [...batch.timestampsUs]
        expect(times).toEqual([...times].sort((a, b) => a - b))
        // Small-room clocks are right.
        expect(times.every((time) => time >= hop.endUs - 100_000 && time < hop.endUs)).toBe(true)
        const senders = new Set(Array.from(batch.transmitterIndex, (index) => batch.transmitterIds[index]))
        expect([...senders].sort()).toEqual(routerIds.filter((id) => id !== batch.routerId))
      }
    }
  })

  it("sends at the requested rate, stamped by each node's own clock", () => {
    const late: Scenario = {
      ...occupied,
      impairments: { ...occupied.impairments, lossRate: 0, clockOffsetMs: 30, clockDriftPpm: 100 },
      rooms: occupied.rooms.map((room) => ({ ...room, radio: { ...room.radio, packetRateHz: 50 } })),
    }
    const hops = hopsOf(late, 3, 40)
    const offsets = routerIds.map((routerId) => {
      const times = framesOf(hops, routerId).flatMap(({ timestampsUs }) => [...timestampsUs])
      expect(times).toHaveLength(4 * 50 * (routerIds.length - 1))
      // Rounds begin every 20 ms of the true time; the first packet of a router is in the first turns.
      return times[0]! - startUs
    })
    expect(Math.max(...offsets) - Math.min(...offsets)).toBeGreaterThan(20_000)
  })

  it("loses packets at the rate of the scenario, and counts them", () => {
    const lossy: Scenario = { ...occupied, impairments: { ...occupied.impairments, lossRate: 0.2, burstPackets: 3 } }
    const hops = hopsOf(lossy, 1, 100)
    for (const routerId of routerIds) {
      const sequences = framesOf(hops, routerId).flatMap((batch) => [...batch.sequences])
      const sent = sequences.at(-1)!
      expect(sent).toBeGreaterThan(1200)
      // Bursts of three widen the spread of the binomial share; 0.06 is more than four standard deviations.
      expect(Math.abs(1 - sequences.length / sent - 0.2)).toBeLessThan(0.06)
    }
  })

  it("keeps the home empty at the beginning, then lets people enter through the door", () => {
    const hops = hopsOf({ ...occupied, emptySeconds: 1 }, 1, 60)
    const truth = hops.map(({ truth: [person] }) => person!)
    // From a metre and a half before the door.
    expect(truth.slice(0, 15).every(({ environmentId, keypoints }) => environmentId === null && keypoints.length === 0))
      .toBe(true)
    const first = truth.findIndex(({ environmentId }) => environmentId === "small-room")
    expect(first).toBeGreaterThan(15)
    expect(truth.slice(first).every(({ environmentId }) => environmentId === "small-room")).toBe(true)
    const [x, y] = truth[first]!.location!
    expect(Math.hypot(x - 0, y - 2.5)).toBeLessThan(0.5)
    for (const { activity, keypoints, location } of truth.slice(first)) {
      expect(keypoints).toHaveLength(keypointNames.length)
      expect((keypoints[11]![0] + keypoints[12]![0]) / 2).toBeCloseTo(location![0], 6)
      expect((keypoints[11]![1] + keypoints[12]![1]) / 2).toBeCloseTo(location![1], 6)
      expect(["walking", "standing"]).toContain(activity)
    }
    expect(hopsOf({ ...occupied, persons: [] }, 1, 20).every((hop) => hop.truth.length === 0)).toBe(true)
  })
})

describe("the truth", () => {
  const heights = ({ keypoints }: PersonTruth) => ({
    hips: (keypoints[11]![2] + keypoints[12]![2]) / 2,
    shoulders: (keypoints[5]![2] + keypoints[6]![2]) / 2,
  })

  it("agrees with the posture, in falls as well", async () => {
    const falls = await Effect.runPromise(loadScenario("falls", 2))
    const cheap: Scenario = {
      ...falls,
      emptySeconds: 0,
      rooms: falls.rooms.map((room) => ({
        ...room,
        nodes: room.nodes.slice(0, 2),
        radio: { ...room.radio, packetRateHz: 5, subcarriers: 4 },
      })),
    }
    const truth = hopsOf(cheap, 2, 1300).flatMap(({ endUs, truth: [person] }) =>
      person!.location === null ? [] : [{ ...person!, endUs }]
    )
    const activities = new Set(truth.map(({ activity }) => activity))
    expect([...activities].sort()).toEqual(["falling", "lying", "sitting", "standing", "walking"])
    for (const person of truth) {
      const { hips, shoulders } = heights(person)
      // 1.70 m tall: upright hips are at 0.9 m. Between two postures either label is valid.
      if (person.activity === "walking" && person.speedMps > 0.3) expect(hips).toBeGreaterThan(0.7)
      if (person.activity === "lying" && person.fallImpactUs !== null) expect(hips).toBeLessThan(0.75)
      if (person.activity === "sitting" && person.speedMps < 0.01) expect(shoulders - hips).toBeGreaterThan(0.25)
      if (person.activity === "falling") expect(person.fallImpactUs).not.toBeNull()
      expect(person.breathingBpm).toBeGreaterThan(6)
      expect(person.heartBpm).toBeGreaterThan(40)
    }
    const impacts = [...new Set(truth.map(({ fallImpactUs }) => fallImpactUs))].filter((us) => us !== null)
    expect(impacts.length).toBeGreaterThanOrEqual(3)
    for (const impactUs of impacts) {
      const before = truth.findLast(({ endUs }) => endUs <= impactUs - 1_500_000)!
      const after = truth.find(({ endUs }) => endUs >= impactUs + 200_000)!
      expect(heights(before).hips).toBeGreaterThan(0.7)
      expect(heights(after).hips).toBeLessThan(0.45)
      expect(after.fallImpactUs).toBe(impactUs)
    }
  }, 30_000)

  it("puts people into the rooms of a home, in each room's own frame", async () => {
    const home = await Effect.runPromise(loadScenario("home", 1))
    const cheap: Scenario = {
      ...home,
      emptySeconds: 0,
      persons: home.persons.map((person) => ({
        ...person,
        awaySeconds: 0,
        behaviour: { kind: "daily", weights: { walk: 1, stand: 0, gesture: 0, sit: 0, lie: 0, leave: 0, fall: 0 } },
      })),
      rooms: home.rooms.map((room) => ({ ...room, radio: { ...room.radio, packetRateHz: 5, subcarriers: 4 } })),
    }
    const hops = hopsOf(cheap, 1, 600)
    const rooms = new Map(home.rooms.map((room) => [room.environmentId, room]))
    const visited = new Set<string>()
    for (const { truth } of hops) {
      for (const { environmentId, location } of truth) {
        if (environmentId === null) continue
        visited.add(environmentId)
        const { size } = rooms.get(environmentId)!
        // A person in a doorway counts as in a room within 0.2 m.
        expect(location!.every((value, axis) => value > -0.21 && value < size[axis]! + 0.21)).toBe(true)
      }
    }
    expect([...visited].sort()).toEqual(["bedroom", "living-room"])
    const routers = new Set(hops.flatMap(({ batches }) => batches.map(({ routerId }) => routerId)))
    expect(routers.size).toBe(9)
  }, 30_000)

  it("shows a body in the next room through the wall, weaker than in its own room", async () => {
    const home = await Effect.runPromise(loadScenario("home", 1))
    const quiet: Scenario = {
      ...home,
      emptySeconds: 0,
      impairments: { ...home.impairments, snrDb: 60, gainJitterDb: 0, gainStepDb: 0, lossRate: 0, interferenceRate: 0 },
      persons: [{
        ...home.persons[0]!,
        behaviour: {
          kind: "script",
          loop: true,
          steps: [
            { do: "enter", door: "front-door" },
            { do: "walk", to: [2, 3.4] },
            { do: "walk", to: [4.6, 3.4] },
          ],
        },
      }],
      rooms: home.rooms.map((room) => ({
        ...room,
        radio: { ...room.radio, packetRateHz: 20, subcarriers: 8 },
      })),
    }
    const hops = hopsOf(quiet, 1, 150)
    /** Mean relative change of a router's mean amplitude from frame to frame of a transmitter. */
    const livelinessIn = (hops: ReadonlyArray<SimulatedHop>) => (routerId: string): number => {
      const batches = framesOf(hops, routerId)
      const amplitudes = batches.flatMap((batch) => {
        const width = 2 * valuesPerFrame(batch.layout)
        return Array.from({ length: batch.frameCount }, (_, i) => i).filter((i) => batch.transmitterIndex[i] === 0).map(
          (
            i,
          ) => Math.hypot(...batch.csi.subarray(i * width, (i + 1) * width)),
        )
      })
      const mean = amplitudes.reduce((sum, value) => sum + value, 0) / amplitudes.length
      return Math.sqrt(amplitudes.reduce((sum, value) => sum + (value / mean - 1) ** 2, 0) / amplitudes.length)
    }
    const liveliest = (hops: ReadonlyArray<SimulatedHop>, ids: ReadonlyArray<string>): number =>
      Math.max(...ids.map(livelinessIn(hops)))
    const bedroom = ["bed-1", "bed-2", "bed-3", "bed-4"]
    const here = liveliest(hops.slice(60), ["living-1", "living-2", "living-3", "living-4"])
    const there = liveliest(hops.slice(60), bedroom)
    const nobody = liveliest(hopsOf({ ...quiet, persons: [] }, 1, 90), bedroom)
    expect(there).toBeLessThan(here)
    expect(there).toBeGreaterThan(2 * nobody)
  }, 30_000)
})
