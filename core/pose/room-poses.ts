/**
 * The poses of a room: the network's estimates of the tracked persons, hop by hop.
 *
 * Owns the echo series of the room's links and each person's memory and heading. Boundary: `core/tracking` tracks the
 * persons; the network is `network.ts`.
 *
 * Invariants: a link takes part only when both of its nodes are in the geometry, so memory is bounded by it; a person's
 * memory is dropped with its track.
 */
import { activityStates } from "../activity/sample.ts"
import type { SiteGeometry } from "../imaging/geometry.ts"
import { layoutOf } from "../imaging/link-state.ts"
import type { Computation } from "../kernels/kernel.ts"
import { hopUs, type Observation } from "../observation/observation.ts"
import { addEchoes, createEchoSeries, type EchoSeries } from "./echo-series.ts"
import { spectraOf } from "./link-spectrum.ts"
import { tokenSize } from "./link-token.ts"
import { memorySize, type PoseInputs, type PoseNetwork, type PoseOutputs, trackSize } from "./network.ts"
import {
  followHeading,
  type Heading,
  steeredLinksOf,
  tokensMax,
  type TrackedPerson,
  unknownHeading,
  withoutGeometry,
  writeTokens,
  writeTrack,
} from "./person-input.ts"
import { evidenceParts, type Habit, noHabit } from "./evidence.ts"
import { type BodyPose, readPose } from "./read-pose.ts"
import { noRest, rememberedOf, type Rest } from "./resting.ts"

/** Minimum number of tokens for a pose: three links. */
export const tokensMin = 3
export interface IdentifiedPerson extends TrackedPerson {
  readonly id: number
  /** Time since the person was last detected moving, or may have moved without being located. */
  readonly restsS: number
}

/** What is known of a person. */
interface Memory {
  readonly heading: Heading
  readonly values: Float32Array
  readonly habit: Habit
  readonly rest: Rest
}

/** The memory that another node continues from, without the state of rest, which restarts there. */
interface PersonMemory extends Omit<Memory, "rest"> {
  readonly id: number
}

export interface RoomPoses {
  /** What is known of the persons of the last inputs. */
  readonly memory: () => ReadonlyArray<PersonMemory>
  /** Continues with persons that the same network has followed elsewhere. Values of another size are ignored. */
  readonly recall: (persons: ReadonlyArray<PersonMemory>) => void

  /** Adds the observations of a hop. */
  readonly observe: (observations: ReadonlyArray<Observation>) => void
  /** The network's inputs for the persons at the end of a hop; null without persons. Drops the memory of all others. */
  readonly ask: (hop: number, persons: ReadonlyArray<IdentifiedPerson>) => Computation<PoseInputs | null>
  /** The persons of the last inputs, in their order. */
  readonly asked: () => ReadonlyArray<AskedPerson>
  /** Poses by id, from the network's outputs for the last inputs; persons with too few links are omitted. */
  readonly read: (outputs: PoseOutputs) => ReadonlyMap<number, BodyPose>
  /**
   * Uses another network from the next inputs on. Echoes and headings stay; the memory of the old network is cleared.
   */
  readonly useNetwork: (network: PoseNetwork) => void
}

/** A person of the last inputs: its place and heading are the frame of the outputs. */
export interface AskedPerson {
  readonly person: IdentifiedPerson
  readonly heading: Heading
  readonly links: number
}

interface Link {
  readonly layout: string
  readonly series: EchoSeries
}

const [lying, falling] = [activityStates.indexOf("lying"), activityStates.indexOf("falling")]
const lowOf = ({ activities }: BodyPose): number => activities[lying]! + activities[falling]!

/** The poses of the asked persons with enough links, and the memories of all, by id. */
const readAll = (
  asked: ReadonlyArray<AskedPerson>,
  network: PoseNetwork,
  { memory, values }: PoseOutputs,
  known: ReadonlyMap<number, Memory>,
): { readonly memories: Map<number, Memory>; readonly poses: ReadonlyMap<number, BodyPose> } => {
  const each = (array: Float32Array, i: number): Float32Array =>
    array.slice(i * (array.length / asked.length), (i + 1) * (array.length / asked.length))
  const memories = new Map<number, Memory>()
  const poses = new Map<number, BodyPose>()
  for (const [i, one] of asked.entries()) {
    const { heading, person: { ageS, id, restsS } } = one
    const before = known.get(id)
    const { habit, pose } = readPose(one, network, each(values, i), before?.habit ?? noHabit)
    const now = { ageS, restsS, values: each(memory, i), pelvisM: pose.pelvis[2], low: lowOf(pose) }
    memories.set(id, { heading, habit, ...rememberedOf(before?.rest ?? noRest, before?.values ?? now.values, now) })
    if (one.links >= tokensMin) poses.set(id, pose)
  }
  return { memories, poses }
}

/** The headings alone. */
const forgotten = (memories: ReadonlyMap<number, Memory>): Map<number, Memory> =>
  new Map([...memories].map(([id, { heading }]) => [
    id,
    { heading, values: new Float32Array(memorySize), habit: noHabit, rest: noRest },
  ]))

const isWhole = ({ habit: { evidence, posture }, values }: Omit<Memory, "rest">): boolean =>
  values.length === memorySize && posture.length === noHabit.posture.length &&
  (evidence === null || evidence.length === evidenceParts.length)

/** The echo series of a room's links. */
const createLinks = (geometry: SiteGeometry) => {
  const links = new Map<string, Link>()
  const observe: RoomPoses["observe"] = (observations) => {
    for (const observation of observations) {
      const layout = layoutOf(observation)
      for (const link of observation.links) {
        if (link.dynamic.length === 0 || observation.amplitudeOnly) continue
        const key = JSON.stringify([observation.routerId, link.transmitterId])
        let known = links.get(key)
        if (known?.layout !== layout) {
          const series = createEchoSeries(geometry, observation, link.transmitterId)
          // Links outside the geometry are ignored: their number has no bound.
          if (series === null) continue
          links.set(key, known = { layout, series })
        }
        addEchoes(known.series, observation.hop, link)
      }
    }
  }
  return { observe, series: () => [...links.values()].map((link) => link.series) }
}

export const createRoomPoses = (geometry: SiteGeometry, first: PoseNetwork): RoomPoses => {
  let network = first
  const links = createLinks(geometry)
  let memories = new Map<number, Memory>()
  let asked: ReadonlyArray<AskedPerson> = []
  let known: ReadonlyMap<number, Memory> = new Map()

  const ask: RoomPoses["ask"] = function* (hop, persons) {
    const endS = ((hop + 1) * hopUs) / 1e6
    const series = links.series()
    const steered = persons.map((person) => steeredLinksOf(series, person))
    const found = yield* spectraOf(steered.flat(), endS)
    const inputs: PoseInputs = {
      persons: persons.length,
      tokensEach: tokensMax,
      tokens: new Float32Array(persons.length * tokensMax * tokenSize),
      mask: new Float32Array(persons.length * tokensMax),
      tracks: new Float32Array(persons.length * trackSize),
      memory: new Float32Array(persons.length * memorySize),
    }
    let first = 0
    known = memories
    asked = persons.map((person, i) => {
      const before = known.get(person.id)
      const heading = followHeading(before?.heading ?? unknownHeading, person, endS)
      const count = writeTokens(steered[i]!, found, first, heading, inputs.tokens, inputs.mask, i * tokensMax)
      first += steered[i]!.length
      const turnedRad = before === undefined ? 0 : heading.rad - before.heading.rad
      writeTrack(person, heading, endS, turnedRad, count, inputs.tracks, i * trackSize)
      if (before !== undefined) inputs.memory.set(before.values, i * memorySize)
      return { person, heading, links: count }
    })
    if (!network.usesGeometry) withoutGeometry(inputs.tokens)
    memories = new Map()
    return persons.length === 0 ? null : inputs
  }

  const read: RoomPoses["read"] = (outputs) => {
    const found = readAll(asked, network, outputs, known)
    memories = found.memories
    return found.poses
  }

  const useNetwork: RoomPoses["useNetwork"] = (next) => {
    network = next
    memories = forgotten(memories)
  }

  const recall: RoomPoses["recall"] = (persons) => {
    for (const { id, ...memory } of persons) if (isWhole(memory)) memories.set(id, { ...memory, rest: noRest })
  }

  return {
    memory: () => [...memories].map(([id, { habit, heading, values }]) => ({ id, heading, values, habit })),
    recall,
    observe: links.observe,
    ask,
    asked: () => asked,
    read,
    useNetwork,
  }
}
