/** Training data: sequences of a scene, and the file that PyTorch reads. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { tokenSize } from "../../../core/pose/link-token.ts"
import { trackSize } from "../../../core/pose/network.ts"
import { openKernels } from "../../../deploy/estimation/kernels.ts"
import { serviceTracker } from "../../../deploy/composition/service-tracker.ts"
import { encodeSequence, type Moment, trainingLayout } from "../../../sim/training/sequence.ts"
import type { TrainingRoom } from "../../../sim/training/site-rooms.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import { regularLimbs } from "../../../sim/bodies/limb-habits.ts"
import { sequencesOf, trainingScenario, trainingSuite } from "../../../sim/training/scenes.ts"

const compute = await openKernels("wasm")
const sequences = (...[seed, seconds, rooms]: [number, number, ReadonlyArray<TrainingRoom> | null]) =>
  compute(sequencesOf(seed, seconds, rooms, serviceTracker))

const [made, again] = [await sequences(3, 20, null), await sequences(3, 20, null)]

const moment = (value: number, tokens: number): Moment => ({
  tokens: new Float32Array(tokens * tokenSize).fill(value),
  mask: Float32Array.from({ length: tokens }, (_, i) => i === 0 ? 1 : 0),
  track: new Float32Array(trackSize).fill(value / 2),
  keypoints: new Float32Array(51).fill(-value),
  activity: value,
})

describe("the file of a sequence", () => {
  it("is a line of JSON and the arrays in the order of data.py", () => {
    const file = encodeSequence(12, [moment(1, 2), moment(2, 2), moment(3, 2)])
    const line = file.indexOf(10)
    const head = JSON.parse(new TextDecoder().decode(file.subarray(0, line)))
    expect(head).toEqual({ seed: 12, moments: 3, tokens: 2, tokenSize, trackSize, keypoints: 17 })
    let at = line + 1
    const take = (bytes: number): DataView => {
      const view = new DataView(file.slice(at, at + bytes).buffer)
      at += bytes
      return view
    }
    const tokens = take(2 * 3 * 2 * tokenSize)
    // 1, 2 and 3 as half precision, little-endian.
    expect([0, 2 * 2 * tokenSize, 4 * 2 * tokenSize].map((byte) => tokens.getUint16(byte, true)))
      .toEqual([0x3c00, 0x4000, 0x4200])
    const mask = take(3 * 2)
    expect([0, 1, 2, 3, 4, 5].map((i) => mask.getUint8(i))).toEqual([1, 0, 1, 0, 1, 0])
    expect(take(4 * 3 * trackSize).getFloat32(4 * trackSize, true)).toBe(1)
    expect(take(4 * 3 * 51).getFloat32(4 * 51, true)).toBe(-2)
    const activities = take(3)
    expect([0, 1, 2].map((i) => activities.getUint8(i))).toEqual([1, 2, 3])
    expect(at).toBe(file.length)
  })

  it("comes with a layout whose directions and distances lie within a token", () => {
    const { directions, directionsAt, distancesEnd } = trainingLayout
    expect(directionsAt + 3 * directions).toBeLessThan(distancesEnd)
    expect(distancesEnd).toBeLessThan(tokenSize)
  })
})

describe("a training scene", () => {
  it("gives a tracked person a sequence with links, a body in its own frame and an activity", () => {
    expect(made.length).toBeGreaterThan(0)
    for (const moments of made) {
      const settled = moments.slice(15)
      for (const { activity, keypoints, mask, tokens, track } of settled) {
        expect(mask.reduce((sum, value) => sum + value, 0)).toBeGreaterThanOrEqual(8)
        expect([...tokens, ...track].every(Number.isFinite)).toBe(true)
        expect(activity).toBeGreaterThanOrEqual(0)
        // The hips are about the tracked place, whose error is below a metre, and the body is over the floor.
        expect(Math.hypot(keypoints[33]!, keypoints[34]!)).toBeLessThan(2)
        for (let joint = 0; joint < 17; joint++) expect(keypoints[3 * joint + 2]).toBeGreaterThan(-0.05)
      }
    }
  })

  it("keeps a person who stands still in one sequence", () => {
    // If the tracker lost them, the longest sequence would be split in two.
    expect(Math.max(...made.map(({ length }) => length))).toBeGreaterThan(100)
  })

  it("is the same for the same seed", () => {
    expect(again.map((moments) => encodeSequence(3, moments))).toEqual(
      made.map((moments) => encodeSequence(3, moments)),
    )
  })

  it("sometimes differs from the common site", () => {
    const suites = Array.from({ length: 200 }, (_, i) => trainingSuite(i + 1))
    const common = suites.filter(({ nodes }) => nodes === 6)
    expect(common.length).toBeGreaterThan(90)
    expect(common.length).toBeLessThan(150)
    expect(new Set(suites.map(({ persons }) => persons))).toEqual(new Set([1, 2, 3, 4]))
    // Half has limbs that do not follow the trunk or other postures, and a fifth have the second radio.
    const shareOf = (chosen: (suite: typeof suites[number]) => boolean) => suites.filter(chosen).length / suites.length
    const apart = shareOf(({ limbs }) => limbs !== regularLimbs)
    const second = shareOf(({ radio }) => radio === "surfaces")
    expect(Math.abs(apart - 0.55)).toBeLessThan(0.12)
    expect(Math.abs(second - 0.2)).toBeLessThan(0.08)
  })
})

describe("a training scene in given rooms", () => {
  const node = (nodeId: string, ...position: [number, number, number]) =>
    ({ nodeId, position, arrayAxis: [1, 0, 0] }) as const
  const rooms = [
    {
      size: [4.2, 3.4, 2.5],
      nodes: [node("a", 0, 0, 1), node("b", 4, 0, 1), node("c", 2, 3, 2)],
      receivers: ["a", "c"],
    },
    {
      size: [2.6, 2.2, 2.2],
      nodes: [node("d", 0, 0, 1), node("e", 2, 0, 1), node("f", 1, 2, 2)],
      receivers: ["d", "f"],
    },
  ] as const satisfies ReadonlyArray<TrainingRoom>
  const scenes = Array.from({ length: 60 }, (_, i) => trainingScenario(i + 1, rooms))
  const roomOf = ({ scenario }: typeof scenes[number]) => scenario.rooms[0]!

  it("has the unchanged nodes and size of one of them, and can be simulated", () => {
    for (const scene of scenes) {
      const given = rooms.find(({ nodes }) => nodes[0].nodeId === roomOf(scene).nodes[0]!.nodeId)!
      expect(roomOf(scene).nodes).toEqual(given.nodes)
      expect(roomOf(scene).size).toEqual(given.size)
      expect(scene.receivers).toEqual(given.receivers)
      const decoded = Effect.runSync(Effect.result(decodeScenario(JSON.parse(JSON.stringify(scene.scenario)))))
      expect(decoded._tag === "Failure" ? decoded.failure.message : "fits").toBe("fits")
    }
    expect(new Set(scenes.map((scene) => roomOf(scene).nodes[0]!.nodeId)).size).toBe(2)
  })

  it("has persons, furnishings, walls and impairments of its own, as in a random room", () => {
    const roomy = scenes.filter((scene) => roomOf(scene).size === rooms[0].size)
    const of = (part: (scene: typeof scenes[number]) => unknown) =>
      new Set(roomy.map((one) => JSON.stringify(part(one)))).size
    expect(roomy.length).toBeGreaterThan(20)
    expect(of(({ scenario }) => scenario.persons)).toBe(roomy.length)
    expect(of(({ scenario }) => scenario.impairments)).toBe(roomy.length)
    expect(of((scene) => [roomOf(scene).seats, roomOf(scene).beds])).toBeGreaterThan(0.9 * roomy.length)
    expect(of((scene) => roomOf(scene).surfaces)).toBeGreaterThan(roomy.length / 2)
  })

  it("gives sequences with no more links than its routers receive", async () => {
    const listened = {
      size: [5.2, 4.4, 2.5],
      nodes: [node("a", 0.2, 0.2, 1), node("b", 5, 0.3, 1.4), node("c", 2.4, 4.2, 2), node("d", 0.3, 4.1, 0.6)],
      receivers: ["a", "b", "c"],
    } as const
    const made = await sequences(1, 14, [listened])
    expect(made.length).toBeGreaterThan(0)
    for (const { mask } of made.flatMap((moments) => moments.slice(15))) {
      const links = mask.reduce((sum, value) => sum + value, 0)
      expect(links).toBeGreaterThan(0)
      expect(links).toBeLessThanOrEqual(3 * 3)
    }
  })
})
