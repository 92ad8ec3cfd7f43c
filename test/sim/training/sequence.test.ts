/** Training data: what a scene becomes, and the file that PyTorch reads. */
import { describe, expect, it } from "vitest"
import { tokenSize } from "../../../core/pose/link-token.ts"
import { trackSize } from "../../../core/pose/network.ts"
import { encodeSequence, type Moment, trainingLayout } from "../../../sim/training/sequence.ts"
import { sequencesOf, trainingSuite } from "../../../sim/training/scenes.ts"

const moment = (value: number, tokens: number): Moment => ({
  tokens: new Float32Array(tokens * tokenSize).fill(value),
  mask: Float32Array.from({ length: tokens }, (_, i) => i === 0 ? 1 : 0),
  track: new Float32Array(trackSize).fill(value / 2),
  keypoints: new Float32Array(51).fill(-value),
  activity: value,
})

describe("the file of a sequence", () => {
  it("is a line of JSON and the arrays in the order that data.py takes them", () => {
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
  const seconds = 9
  const [sequences, again] = [sequencesOf(3, seconds), sequencesOf(3, seconds)]

  it("gives every person a sequence with links, a body in its own frame and an activity", () => {
    expect(sequences.length).toBeGreaterThan(0)
    for (const moments of sequences) {
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

  it("is the same for the same seed", () => {
    expect(again.map((moments) => encodeSequence(3, moments))).toEqual(
      sequences.map((moments) => encodeSequence(3, moments)),
    )
  })

  it("is now and then of another kind than the common site", () => {
    const suites = Array.from({ length: 200 }, (_, i) => trainingSuite(i + 1))
    const common = suites.filter(({ nodes }) => nodes === 6)
    expect(common.length).toBeGreaterThan(90)
    expect(common.length).toBeLessThan(150)
    expect(new Set(suites.map(({ persons }) => persons))).toEqual(new Set([1, 2, 3]))
  })
})
