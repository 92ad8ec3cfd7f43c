import { describe, expect, it } from "vitest"
import { alignToReference, centreDelay, createAlignmentPlan } from "../../../core/signal/alignment.ts"
import { echoes, received, tones56, uniform, withNoise } from "./channel.ts"

const rows = 3
const power = (values: Float32Array): number => values.reduce((sum, value) => sum + value * value, 0)
const decibels = (ratio: number): number => 10 * Math.log10(ratio)

const align = (tones: Int16Array, frame: Float32Array, reference: Float32Array) => {
  const plan = createAlignmentPlan(reference.length / 2 / tones.length, tones)
  const dynamic = new Float32Array(reference.length)
  return { aligned: alignToReference(plan, frame, 0, reference, dynamic, 0), dynamic }
}

/** The part of `change` that is not parallel to `reference`: the part that alignment can keep. */
const orthogonal = (change: Float32Array, reference: Float32Array): Float32Array => {
  let re = 0
  let im = 0
  for (let v = 0; v < reference.length; v += 2) {
    re += reference[v]! * change[v]! + reference[v + 1]! * change[v + 1]!
    im += reference[v]! * change[v + 1]! - reference[v + 1]! * change[v]!
  }
  const scale = 1 / power(reference)
  return change.map((value, v) =>
    v % 2 === 0
      ? value - scale * (re * reference[v]! - im * reference[v + 1]!)
      : value - scale * (re * reference[v]! + im * reference[v - 1]!)
  )
}

describe("reference alignment", () => {
  const packets = [
    { gain: 1, phase: 0, delaySeconds: 0 },
    { gain: 23, phase: 2.5, delaySeconds: 180e-9 },
    { gain: 0.04, phase: -1.3, delaySeconds: -150e-9 },
    { gain: 5, phase: 1.6, delaySeconds: 1.2e-6 },
  ]

  it.each(packets)("removes a known gain, phase and delay: %o", (packet) => {
    const reference = echoes(uniform(1), rows, tones56, 1)
    const { aligned, dynamic } = align(tones56, received(reference, tones56, packet), reference)
    expect(aligned).toBeCloseTo(1 / packet.gain, 5)
    expect(decibels(power(dynamic) / power(reference))).toBeLessThan(-90)
  })

  it.each(packets)("keeps the change, in amplitude and phase: %o", (packet) => {
    const random = uniform(2)
    const reference = echoes(random, rows, tones56, 1)
    const change = orthogonal(echoes(random, rows, tones56, 0.03), reference)
    const frame = received(reference.map((value, v) => value + change[v]!), tones56, packet)
    const { dynamic } = align(tones56, frame, reference)
    const error = dynamic.map((value, v) => value - change[v]!)
    // Conjugating the wrong factor of the gain, or of the cross spectrum, leaves an error far above the change itself.
    expect(decibels(power(error) / power(change))).toBeLessThan(-10)
  })

  it("keeps only the noise: the delay is estimated by least squares", () => {
    const random = uniform(3)
    const reference = echoes(random, rows, tones56, 1)
    const level = Math.sqrt(power(reference) / reference.length) * 0.05
    let left = 0
    for (let n = 0; n < 50; n++) {
      const frame = received(withNoise(reference, random, level), tones56, packets[n % packets.length]!)
      left += power(align(tones56, frame, reference).dynamic)
    }
    // Gain and phase absorb one complex dimension of the noise, the delay a real one; neighbours alone would leave 2 to 4 times as much.
    const expected = 50 * (reference.length - 3) * level * level
    expect(decibels(left / expected)).toBeGreaterThan(-0.1)
    expect(decibels(left / expected)).toBeLessThan(0.1)
  })

  it.each([
    ["pairs of grouped subcarriers", Int16Array.from({ length: 15 }, (_, i) => 4 * i - 58), 4],
    ["a gap at the centre", tones56, 1],
    ["uneven ends", Int16Array.of(-28, -26, -24, -22, -2, -1, 1, 3, 5, 7, 28), 2],
  ])("measures the delay with %s", (_, tones, step) => {
    expect(createAlignmentPlan(1, tones).step).toBe(step)
    const reference = echoes(uniform(4), 1, tones, 1)
    const frame = received(reference, tones, { gain: 2, phase: 1, delaySeconds: 200e-9 })
    const { dynamic } = align(tones, frame, reference)
    expect(power(dynamic)).toBeLessThan(1e-8 * power(reference))
  })

  it("rejects a frame without power", () => {
    const reference = echoes(uniform(5), rows, tones56, 1)
    expect(align(tones56, new Float32Array(reference.length), reference).aligned).toBe(0)
  })

  it("centres the delay of a response and scales it", () => {
    const reference = echoes(uniform(6), rows, tones56, 1)
    const plan = createAlignmentPlan(rows, tones56)
    const late = received(reference, tones56, { gain: 7, phase: 0, delaySeconds: 300e-9 })
    expect(centreDelay(plan, late)).toBe(true)
    expect(centreDelay(plan, reference)).toBe(true)
    expect(power(late)).toBeCloseTo(late.length / 2, 2)
    late.forEach((value, v) => expect(value).toBeCloseTo(reference[v]!, 3))
    expect(centreDelay(plan, new Float32Array(late.length))).toBe(false)
  })
})
