import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { loadScenario } from "../../../deploy/source/load-scenario.ts"
import { unimpaired } from "../../../sim/impairments/impairments.ts"
import { decodeScenario, geometryOf, InvalidScenario } from "../../../sim/scenario/scenario.ts"
import fanAndPet from "../../../sim/scenarios/empty-with-fan-and-pet.json" with { type: "json" }
import home from "../../../sim/scenarios/home.json" with { type: "json" }
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }

// deno-lint-ignore no-explicit-any
type Json = any

/** A copy of the home with one change. */
const changed = (change: (scenario: Json) => void): unknown => {
  const copy = structuredClone(home)
  change(copy)
  return copy
}

const refusal = (change: (scenario: Json) => void): string => {
  const error = Effect.runSync(Effect.flip(decodeScenario(changed(change))))
  expect(error).toBeInstanceOf(InvalidScenario)
  return error.message
}

const [fan] = fanAndPet.rooms[0]!.fans
const [pet] = fanAndPet.rooms[0]!.pets

const script = (...steps: ReadonlyArray<object>) => (scenario: Json) => {
  scenario.persons[0].behaviour = { kind: "script", steps, loop: false }
}
const enter = { do: "enter", door: "front-door" }

describe("a scenario", () => {
  it.each<[string, (scenario: Json) => void, string]>([
    ["an invalid bandwidth", (s) => s.rooms[0].radio.bandwidthMhz = 30, "bandwidthMhz"],
    [
      "a band without such a channel",
      (s) => s.rooms[0].radio.bandwidthMhz = 80,
      'rooms "living-room".radio: 802.11n',
    ],
    ["too many tones", (s) => s.rooms[0].radio.subcarriers = 57, "subcarriers is 57"],
    ["an unknown material", (s) => s.rooms[0].surfaces.west = "paper", "west"],
    ["no seed", (s) => delete s.seed, "seed"],
    ["a misspelt field", (s) => s.rooms[0].furnitures = 3, "furnitures"],
    ["one node", (s) => s.rooms[0].nodes.length = 1, "nodes"],
    ["21 nodes", (s) => s.rooms[0].nodes = Array.from({ length: 21 }, () => s.rooms[0].nodes[0]), "nodes"],
    ["a router in two rooms", (s) => s.rooms[1].nodes[0].nodeId = "living-1", 'nodeId "living-1" occurs twice'],
    ["two rooms with one id", (s) => s.rooms[1].environmentId = "living-room", "environmentId"],
    ["a node outside", (s) => s.rooms[0].nodes[1].position = [9, 0, 1], '"living-2" at [9, 0, 1] is outside the room'],
    ["an axis that is not a unit vector", (s) => s.rooms[0].nodes[1].arrayAxis = [1, 1, 0], "it must be 1"],
    ["two nodes at one place", (s) => s.rooms[0].nodes[1].position = [0.1, 1, 1.3], "nearer than 0.3 m"],
    ["a seat in the wall", (s) => s.rooms[0].seats[0].place = [0.1, 2], 'seats: "sofa-left"'],
    ["a bed through the wall", (s) => s.rooms[1].beds[0].place = [3.5, 3.95], 'beds: "bed"'],
    ["a bed askew", (s) => s.rooms[1].beds[0].headingRad = 0.5, "quarter turn"],
    ["an obstacle with low above high", (s) => s.rooms[0].obstacles[0].high = [1, 1], "obstacles[0]: low must be less"],
    ["a fan that hits the wall", (s) => s.rooms[1].fans = [{ ...fan, position: [3.95, 1, 1] }], "fans[0]"],
    ["a pet outside", (s) => s.rooms[0].pets = [{ ...pet, area: [0, 9, 0, 2] }], "pets[0].area"],
    ["overlapping rooms", (s) => s.rooms[1].origin = [5, 0], '"bedroom" overlaps "living-room"'],
    ["a door outside all walls", (s) => s.doors[0].place = [3, 2], 'doors "front-door".place'],
    ["a door in a corner", (s) => s.doors[0].place = [0.1, 0], 'doors "front-door".place'],
    ["a door whose rooms do not meet there", (s) => s.rooms[1].origin = [7, 0], 'not in a wall of "bedroom"'],
    ["a door to nowhere", (s) => s.doors[1].rooms[1] = "attic", 'no room "attic"'],
    ["a home without an outer door", (s) => s.doors.shift(), "persons[0]: no door leads from outside"],
    ["a first step other than enter", script({ do: "sit", seconds: 5 }), 'steps[0]: a person outside must "enter"'],
    ["an unknown door", script({ do: "enter", door: "back-door" }), 'no door "back-door"'],
    ["an inner door to the outside", script({ do: "enter", door: "bedroom-door" }), "does not lead outside"],
    ["a walk into the wall", script(enter, { do: "walk", to: [6, 2] }), "steps[1]: [6, 2] is not in a reachable room"],
    ["an unknown seat", script(enter, { do: "sit", seat: "throne", seconds: 5 }), 'no reachable seat "throne"'],
    ["an unknown bed", script(enter, { do: "lie", bed: "sofa", seconds: 5 }), 'no reachable bed "sofa"'],
    ["a step that is none", script(enter, { do: "dance", seconds: 5 }), "steps"],
    ["too short a person", (s) => s.persons[0].heightM = 0.3, "heightM"],
  ])("rejects %s and names it", (_, change, part) => {
    expect(refusal(change)).toContain(part)
  })

  it("uses defaults for omitted fields: no furniture and ideal hardware", () => {
    const bare = { ...smallRoom, impairments: {} }
    const scenario = Effect.runSync(decodeScenario(bare))
    expect(scenario.impairments).toEqual(unimpaired)
    expect(scenario.rooms[0]).toMatchObject({ seats: [], beds: [], fans: [], pets: [], obstacles: [], doorLeaves: [] })
  })

  const folder = fileURLToPath(new URL("../../../sim/scenarios/", import.meta.url))
  it.each(readdirSync(folder).map((file) => file.replace(".json", "")))("%s is one", async (name) => {
    const scenario = await Effect.runPromise(loadScenario(name))
    expect(scenario.scenarioId).toBe(name)
  })

  it("explains an unknown name", async () => {
    const error = await Effect.runPromise(Effect.flip(loadScenario("no-such-place")))
    expect(error.message).toContain('no scenario "no-such-place"')
  })

  it("keeps the demonstration within 1,000 packets a second", async () => {
    const { persons, rooms } = await Effect.runPromise(loadScenario("home"))
    const rate = rooms.reduce(
      (sum, { nodes, radio }) => sum + radio.packetRateHz * nodes.length * (nodes.length - 1),
      0,
    )
    expect(rate).toBeLessThanOrEqual(1000)
    expect([rooms.length, persons.length]).toEqual([2, 3])
  })
})

describe("the geometry of a scenario", () => {
  const scenario = Effect.runSync(decodeScenario(home))
  const truth = scenario.rooms[0]!

  it("is the surveyed one: near the truth, the same for the same seed", () => {
    const surveyed = geometryOf(scenario, "living-room")
    expect(geometryOf(scenario, "living-room")).toEqual(surveyed)
    expect(geometryOf({ ...scenario, seed: 9 }, "living-room")).not.toEqual(surveyed)
    const errors = surveyed.nodes.flatMap(({ position }, i) =>
      position.map((value, axis) => Math.abs(value - truth.nodes[i]!.position[axis]!))
    )
    expect(Math.max(...errors)).toBeGreaterThan(0.01)
    expect(Math.max(...errors)).toBeLessThan(0.15)
    for (const { arrayAxis, position } of surveyed.nodes) {
      expect(Math.hypot(...arrayAxis)).toBeCloseTo(1, 9)
      expect(position.every((value, axis) => value >= 0 && value <= truth.size[axis]!)).toBe(true)
    }
  })

  it("is the truth without survey errors, and requires an existing room", () => {
    const exact = { ...scenario, impairments: unimpaired }
    expect(geometryOf(exact, "living-room")).toEqual({ size: truth.size, nodes: truth.nodes })
    expect(() => geometryOf(scenario, "attic")).toThrow(RangeError)
  })
})
