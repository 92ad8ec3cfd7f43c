import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { defaultSuite, randomScenario, type SuiteOptions } from "../../../sim/random-scenario/random-scenario.ts"
import { decodeScenario, type Scenario } from "../../../sim/scenario/scenario.ts"
import { createSimulation } from "../../../sim/simulation/simulation.ts"

const suites: ReadonlyArray<readonly [string, SuiteOptions]> = [
  ["the default", defaultSuite],
  ["any nodes, antennas and bands", {
    ...defaultSuite,
    nodes: [3, 20],
    antennas: [1, 4],
    bandGhz: [2.4, 5, 6],
    bandwidthMhz: [20, 40, 80, 160],
    subcarriers: 14,
    packetRateHz: [20, 100],
    persons: [1, 4],
  }],
  ["heavy impairments, strange materials, a fan and a pet", {
    ...defaultSuite,
    impairments: "heavy",
    calibratedShare: 0.5,
    materials: "shifted",
    fixtures: { fan: true, pet: true },
    persons: 0,
  }],
  ["either radio and all kinds of hardware", {
    ...defaultSuite,
    radio: ["points", "surfaces"],
    impairments: "wild",
    subcarriers: [8, 14],
    calibratedShare: 0.7,
  }],
  ["varied people with limbs apart, and steps of all kinds", {
    ...defaultSuite,
    persons: [1, 4],
    people: "varied",
    limbs: [{ arms: "carrying", legs: "usual" }, { arms: "independent", legs: "still" }],
    behaviour: { kind: "scripted", wide: true },
  }],
  ["a daily life", { ...defaultSuite, behaviour: { kind: "daily", weights: { fall: 2 } }, emptySeconds: 0 }],
]

const seeds = Array.from({ length: 60 }, (_, i) => i)

describe.each(suites)("random scenarios: %s", (_, options) => {
  const scenarios = seeds.map((seed) => randomScenario(options, seed))

  it("can all be simulated", () => {
    for (const scenario of scenarios) {
      const { seed } = scenario
      const decoded = Effect.runSync(Effect.result(decodeScenario(JSON.parse(JSON.stringify(scenario)))))
      expect([seed, decoded._tag === "Failure" ? decoded.failure.message : "fits"]).toEqual([seed, "fits"])
    }
  })

  it("are the same for the same seed, and different for others", () => {
    expect(randomScenario(options, 7)).toEqual(scenarios[7])
    expect(new Set(scenarios.map((scenario) => JSON.stringify({ ...scenario, scenarioId: "", seed: 0 }))).size).toBe(
      seeds.length,
    )
  })
})

describe("the draws of a suite", () => {
  const [, wide] = suites[1]!
  const [, heavy] = suites[2]!
  const drawn = (options: SuiteOptions): ReadonlyArray<Scenario> => seeds.map((seed) => randomScenario(options, seed))
  const roomsOf = (options: SuiteOptions) => drawn(options).map(({ rooms }) => rooms[0]!)

  it("leave everything but persons and beds as it is when people vary", () => {
    for (const seed of seeds.slice(0, 20)) {
      const usual = randomScenario(defaultSuite, seed)
      const varied = randomScenario({ ...defaultSuite, people: "varied" }, seed)
      const [room, variedRoom] = [usual.rooms[0]!, varied.rooms[0]!]
      expect({ ...variedRoom, beds: [] }).toEqual({ ...room, beds: [] })
      expect(varied.impairments).toEqual(usual.impairments)
      expect(usual.persons[0]!.manner).toBe(undefined)
      expect(varied.persons[0]!.manner).not.toBe(undefined)
      expect(varied.persons[0]!.behaviour).toEqual(usual.persons[0]!.behaviour)
    }
  })

  it("cover their ranges", () => {
    const rooms = roomsOf(wide)
    const counts = rooms.map(({ nodes }) => nodes.length)
    expect(Math.min(...counts)).toBeLessThan(6)
    expect(Math.max(...counts)).toBeGreaterThan(17)
    expect(new Set(rooms.map(({ radio }) => radio.receiveAntennas))).toEqual(new Set([1, 2, 3, 4]))
    expect(new Set(rooms.map(({ radio }) => radio.bandwidthMhz))).toEqual(new Set([20, 40, 80, 160]))
    expect(new Set(rooms.map(({ radio }) => radio.standard)).size).toBe(3)
    expect(new Set(drawn(wide).map(({ persons }) => persons.length))).toEqual(new Set([1, 2, 3, 4]))
  })

  it("hang nodes at the walls, some arrays upright", () => {
    const axes = roomsOf(wide).flatMap(({ nodes, size }) =>
      nodes.map(({ arrayAxis, position: [x, y, z] }) => {
        expect(Math.min(x, y, size[0] - x, size[1] - y)).toBeLessThanOrEqual(0.5)
        expect(z).toBeGreaterThanOrEqual(0.3)
        expect(z).toBeLessThanOrEqual(2.3)
        return arrayAxis
      })
    )
    const upright = axes.filter(([, , z]) => z === 1).length / axes.length
    expect(upright).toBeGreaterThan(0.1)
    expect(upright).toBeLessThan(0.3)
  })

  it("make hardware worse on request, and calibrate a share of the sites", () => {
    const snr = (options: SuiteOptions) =>
      drawn(options).reduce((sum, { impairments }) => sum + impairments.snrDb, 0) / seeds.length
    expect(snr(heavy)).toBeLessThan(snr(defaultSuite) - 5)
    const calibrated = drawn(heavy).filter(({ impairments }) => impairments.antennasCalibrated).length
    expect(calibrated).toBeGreaterThan(15)
    expect(calibrated).toBeLessThan(45)
    const usual = new Set(roomsOf(defaultSuite).map(({ surfaces }) => surfaces.west))
    for (const { surfaces } of roomsOf(heavy)) expect(usual.has(surfaces.west)).toBe(false)
  })

  it("choose the radio and the tones without changing anything else", () => {
    const [, mixed] = suites[3]!
    const scenarios = drawn(mixed)
    const share = scenarios.filter(({ radio }) => radio === "surfaces").length / seeds.length
    expect(share).toBeGreaterThan(0.3)
    expect(share).toBeLessThan(0.7)
    expect(new Set(scenarios.map(({ rooms }) => rooms[0]!.radio.subcarriers))).toEqual(new Set([8, 14]))
    const one = randomScenario({ ...mixed, radio: "points" }, 5)
    expect({ ...randomScenario({ ...mixed, radio: "surfaces" }, 5), radio: "points" }).toEqual(one)
    const traits = ["gainFollowsDb", "chainGainSigmaDb", "gapsPerMinute"] as const
    for (const trait of traits) {
      const present = scenarios.filter(({ impairments }) => impairments[trait] > 0).length / seeds.length
      expect(present).toBeGreaterThan(0.1)
      expect(present).toBeLessThan(0.9)
    }
  })

  it("do not change behaviour with the hardware", () => {
    const light = randomScenario({ ...defaultSuite, impairments: "none" }, 3)
    const dark = randomScenario({ ...defaultSuite, impairments: "heavy" }, 3)
    expect(dark.persons).toEqual(light.persons)
    expect(dark.rooms).toEqual(light.rooms)
  })

  it("cover every activity within a few minutes of scripted life", () => {
    const activities = new Set<string>()
    for (const seed of [1, 2, 3, 4, 5]) {
      const scenario = randomScenario(
        { ...defaultSuite, nodes: 3, antennas: 1, subcarriers: 4, packetRateHz: 2, emptySeconds: 0 },
        seed,
      )
      const simulation = createSimulation(scenario, { startUs: 0 })
      for (let hop = 0; hop < 1200; hop++) {
        for (const { activity, environmentId } of simulation.next().truth) {
          if (environmentId !== null) activities.add(activity!)
        }
      }
    }
    expect([...activities].sort()).toEqual(["falling", "lying", "sitting", "standing", "walking"])
  }, 30_000)

  it("reject a band without such channels", () => {
    expect(() => randomScenario({ ...defaultSuite, bandwidthMhz: 160 }, 1)).toThrow(/2.4 GHz has channels of 160 MHz/)
  })
})
