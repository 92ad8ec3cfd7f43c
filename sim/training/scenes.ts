/**
 * Scenes as training data: a random scenario, in any room or in those of a site, is simulated, its packets go through the service's
 * own reducers and its own tracker, and every person who is tracked becomes a sequence of the network's inputs and targets.
 *
 * Owns that way, and which kinds of scenes are trained on. Boundary: the tracker is the caller's, who also runs its kernels: the network
 * learns from the tracks that it will be given, errors and all.
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
import { defaultSuite, givenRoomOf, randomScenario, type SuiteOptions } from "../random-scenario/random-scenario.ts"
import { createReception } from "../simulation/reception.ts"
import { geometryOf, type Scenario } from "../scenario/scenario.ts"
import { createSimulation, type PersonTruth } from "../simulation/simulation.ts"
import type { Moment } from "./sequence.ts"
import type { TrainingRoom } from "./site-rooms.ts"

/** Follows the persons of a room as the service does. */
export interface Tracker {
  /** What the network is asked at the end of a hop, and of whom; null when of nobody. Hops come in ascending order. */
  readonly ask: (
    hop: number,
    observations: ReadonlyArray<Observation>,
  ) => Computation<{ readonly inputs: PoseInputs; readonly asked: ReadonlyArray<AskedPerson> } | null>
}

/** Tokens of a moment that are kept: a random choice each time, so that the network learns to take any links. */
const tokensKept = 16
/** Moments of a sequence below which it is not worth its file: 5 s. */
const momentsMin = 50

/** A track is of the nearest person within so far. */
const gateM = 1

/** Simulated time begins here, so that data do not depend on when they were made. */
const startUs = 1_600_000_000_000_000

/** The kind of scene that a seed has: mostly the common site, now and then another number of nodes or radio, with one to four people. */
export const trainingSuite = (seed: number): SuiteOptions => {
  const random = createRandom(seed, "training suite")
  const usual = random.uniform() < 0.6
  const people = random.uniform()
  return {
    ...defaultSuite,
    nodes: usual ? 6 : [4, 9],
    antennas: usual ? 3 : [2, 4],
    bandGhz: usual ? 2.4 : [2.4, 5],
    bandwidthMhz: usual ? 40 : [20, 40, 80],
    subcarriers: 14,
    packetRateHz: 100,
    // Each is a sequence of its own, and of several persons there is more to learn: they hide each other.
    persons: people < 0.3 ? 1 : people < 0.6 ? 2 : people < 0.82 ? 3 : 4,
    impairments: random.uniform() < 0.9 ? "usual" : "heavy",
    fixtures: { fan: random.uniform() < 0.1, pet: random.uniform() < 0.1 },
    // In a life where every step is as common as the next, one moment in a hundred is a fall: too few to learn from.
    behaviour: { kind: "scripted", fallTimes: random.uniform() < 0.35 ? 6 : 1 },
    emptySeconds: 4,
  }
}

/** A track of a scene, as far as it was of one person. */
interface Followed {
  readonly person: number
  readonly moments: Array<Moment>
}

/** Sends a scenario's packets through one reducer a router; answers each hop's observations and the truth at its end. */
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
  const simulation = createSimulation(scenario, { startUs, heard: new Set(receivers) })
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

/** Keypoints in the frame of an answer: about the tracked place, turned by the heading; z over the floor. */
const inFrame = ({ keypoints }: PersonTruth, { heading: { rad }, person: { x, y } }: AskedPerson): Float32Array => {
  const cos = Math.cos(rad)
  const sin = Math.sin(rad)
  return Float32Array.from(keypoints.flatMap(([kx, ky, kz]) => [
    (kx - x) * cos + (ky - y) * sin,
    (ky - y) * cos - (kx - x) * sin,
    kz,
  ]))
}

/** The persons of whom these tracks are, by track id: pairs within `gateM`, the nearest first, each person and track once. */
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

/** The scenario of a seed, in one of the rooms where they are given, and its nodes that receive. */
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
 * The sequences of a seed's scene: one for each stretch in which a track was of the same person.
 *
 * @param rooms those of a site, one of which the scene is in; null: a room that the seed draws
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
