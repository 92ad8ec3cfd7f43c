/**
 * The suites: tests of an estimator under conditions that differ from training in one respect each, as data.
 *
 * A seed of a suite is one sequence; seeds cycle through the variants of the suite, so that every range of seeds has all of them.
 */
import { only } from "../random-scenario/persons.ts"
import { defaultSuite, type SuiteOptions } from "../random-scenario/random-scenario.ts"
import { openScene, openSceneIn, type Scene, type SurveyMistake } from "./scene.ts"
import { clipFamilyOf, seedRanges } from "./seed-ranges.ts"

interface Suite {
  readonly name: string
  /** The difference from training. */
  readonly about: string
  /** Length of a sequence after its empty phase: long enough for a person to enter, perform some steps and rest. */
  readonly seconds: number
  /** Whether the room is different from that of every training seed. */
  readonly roomIsNew: boolean
  /** Differences of the sequences from `usual`; several variants also get separate figures. */
  readonly variants: ReadonlyArray<Variant>
}

interface Variant {
  readonly name: string
  readonly options: Partial<SuiteOptions>
  /** A mistake in the geometry that the estimator gets. */
  readonly mistake?: SurveyMistake
}

/** The most frequent options in training. */
export const usual: SuiteOptions = defaultSuite

/** Rounds per second for many nodes, which share the air time; other numbers of nodes use `usual`. */
const crowded = { 12: 40, 20: 20 } as const

/** Walks and short stands, in which habits of limbs apply. */
const onFeet = { behaviour: only({ walk: 6, stand: 0.5 }) }

/** Short stays in the room. */
const outAndIn = { behaviour: { kind: "visits" }, people: "varied" } as const

export const suites = [
  {
    name: "new-body",
    about: "Room, layout and hardware of a training seed, with a new body.",
    seconds: 30,
    roomIsNew: false,
    variants: [{ name: "as usual", options: {} }],
  },
  {
    name: "new-room",
    about: "Room, layout, hardware and body are new.",
    seconds: 30,
    roomIsNew: true,
    variants: [{ name: "as usual", options: {} }],
  },
  {
    name: "new-layout",
    about: "Another number of routers: 3 to 20.",
    seconds: 30,
    roomIsNew: true,
    variants: [
      { name: "3 nodes", options: { nodes: 3 } },
      { name: "4 nodes", options: { nodes: 4 } },
      { name: "5 nodes", options: { nodes: 5 } },
      { name: "8 nodes", options: { nodes: 8 } },
      { name: "12 nodes", options: { nodes: 12, packetRateHz: crowded[12] } },
      { name: "20 nodes", options: { nodes: 20, packetRateHz: crowded[20] } },
    ],
  },
  {
    name: "new-radio",
    about: "Another band or bandwidth.",
    seconds: 30,
    roomIsNew: true,
    variants: [
      { name: "2.4 GHz, 20 MHz", options: { bandwidthMhz: 20 } },
      { name: "5 GHz, 40 MHz", options: { bandGhz: 5 } },
      { name: "5 GHz, 80 MHz", options: { bandGhz: 5, bandwidthMhz: 80 } },
      { name: "6 GHz, 160 MHz", options: { bandGhz: 6, bandwidthMhz: 160 } },
    ],
  },
  {
    name: "many-persons",
    about: "One to four persons.",
    seconds: 30,
    roomIsNew: true,
    variants: [
      { name: "1 person", options: { persons: 1 } },
      { name: "2 persons", options: { persons: 2 } },
      { name: "3 persons", options: { persons: 3 } },
      { name: "4 persons", options: { persons: 4 } },
    ],
  },
  {
    name: "impaired",
    about: "Poor receivers, loss and interference.",
    seconds: 30,
    roomIsNew: true,
    variants: [{ name: "heavy impairments", options: { impairments: "heavy" } }],
  },
  {
    name: "materials",
    about: "The room has materials that do not occur in training.",
    seconds: 30,
    roomIsNew: true,
    variants: [{ name: "shifted materials", options: { materials: "shifted" } }],
  },
  {
    name: "falls",
    about: "Falls, and what resembles them: sitting down fast, dropping to the floor, kneeling, jumping.",
    seconds: 45,
    roomIsNew: true,
    variants: [{
      name: "falls",
      options: {
        behaviour: only({
          walk: 3,
          stand: 0.5,
          fall: 3,
          "sit-fast": 1,
          "drop-to-floor": 1,
          "pick-up": 1,
          kneel: 1,
          jump: 1,
        }),
      },
    }],
  },
  {
    name: "empty",
    about: "No persons; a fan or a pet in two of three sequences.",
    seconds: 60,
    roomIsNew: true,
    variants: [
      { name: "nothing moves", options: { persons: 0 } },
      { name: "a fan", options: { persons: 0, fixtures: { fan: true, pet: false } } },
      { name: "a pet", options: { persons: 0, fixtures: { fan: false, pet: true } } },
    ],
  },
  {
    name: "real-motion",
    about: "Bodies move as captured people, whose motion is not in training.",
    seconds: 45,
    roomIsNew: true,
    variants: [
      {
        name: "any motion",
        options: { people: "varied", behaviour: { kind: "captured", family: "held-out" } },
      },
      {
        name: "walking forward",
        options: { people: "varied", behaviour: { kind: "captured", family: "held-out", walks: true } },
      },
    ],
  },
  {
    name: "other-radio",
    about: "Echoes of surfaces by physical optics instead of points; half of the sequences have any hardware.",
    seconds: 30,
    roomIsNew: true,
    variants: [
      { name: "surfaces", options: { radio: "surfaces" } },
      { name: "surfaces, any hardware", options: { radio: "surfaces", impairments: "wild" } },
    ],
  },
  {
    name: "frozen-limbs",
    about: "Walking persons whose arms or legs keep still.",
    seconds: 30,
    roomIsNew: true,
    variants: [
      { name: "arms and legs", options: { ...onFeet, people: "varied", limbs: { arms: "still", legs: "still" } } },
      { name: "arms", options: { ...onFeet, people: "varied", limbs: { arms: "still", legs: "usual" } } },
      { name: "legs", options: { ...onFeet, people: "varied", limbs: { arms: "usual", legs: "still" } } },
    ],
  },
  {
    name: "carrying",
    about: "Walking persons who carry something or push a walker.",
    seconds: 30,
    roomIsNew: true,
    variants: [{
      name: "carrying",
      options: { ...onFeet, people: "varied", limbs: { arms: "carrying", legs: "usual" } },
    }],
  },
  {
    name: "backwards",
    about: "Walking backwards.",
    seconds: 30,
    roomIsNew: true,
    variants: [{ name: "backwards", options: { behaviour: only({ "walk-backwards": 5, walk: 1 }), people: "varied" } }],
  },
  {
    name: "turning",
    about: "Turning on the spot, half of the turns fast, and walking.",
    seconds: 30,
    roomIsNew: true,
    variants: [{ name: "turning", options: { behaviour: only({ turn: 6, walk: 2, stand: 0.3 }), people: "varied" } }],
  },
  {
    name: "long-lie",
    about: "A fall after which the person stays on the floor.",
    seconds: 150,
    roomIsNew: true,
    variants: [{ name: "a fall", options: { behaviour: { kind: "long-lie" }, people: "varied" } }],
  },
  {
    name: "door",
    about: "Persons who leave the room and come back.",
    seconds: 60,
    roomIsNew: true,
    variants: [
      { name: "1 person", options: { ...outAndIn, persons: 1 } },
      { name: "2 persons", options: { ...outAndIn, persons: 2 } },
    ],
  },
  {
    name: "uncalibrated",
    about: "The phases of the antennas are not calibrated.",
    seconds: 30,
    roomIsNew: true,
    variants: [{ name: "uncalibrated antennas", options: { calibratedShare: 0 } }],
  },
  {
    name: "wrong-geometry",
    about: "Two nodes are exchanged in the geometry, or one has been moved by 1.5 m.",
    seconds: 30,
    roomIsNew: true,
    variants: [
      { name: "two nodes exchanged", options: {}, mistake: "permuted" },
      { name: "one node moved", options: {}, mistake: "moved" },
    ],
  },
  {
    name: "old-calibration",
    about: "Calibrated ten minutes earlier; meanwhile a door or a chair was moved.",
    seconds: 30,
    roomIsNew: true,
    variants: [{ name: "ten minutes", options: { agedSeconds: 600, people: "varied" } }],
  },
] as const satisfies ReadonlyArray<Suite>

export type SuiteName = typeof suites[number]["name"]
export const suiteNames: ReadonlyArray<SuiteName> = suites.map(({ name }) => name)

export const suiteOf = (name: SuiteName): Suite => suites.find((suite) => suite.name === name)!

/** The variant of a sequence. */
export const variantOf = ({ variants }: Suite, seed: number): Variant => variants[seed % variants.length]!

/** The options of one sequence, with captured clips of the seed's family. */
export const optionsOf = (suite: Suite, seed: number): SuiteOptions => {
  const options = { ...usual, ...variantOf(suite, seed).options }
  const { behaviour } = options
  return behaviour.kind === "captured"
    ? { ...options, behaviour: { ...behaviour, family: clipFamilyOf(seed) } }
    : options
}

/** The training seed whose room a sequence uses when rooms are not new. */
export const trainedRoomOf = (seed: number): number => {
  const { first, last } = seedRanges.train
  return first + seed % (last - first + 1)
}

/** The scene of one sequence. */
export const sceneOf = (suite: Suite, seed: number): Scene => {
  const options = optionsOf(suite, seed)
  const { mistake = null } = variantOf(suite, seed)
  return suite.roomIsNew ? openScene(options, seed, mistake) : openSceneIn(options, trainedRoomOf(seed), seed)
}
