/**
 * Random scenarios for training and evaluation: rooms, nodes, radios, people and hardware drawn from the ranges of real sites, or
 * everything else drawn for given rooms.
 *
 * Owns the options of a suite and the assembly of a scenario from draws. Boundary: the draws of each part are in
 * `random-scenario/`. Invariant: the same options and seed give the same scenario, and `decodeScenario` accepts it.
 */
import type { SiteGeometry, Vector3 } from "../../core/imaging/geometry.ts"
import { createRandom, type Random, uniformIn } from "../randomness/random.ts"
import { chance, drawInteger, drawNumber, drawOne, type OneOf, type Ranged, rounded } from "./draws.ts"
import { type BandGhz, type BandwidthMhz, drawLevel, drawRadio, type ImpairmentLevel } from "./hardware.ts"
import { drawNodes } from "./node-layout.ts"
import { type LimbHabits, regularLimbs } from "../bodies/limb-habits.ts"
import { mannered } from "./manners.ts"
import { drawPerson, type SuiteBehaviour } from "./persons.ts"
import { drawRoomLayout, withMattress } from "./room-layout.ts"
import type { RadioModel } from "../radio/radio-scene.ts"
import type { MaterialName } from "../rooms/materials.ts"
import type { Room } from "../scenario/rooms.ts"
import type { Scenario } from "../scenario/scenario.ts"

export interface SuiteOptions {
  /** Rooms with their nodes, one of which each seed selects; null: room and nodes are drawn. */
  readonly rooms: ReadonlyArray<SiteGeometry> | null
  /** 3 to 20, used when nodes are drawn; more than 8 get a larger room. */
  readonly nodes: Ranged
  /** Receive antennas of each node, 1 to 4. */
  readonly antennas: Ranged
  readonly bandGhz: OneOf<BandGhz>
  readonly bandwidthMhz: OneOf<BandwidthMhz>
  readonly radio: OneOf<RadioModel>
  /** Tones of a frame; see `RadioSettings`. */
  readonly subcarriers: OneOf<"all" | number>
  /** Rounds per second. */
  readonly packetRateHz: Ranged
  readonly persons: Ranged
  readonly behaviour: SuiteBehaviour
  /**
   * `regular`: adults with the regular gait. `varied`: also children and old people, gaits and sway of real people, and mattresses
   * among the beds.
   */
  readonly people: "regular" | "varied"
  /** Habits of the limbs, one of which is drawn for each person. */
  readonly limbs: OneOf<LimbHabits>
  readonly impairments: ImpairmentLevel
  /** Share of the sites with calibrated antenna phases. */
  readonly calibratedShare: number
  /** `usual`: common materials of homes. `shifted`: other materials, which differ from everything in training. */
  readonly materials: "usual" | "shifted"
  readonly fixtures: { readonly fan: boolean; readonly pet: boolean }
  /** How long everyone is out at the beginning, seconds. */
  readonly emptySeconds: number
  /** How much longer everyone stays out; meanwhile a door or a piece of furniture is moved if this is not 0. */
  readonly agedSeconds: number
}

/** Six calibrated nodes of three antennas in the 2.4 GHz band, one person who performs all kinds of steps. */
export const defaultSuite: SuiteOptions = {
  rooms: null,
  nodes: 6,
  antennas: 3,
  bandGhz: 2.4,
  bandwidthMhz: 40,
  radio: "points",
  subcarriers: 38,
  packetRateHz: 100,
  persons: 1,
  behaviour: { kind: "scripted" },
  people: "regular",
  limbs: regularLimbs,
  impairments: "usual",
  calibratedShare: 1,
  materials: "usual",
  fixtures: { fan: false, pet: false },
  emptySeconds: 5,
  agedSeconds: 0,
}

/** Materials of walls, floors and ceilings. */
const materials: Readonly<
  Record<SuiteOptions["materials"], Readonly<Record<"wall" | "floor" | "ceiling", ReadonlyArray<MaterialName>>>>
> = {
  usual: {
    wall: ["plasterboard", "plasterboard", "brick", "concrete", "wood"],
    floor: ["concrete", "wood", "floorboard"],
    ceiling: ["concrete", "plasterboard"],
  },
  shifted: {
    wall: ["glass", "chipboard"],
    floor: ["chipboard", "glass"],
    ceiling: ["ceilingBoard", "wood"],
  },
}

/** Largest number of nodes in a room of common size. */
const commonNodesMax = 8

const listed = <T>(value: OneOf<T>): ReadonlyArray<T> => Array.isArray(value) ? value as ReadonlyArray<T> : [value as T]

const drawSize = (nodes: number, random: Random): Vector3 => {
  const grown = nodes > commonNodesMax ? 1.7 : 1
  return [
    rounded(grown * uniformIn(random, 3.6, 8), 2),
    rounded(grown * uniformIn(random, 3.2, 6.5), 2),
    rounded(uniformIn(random, 2.35, 3.1), 2),
  ]
}

/** A room of some size and its nodes. */
const drawGeometry = (options: SuiteOptions, random: Random, nodesRandom: Random): SiteGeometry => {
  const count = drawInteger(random, options.nodes)
  const size = drawSize(count, random)
  return { size, nodes: drawNodes(size, count, nodesRandom) }
}

/** The given room that a seed selects. */
export const givenRoomOf = <R extends SiteGeometry>(rooms: ReadonlyArray<R>, seed: number): R =>
  drawOne(createRandom(seed, "scenario given room"), rooms)

const drawSurfaces = (kind: SuiteOptions["materials"], random: Random): Room["surfaces"] => {
  const { ceiling, floor, wall } = materials[kind]
  // Three walls of one material, and one that may differ: an outer wall.
  const inner = drawOne(random, wall)
  const outer = drawOne(random, wall)
  const side = Math.floor(4 * random.uniform())
  const at = (i: number): MaterialName => i === side ? outer : inner
  return {
    west: at(0),
    east: at(1),
    south: at(2),
    north: at(3),
    floor: drawOne(random, floor),
    ceiling: drawOne(random, ceiling),
  }
}

const drawFan = ([width, depth, height]: Vector3, random: Random): Room["fans"][number] => {
  const ceiling = chance(random, 0.4)
  const radiusM = rounded(ceiling ? uniformIn(random, 0.4, 0.7) : uniformIn(random, 0.15, 0.25))
  const inset = radiusM + 0.1
  return {
    position: [
      rounded(uniformIn(random, inset, width - inset)),
      rounded(uniformIn(random, inset, depth - inset)),
      rounded(ceiling ? height - 0.3 : uniformIn(random, 0.5, 1.3)),
    ],
    kind: ceiling ? "ceiling" : "standing",
    radiusM,
    blades: drawInteger(random, [3, 5]),
    turnsPerSecond: rounded(ceiling ? uniformIn(random, 0.8, 4) : uniformIn(random, 6, 18), 2),
    headingRad: rounded(uniformIn(random, 0, 2 * Math.PI)),
    swingRad: ceiling || chance(random, 0.5) ? 0 : rounded(uniformIn(random, 0.3, 0.8)),
    swingSeconds: rounded(uniformIn(random, 8, 20), 1),
    rcsM2: rounded(ceiling ? uniformIn(random, 0.05, 0.2) : uniformIn(random, 0.01, 0.06)),
  }
}

const drawPet = ([width, depth]: Vector3, random: Random): Room["pets"][number] => ({
  area: [0.4, rounded(width - 0.4), 0.4, rounded(depth - 0.4)],
  rcsM2: rounded(uniformIn(random, 0.02, 0.05)),
  heightM: rounded(uniformIn(random, 0.2, 0.45), 2),
  speedMps: rounded(uniformIn(random, 0.4, 1.2), 2),
  sleepShare: rounded(uniformIn(random, 0.3, 0.9), 2),
})

/** A leaf of a door or a cabinet at the wall of x = 0, or the back of a chair, that is moved once. */
const drawMovedLeaf = ([width, depth]: Vector3, movedS: number, random: Random): Room["doorLeaves"][number] => {
  const atWall = chance(random, 0.5)
  const closedRad = rounded(atWall ? Math.PI / 2 : uniformIn(random, 0, 2 * Math.PI))
  return {
    hinge: [
      rounded(atWall ? 0.05 : uniformIn(random, 0.3, 0.7) * width),
      rounded(uniformIn(random, 0.2, 0.7) * depth),
    ],
    closedRad,
    openRad: rounded(closedRad - uniformIn(random, 0.3, 1.5)),
    widthM: rounded(atWall ? uniformIn(random, 0.6, 0.9) : 0.4, 2),
    heightM: atWall ? 2 : 0.8,
    rcsM2: rounded(uniformIn(random, 0.1, atWall ? 0.8 : 0.3), 2),
    movesS: [movedS],
    moveSeconds: 1.5,
  }
}

/** The one room of a random scenario, and its door. */
const environmentId = "random-room"
const doorId = "door"

/** A random scenario: one room that people enter through one door. */
export const randomScenario = (options: SuiteOptions, seed: number): Scenario => {
  const { agedSeconds, emptySeconds } = options
  const streams = (name: string): Random => createRandom(seed, `scenario ${name}`)
  const random = streams("room")
  const { nodes, size } = options.rooms === null
    ? drawGeometry(options, random, streams("nodes"))
    : givenRoomOf(options.rooms, seed)
  const usualLayout = drawRoomLayout(size, streams("layout"))
  const layout = options.people === "regular" ? usualLayout : withMattress(usualLayout, streams("mattress"))
  const { door, ...furnishings } = layout
  const hardware = streams("hardware")
  const room: Room = {
    environmentId,
    name: `random room ${seed}`,
    origin: [0, 0],
    size,
    surfaces: drawSurfaces(options.materials, random),
    furniture: drawInteger(random, [3, 10]),
    ...furnishings,
    fans: options.fixtures.fan ? [drawFan(size, streams("fan"))] : [],
    pets: options.fixtures.pet ? [drawPet(size, streams("pet"))] : [],
    doorLeaves: agedSeconds === 0 ? [] : [drawMovedLeaf(size, emptySeconds + agedSeconds / 2, streams("leaf"))],
    nodes,
    radio: {
      ...drawRadio(
        hardware,
        listed(options.bandGhz),
        listed(options.bandwidthMhz),
        drawOne(streams("subcarriers"), listed(options.subcarriers)),
      ),
      receiveAntennas: drawInteger(hardware, options.antennas),
      packetRateHz: drawNumber(hardware, options.packetRateHz),
      transmitPowerDbm: drawInteger(hardware, [10, 20]),
    },
  }
  const calibrated = chance(hardware, options.calibratedShare)
  return {
    scenarioId: `random-${seed}`,
    rooms: [room],
    doors: [{ doorId, place: door, rooms: [environmentId, null] }],
    persons: Array.from(
      { length: drawInteger(streams("persons"), options.persons) },
      (_, i) => {
        const person = drawPerson(size, layout, doorId, options.behaviour, streams(`person ${i}`))
        return mannered(person, options.people === "varied", listed(options.limbs), streams(`manner ${i}`))
      },
    ),
    emptySeconds: emptySeconds + agedSeconds,
    radio: drawOne(streams("radio model"), listed(options.radio)),
    impairments: drawLevel(streams("impairments"), options.impairments, calibrated),
    seed,
  }
}
