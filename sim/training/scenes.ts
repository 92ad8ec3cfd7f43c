/**
 * Scenes as training data: a random scenario, in a random room or in a room of a site, is simulated; its packets go through the
 * service's own reducers and tracker, and every tracked person becomes a sequence of the network's inputs and targets.
 *
 * Owns this conversion and the kinds of training scenes. Boundary: the caller supplies the tracker and runs its kernels, so the
 * network learns from real tracks with their errors.
 */
import { activityStates } from "../../core/activity/sample.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import { tokenSize } from "../../core/pose/link-token.ts"
import { type PoseInputs, trackSize } from "../../core/pose/network.ts"
import { tokensMax } from "../../core/pose/person-input.ts"
import type { AskedPerson } from "../../core/pose/room-poses.ts"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import { createRandom, type Random } from "../randomness/random.ts"
import { only } from "../random-scenario/persons.ts"
import { defaultSuite, givenRoomOf, randomScenario, type SuiteOptions } from "../random-scenario/random-scenario.ts"
import { type LimbHabits, regularLimbs } from "../bodies/limb-habits.ts"
import { clipFamilyOf } from "../evaluation/seed-ranges.ts"
import { createReception } from "../simulation/reception.ts"
import { geometryOf, type Scenario } from "../scenario/scenario.ts"
import { createSimulation, type PersonTruth } from "../simulation/simulation.ts"
import type { Moment } from "./sequence.ts"
import type { TrainingRoom } from "./site-rooms.ts"

/** Tracks the persons of a room as the service does. */
export interface Tracker {
  /** The network's inputs at the end of a hop and their persons; null without persons. Hops are ascending. */
  readonly ask: (
    hop: number,
    observations: ReadonlyArray<Observation>,
  ) => Computation<{ readonly inputs: PoseInputs; readonly asked: ReadonlyArray<AskedPerson> } | null>
}

/** Tokens kept per moment, chosen at random each time, so that the network learns to use any links. */
const tokensKept = 16
/** Smallest number of moments of a sequence: 5 s. */
const momentsMin = 50

/** Largest distance between a track and its person. */
const gateM = 1

/** Simulated time begins here, so that data do not depend on when they were made. */
const startUs = 1_600_000_000_000_000

/** Habits of limbs that do not follow the trunk, the half of them with still legs or arms. */
const apartLimbs: ReadonlyArray<LimbHabits> = [
  { arms: "still", legs: "usual" },
  { arms: "carrying", legs: "usual" },
  { arms: "independent", legs: "usual" },
  { arms: "usual", legs: "still" },
  { arms: "still", legs: "still" },
  { arms: "independent", legs: "still" },
  { arms: "usual", legs: "independent" },
  { arms: "still", legs: "independent" },
  { arms: "independent", legs: "independent" },
]

/** Habits of bodies in other postures: arms in any, and a crouch. */
const otherPostures: ReadonlyArray<LimbHabits> = [
  { arms: "posed", legs: "usual" },
  { arms: "posed", legs: "usual" },
  { arms: "posed", legs: "bent" },
  { arms: "usual", legs: "bent" },
]

/** The daily life of scenes in which limbs move apart. */
const walkers = { walk: 6, stand: 0.5, turn: 0.7, "walk-backwards": 0.7 }

/** The suite of a seed: mostly the common site, otherwise a different number of nodes or radio, with one to four persons. */
export const trainingSuite = (seed: number): SuiteOptions => {
  const random = createRandom(seed, "training suite")
  const usual = random.uniform() < 0.6
  const crowd = random.uniform()
  const level = random.uniform()
  const impairments = level < 0.8 ? "usual" : level < 0.9 ? "heavy" : "wild"
  const fixtures = { fan: random.uniform() < 0.1, pet: random.uniform() < 0.1 }
  // With equally frequent steps, one moment in a hundred is a fall, which is too few for training.
  const fallTimes = random.uniform() < 0.35 ? 6 : 1
  const wide = random.uniform() < 0.6
  const people = random.uniform() < 0.8 ? "varied" : "regular"
  const captured = random.uniform() < 0.65
  const kind = random.uniform()
  const family = clipFamilyOf(seed)
  const walks = kind < 0.25
  const clips = captured && kind < 0.6
  // Limbs apart from the trunk, so that what is not seen cannot be learned from what is. Most habits show on walkers only.
  const habits = random.uniform()
  const limbs = habits < 0.35 ? otherPostures : habits < (walks ? 0.8 : 0.45) ? apartLimbs : regularLimbs
  // The bodies of the second radio are also the weak ones.
  const radio = random.uniform() < 0.2 ? "surfaces" : "points"
  return {
    ...defaultSuite,
    nodes: usual ? 6 : [4, 9],
    antennas: usual ? 3 : [2, 4],
    bandGhz: usual ? 2.4 : [2.4, 5],
    bandwidthMhz: usual ? 40 : [20, 40, 80],
    radio,
    subcarriers: 14,
    packetRateHz: 100,
    // Each person is a sequence of its own, and scenes with several persons teach occlusion.
    persons: crowd < 0.35 ? 1 : crowd < 0.75 ? 2 : crowd < 0.93 ? 3 : 4,
    impairments,
    fixtures,
    behaviour: clips
      ? { kind: "captured", family, varied: true, ...(walks ? { walks } : {}) }
      : walks
      ? only(walkers)
      : { kind: "scripted", fallTimes, wide, ...(captured ? { captured: family } : {}) },
    people,
    limbs,
    emptySeconds: 4,
  }
}

/** A track of a scene while it belongs to one person. */
interface Followed {
  readonly person: number
  readonly moments: Array<Moment>
}

/** Sends the packets of a scenario through one reducer per router; yields each hop's observations and the truth at its end. */
const observed = function* (
  scenario: Scenario,
  receivers: ReadonlyArray<string>,
  seconds: number,
): Generator<
  {
    readonly hop: number
    readonly observations: ReadonlyArray<Observation>
    readonly truth: ReadonlyArray<PersonTruth>
  }
> {
  const simulation = createSimulation(scenario, { startUs, receiverIds: new Set(receivers) })
  const reception = createReception(receivers, scenario.emptySeconds * 1e6 - hopUs)
  for (let step = 0; step < (scenario.emptySeconds + seconds) * (1e6 / hopUs); step++) {
    const { batches, endUs, truth } = simulation.next()
    const observations = reception.take(batches, endUs)
    yield { hop: Math.round(endUs / hopUs) - 1, observations, truth }
  }
}

/** Tokens of `tokensKept` of the links that have one, in random order. */
const someTokens = (tokens: Float32Array, count: number, random: Random): Pick<Moment, "tokens" | "mask"> => {
  const order = Array.from({ length: count }, (_, i) => i)
  const kept = Math.min(count, tokensKept)
  for (let i = 0; i < kept; i++) {
    const j = i + Math.floor((count - i) * random.uniform())
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  const out = new Float32Array(tokensKept * tokenSize)
  for (let i = 0; i < kept; i++) {
    out.set(tokens.subarray(order[i]! * tokenSize, (order[i]! + 1) * tokenSize), i * tokenSize)
  }
  return { tokens: out, mask: Float32Array.from({ length: tokensKept }, (_, i) => i < kept ? 1 : 0) }
}

/** Keypoints in the frame of the network's outputs: relative to the tracked place, rotated by the heading; z above the floor. */
const inFrame = ({ keypoints }: PersonTruth, { heading: { rad }, person: { x, y } }: AskedPerson): Float32Array => {
  const cos = Math.cos(rad)
  const sin = Math.sin(rad)
  return Float32Array.from(keypoints.flatMap(([kx, ky, kz]) => [
    (kx - x) * cos + (ky - y) * sin,
    (ky - y) * cos - (kx - x) * sin,
    kz,
  ]))
}

/** The person of each track, by track id: pairs within `gateM`, the nearest first, each person and track once. */
const personsOf = (
  asked: ReadonlyArray<AskedPerson>,
  truth: ReadonlyArray<PersonTruth>,
): ReadonlyMap<number, PersonTruth> => {
  const pairs = asked.flatMap(({ person: { id, x, y } }) =>
    truth.flatMap((one) => {
      if (one.location === null || one.activity === null) return []
      const apartM = Math.hypot(one.location[0] - x, one.location[1] - y)
      return apartM <= gateM ? [{ id, one, apartM }] : []
    })
  ).sort((a, b) => a.apartM - b.apartM)
  const found = new Map<number, PersonTruth>()
  const taken = new Set<number>()
  for (const { id, one } of pairs) {
    if (found.has(id) || taken.has(one.person)) continue
    found.set(id, one)
    taken.add(one.person)
  }
  return found
}

/** The scenario of a seed, in one of the given rooms if any, and its receiving nodes. */
export const trainingScenario = (
  seed: number,
  rooms: ReadonlyArray<TrainingRoom> | null,
): { readonly scenario: Scenario; readonly receivers: ReadonlyArray<string> } => {
  const scenario = randomScenario({ ...trainingSuite(seed), rooms }, seed)
  const receivers = rooms === null
    ? scenario.rooms[0]!.nodes.map(({ nodeId }) => nodeId)
    : givenRoomOf(rooms, seed).receivers
  return { scenario, receivers }
}

/**
 * The sequences of a seed's scene: one for each stretch in which a track belongs to the same person.
 *
 * @param rooms rooms of a site, one of which the seed selects; null: a room drawn from the seed
 */
export const sequencesOf = function* (
  seed: number,
  seconds: number,
  rooms: ReadonlyArray<TrainingRoom> | null,
  trackerOf: (geometry: SiteGeometry) => Tracker,
): Computation<ReadonlyArray<ReadonlyArray<Moment>>> {
  const { receivers, scenario } = trainingScenario(seed, rooms)
  const tracker = trackerOf(geometryOf(scenario, scenario.rooms[0]!.environmentId))
  const random = createRandom(seed, "training")
  const done: Array<ReadonlyArray<Moment>> = []
  let followed = new Map<number, Followed>()
  const finish = ({ moments }: Followed): void => {
    if (moments.length >= momentsMin) done.push(moments)
  }

  for (const { hop, observations, truth } of observed(scenario, receivers, seconds)) {
    const question = yield* tracker.ask(hop, observations)
    const asked = question?.asked ?? []
    const persons = personsOf(asked, truth)
    const next = new Map<number, Followed>()
    for (const [i, one] of asked.entries()) {
      const person = persons.get(one.person.id)
      if (person === undefined || question === null) continue
      const known = followed.get(one.person.id)
      const track = known?.person === person.person ? known : { person: person.person, moments: [] }
      next.set(one.person.id, track)
      track.moments.push({
        ...someTokens(
          question.inputs.tokens.subarray(i * tokensMax * tokenSize),
          Math.min(tokensMax, one.links),
          random,
        ),
        track: question.inputs.tracks.slice(i * trackSize, (i + 1) * trackSize),
        keypoints: inFrame(person, one),
        activity: activityStates.indexOf(person.activity!),
      })
    }
    for (const [id, track] of followed) if (next.get(id) !== track) finish(track)
    followed = next
  }
  for (const track of followed.values()) finish(track)
  return done
}
