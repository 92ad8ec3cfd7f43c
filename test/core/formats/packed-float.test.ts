import { describe, expect, it } from "vitest"
import {
  commonExponent,
  type PackedFloat,
  packedFloat4358,
  packedFloat4366c0,
  unpackFloats,
} from "../../../core/formats/packed-float.ts"

/** A value as the hardware packs it. */
const packed = ({ exponentBits, mantissaBits }: PackedFloat, re: number, im: number, exponent: number): number => {
  const mantissa = (part: number) => Math.abs(part) | (part < 0 ? 1 << (mantissaBits - 1) : 0)
  const high = mantissa(re) * 2 ** (mantissaBits + exponentBits) + mantissa(im) * 2 ** exponentBits
  return (high + (exponent & ((1 << exponentBits) - 1))) | 0
}

const unpack = (format: PackedFloat, values: ReadonlyArray<readonly [re: number, im: number, exponent: number]>) => {
  const words = Int32Array.from(values, ([re, im, exponent]) => packed(format, re, im, exponent))
  const out = new Int16Array(2 * words.length)
  unpackFloats(format, words, 0, words.length, commonExponent(format, words), out, 0)
  return [...out]
}

describe.each([["4358", packedFloat4358, 255, 15], ["4366c0", packedFloat4366c0, 2047, 31]] as const)(
  "packed floats of the %s",
  (_, format, largest, exponentMax) => {
    it("bring the largest part to eleven bits and the others to its exponent", () => {
      expect(unpack(format, [[128, 3, 2], [-128, 0, 0], [1, -1, 2]]))
        .toEqual([1024, 24, -256, 0, 8, -8])
    })

    it("cut off what is below one, towards zero", () => {
      expect(unpack(format, [[64, 0, 6], [-1, 3, 0], [-5, 7, 0]])).toEqual([1024, 0, 0, 0, -1, 1])
    })

    it("hold over the whole range of exponents and signs", () => {
      const all = unpack(format, [[-largest, largest, exponentMax], [largest, -largest, -exponentMax - 1], [
        0,
        0,
        exponentMax,
      ]])
      const top = largest * 2 ** (11 - Math.ceil(Math.log2(largest + 1)))
      expect(all).toEqual([-top, top, 0, 0, 0, 0])
      expect(Object.is(all[3], 0)).toBe(true)
    })

    it("are zeros when all are", () => {
      expect(unpack(format, [[0, 0, 3], [0, 0, -4]])).toEqual([0, 0, 0, 0])
    })
  },
)
