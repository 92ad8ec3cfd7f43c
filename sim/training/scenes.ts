/**
 * Scenes as training data: a random scenario, in any room or in those of a site, is simulated, its packets go through the service's own reducers, and every person becomes
 * a sequence of the network's inputs and targets.
 *
 * Owns that way, and which kinds of scenes are trained on. Boundary: tracks are simulated (`simulated-track.ts`), since imaging each
 * scene would cost more than all the rest.
 */
import { activityStates } from "../../core/activity/sample.ts"
import { addEchoes, createEchoSeries, type EchoSeries } from "../../core/pose/echo-series.ts"
import { createSpectrumScratch } from "../../core/pose/link-spectrum.ts"
import { tokenSize } from "../../core/pose/link-token.ts"
import { trackSize } from "../../core/pose/network.ts"
import {
  followHeading,
  type Heading,
  tokensMax,
  type TrackedPerson,
  unknownHeading,
  writeTokens,
  writeTrack,
} from "../../core/pose/person-input.ts"
import { hopUs, type Observation } from "../../core/signal/observation.ts"
import { createRandom, type Random } from "../random.ts"
import { defaultSuite, givenRoomOf, randomScenario, type SuiteOptions } from "../random-scenario.ts"
import { createReception } from "../reception.ts"
import { geometryOf, type Scenario } from "../scenario.ts"
import { createSimulation, type PersonTruth } from "../simulation.ts"
import type { Moment } from "./sequence.ts"
import { createSimulatedTrack, type SimulatedTrack } from "./simulated-track.ts"
import type { TrainingRoom } from "./site-rooms.ts"

/** Tokens of a moment that are kept: a random choice each time, so that the network learns to take any links. */
const tokensKept = 16
/** Moments of a sequence below which it is not worth its file: 5 s. */
const momentsMin = 50

/** Routers of a scene that are listened to: what the others hear would be left out by the choice of tokens. */
const routersHeard = 4

/** Simulated time begins here, so that data do not depend on when they were made. */
const startUs = 1_600_000_000_000_000

/** The kind of scene that a seed has: mostly the common site, now and then another number of nodes, radio, or more people. */
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
    persons: people < 0.6 ? 1 : people < 0.85 ? 2 : 3,
    impairments: random.uniform() < 0.9 ? "usual" : "heavy",
    fixtures: { fan: random.uniform() < 0.1, pet: random.uniform() < 0.1 },
    // In a life where every step is as common as the next, one moment in a hundred is a fall: too few to learn from.
    behaviour: { kind: "scripted", fallTimes: random.uniform() < 0.35 ? 6 : 1 },
    emptySeconds: 4,
  }
}

/** A person of a scene, as far as it was followed. */
interface Followed {
  readonly track: SimulatedTrack
  heading: Heading
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
  const random = createRandom(scenario.seed, "routers heard")
  const heard = receivers.map((nodeId) => ({ nodeId, order: random.uniform() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, routersHeard)
    .map(({ nodeId }) => nodeId)
  const simulation = createSimulation(scenario, { startUs, heard: new Set(heard) })
  const reception = createReception(heard, scenario.emptySeconds * 1e6 - hopUs)
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

/** Keypoints in the person's frame: about the tracked place, turned by the heading; z over the floor. */
const inFrame = ({ keypoints }: PersonTruth, { x, y }: TrackedPerson, { rad }: Heading): Float32Array => {
  const cos = Math.cos(rad)
  const sin = Math.sin(rad)
  return Float32Array.from(keypoints.flatMap(([kx, ky, kz]) => [
    (kx - x) * cos + (ky - y) * sin,
    (ky - y) * cos - (kx - x) * sin,
    kz,
  ]))
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
 * The sequences of a seed's scene: one for each stay of a person.
 *
 * @param rooms those of a site, one of which the scene is in; null: a room that the seed draws
 */
export const sequencesOf = (
  seed: number,
  seconds: number,
  rooms: ReadonlyArray<TrainingRoom> | null,
): ReadonlyArray<ReadonlyArray<Moment>> => {
  const { receivers, scenario } = trainingScenario(seed, rooms)
  const { environmentId } = scenario.rooms[0]!
  const geometry = geometryOf(scenario, environmentId)
  const random = createRandom(seed, "training")
  const series = new Map<string, EchoSeries | null>()
  const scratch = createSpectrumScratch()
  const tokens = new Float32Array(tokensMax * tokenSize)
  const mask = new Float32Array(tokensMax)
  const followed = new Map<number, Followed>()
  const done: Array<ReadonlyArray<Moment>> = []
  const finish = (person: number, { moments }: Followed): void => {
    if (moments.length >= momentsMin) done.push(moments)
    followed.delete(person)
  }

  for (const { hop, observations, truth } of observed(scenario, receivers, seconds)) {
    for (const observation of observations) {
      for (const link of observation.links) {
        const key = `${observation.routerId} ${link.transmitterId}`
        if (!series.has(key)) series.set(key, createEchoSeries(geometry, observation, link.transmitterId))
        const known = series.get(key)
        if (known != null) addEchoes(known, observation.hop, link)
      }
    }
    const links = [...series.values()].filter((one) => one !== null)
    const endS = ((hop + 1) * hopUs) / 1e6
    for (const one of truth) {
      const known = followed.get(one.person)
      if (one.location === null || one.activity === null) {
        if (known !== undefined) finish(one.person, known)
        continue
      }
      const person = known ?? { track: createSimulatedTrack(random), heading: unknownHeading, moments: [] }
      followed.set(one.person, person)
      const tracked = person.track.step(one.location[0], one.location[1], hopUs / 1e6)
      person.heading = followHeading(person.heading, tracked, endS)
      const count = writeTokens(links, tracked, person.heading, endS, scratch, tokens, mask, 0)
      const track = new Float32Array(trackSize)
      writeTrack(tracked, person.heading, endS, count, track, 0)
      person.moments.push({
        ...someTokens(tokens, count, random),
        track,
        keypoints: inFrame(one, tracked, person.heading),
        activity: activityStates.indexOf(one.activity),
      })
    }
  }
  for (const [person, known] of [...followed]) finish(person, known)
  return done
}
