/** Inputs of the network and the poses read from its outputs: frames, memory, links. */
import { activityStates } from "../../../core/activity/sample.ts"
import { describe, expect, it } from "vitest"
import { createPoseNetwork, forward, memorySize, outputLayout, type PoseOutputs } from "../../../core/pose/network.ts"
import { followHeading, tokensMax, toRoom, unknownHeading, withoutGeometry } from "../../../core/pose/person-input.ts"
import { createRoomPoses, type IdentifiedPerson } from "../../../core/pose/room-poses.ts"
import { tokenDirectionsAt, tokenSize } from "../../../core/pose/link-token.ts"
import { readWeights } from "../../../core/pose/weights.ts"
import type { Observation } from "../../../core/observation/observation.ts"
import { compute } from "../../harness/compute.ts"
import { gliding } from "../../harness/echoes.ts"
import { geometry, observationOf } from "./echoes.ts"
import { randomEvidentWeights, randomNetwork, randomWeights } from "./random-network.ts"

const network = randomNetwork(2)
const site = {
  ...geometry,
  nodes: [...geometry.nodes, { nodeId: "n3", position: [3, 0, 1], arrayAxis: [1, 0, 0] }, {
    nodeId: "n4",
    position: [3, 5, 2],
    arrayAxis: [1, 0, 0],
  }] as const,
}

/** Observations of "rx", which receives three nodes of the site and an unknown one. */
const heard = (hop: number): ReadonlyArray<Observation> => {
  const observation = observationOf([gliding([2.5, 3.4, 1], [0.6, 0, 0], 0.3)], hop)
  const link = observation.links[0]!
  return [{
    ...observation,
    links: ["tx", "n3", "n4", "stranger"].map((transmitterId) => ({ ...link, transmitterId })),
  }]
}

const person = (id: number, velocityX: number, restsS = 0): IdentifiedPerson => ({
  id,
  x: 2.5,
  y: 3.4,
  velocityX,
  velocityY: 0,
  sigmaM: 0.2,
  ageS: 2,
  restsS,
})

/** Poses after the hops, of the given persons in each. */
const runHops = (
  persons: (hop: number) => ReadonlyArray<IdentifiedPerson>,
  hops: number,
  used = network,
) => {
  const poses = createRoomPoses(site, used)
  let outputs: PoseOutputs | null = null
  let read: ReturnType<typeof poses.read> = new Map()
  for (let hop = 0; hop < hops; hop++) {
    poses.observe(heard(hop))
    const inputs = compute(poses.ask(hop, persons(hop)))
    outputs = inputs === null ? null : compute(forward(used, inputs))
    read = outputs === null ? new Map() : poses.read(outputs)
  }
  return { poses, outputs, read }
}

describe("the poses of a room", () => {
  it("use the links whose nodes are known, and are in the room's coordinates", () => {
    const { outputs, read } = runHops(() => [person(7, 0.8)], 6)
    const pose = read.get(7)!
    expect(pose.linksUsed).toBe(3)
    expect(pose.keypoints).toHaveLength(17)
    expect(pose.activities).toHaveLength(activityStates.length)
    expect(pose.activities.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 6)
    // The person walks along x: its frame is the room's, translated.
    expect(pose.keypoints[0]!.x).toBeCloseTo(2.5 + outputs!.values[0]!, 5)
    expect(pose.keypoints[0]!.y).toBeCloseTo(3.4 + outputs!.values[1]!, 5)
    expect(pose.keypoints[0]!.z).toBeCloseTo(outputs!.values[2]!, 5)
    for (const { confidence, sigmaM } of pose.keypoints) {
      expect(confidence).toBeGreaterThan(0)
      expect(confidence).toBeLessThan(1)
      expect(sigmaM).toBeGreaterThan(0)
    }
  })

  it("say what they see, if the weights do; else why not", () => {
    const evident = createPoseNetwork(readWeights(randomEvidentWeights(2)))
    const pose = runHops(() => [person(7, 0.8)], 6, evident).read.get(7)!
    expect(pose.evidenceReason).toBeNull()
    for (const { observed, sigmaM } of pose.keypoints) {
      expect(typeof observed).toBe("boolean")
      expect(sigmaM).toBeGreaterThan(0)
    }
    const other = runHops(() => [person(7, 0.8)], 6).read.get(7)!
    expect(other.evidenceReason).toMatch("random-2")
    expect(other.keypoints.map(({ observed }) => observed)).toEqual(new Array(17).fill(null))
  })

  it("are none below three links, and none without persons", () => {
    const poses = createRoomPoses(geometry, network)
    poses.observe(heard(0))
    const inputs = compute(poses.ask(0, [person(1, 0.8)]))!
    expect(poses.read(compute(forward(network, inputs))).size).toBe(0)
    expect(compute(poses.ask(1, []))).toBeNull()
  })

  it("depend on the person's own memory, which is dropped with its track", () => {
    const poses = createRoomPoses(site, network)
    const ask = (hop: number, ids: ReadonlyArray<number>) => {
      poses.observe(heard(hop))
      const inputs = compute(poses.ask(hop, ids.map((id) => person(id, 0.8))))!
      poses.read(compute(forward(network, inputs)))
      return inputs.memory
    }
    expect(ask(0, [1, 2]).every((value) => value === 0)).toBe(true)
    const second = ask(1, [2, 3])
    expect(second.subarray(0, memorySize).some((value) => value !== 0)).toBe(true)
    expect(second.subarray(memorySize).every((value) => value === 0)).toBe(true)
    // 1 was absent for a moment: its track is a new one.
    expect(ask(2, [1]).every((value) => value === 0)).toBe(true)
  })

  it("keep the memory of a person at rest, until the person moves again", () => {
    const poses = createRoomPoses(site, network)
    const ask = (hop: number, restsS: number) => {
      poses.observe(heard(hop))
      const inputs = compute(poses.ask(hop, [person(1, 0, restsS)]))!
      poses.read(compute(forward(network, inputs)))
      return inputs.memory
    }
    ask(0, 0)
    const learned = ask(1, 10)
    expect(learned.some((value) => value !== 0)).toBe(true)
    expect(ask(2, 10.1)).toEqual(learned)
    expect(ask(3, 0)).toEqual(learned)
    expect(ask(4, 0.1)).not.toEqual(learned)
  })
})

describe("another network", () => {
  it("is used from the next inputs on, with the earlier echoes and headings and an empty memory", () => {
    const other = randomNetwork(5)
    const standing = (hop: number) => [person(1, hop < 4 ? 0.8 : 0)]
    const { poses } = runHops(standing, 5)
    const before = runHops(standing, 5).poses
    poses.useNetwork(other)
    for (const each of [poses, before]) each.observe(heard(5))
    const [inputs, kept] = [compute(poses.ask(5, standing(5)))!, compute(before.ask(5, standing(5)))!]
    expect(inputs.tokens).toEqual(kept.tokens)
    expect(inputs.mask).toEqual(kept.mask)
    expect(inputs.tracks).toEqual(kept.tracks)
    expect(kept.memory.some((value) => value !== 0)).toBe(true)
    expect(inputs.memory.every((value) => value === 0)).toBe(true)
    expect(poses.read(compute(forward(other, inputs))).get(1)!.linksUsed).toBe(3)
  })

  it("receives no geometry when it was trained without", () => {
    const { poses } = runHops(() => [person(1, 0.8)], 2)
    const blind = createPoseNetwork(readWeights(randomWeights(5, { geometry: "false" })))
    const directions = () =>
      compute(poses.ask(2, [person(1, 0.8)]))!.tokens.subarray(tokenDirectionsAt, tokenSize - 4).some((value) =>
        value !== 0
      )
    expect(directions()).toBe(true)
    poses.useNetwork(blind)
    expect(directions()).toBe(false)
  })
})

describe("a person's frame", () => {
  it("faces the last walking direction", () => {
    const walking = followHeading(unknownHeading, { ...person(1, 0), velocityX: 0, velocityY: 1 }, 3)
    expect(walking).toEqual({ rad: Math.PI / 2, atS: 3 })
    expect(followHeading(walking, person(1, 0.1), 4)).toBe(walking)
    const [x, y] = toRoom({ x: 1, y: 2 }, walking, 0.5, 0.25)
    expect(x).toBeCloseTo(0.75, 9)
    expect(y).toBeCloseTo(2.5, 9)
  })
})

describe("tokens without geometry", () => {
  it("keep only their spectra and the radio's values", () => {
    const tokens = new Float32Array(2 * tokenSize).fill(1)
    withoutGeometry(tokens)
    for (let at = 0; at < tokens.length; at += tokenSize) {
      expect(tokens.subarray(at, at + tokenDirectionsAt).every((value) => value === 1)).toBe(true)
      expect(tokens.subarray(at + tokenDirectionsAt, at + tokenSize - 4).every((value) => value === 0)).toBe(true)
      expect(tokens.subarray(at + tokenSize - 4, at + tokenSize).every((value) => value === 1)).toBe(true)
    }
  })

  it("has room for as many tokens as a person may have", () => {
    const { poses } = runHops(() => [], 1)
    const inputs = compute(poses.ask(1, [person(1, 0.8), person(2, 0.8)]))!
    expect(inputs.tokens).toHaveLength(2 * tokensMax * tokenSize)
    expect(outputLayout.size).toBe(113)
  })
})
