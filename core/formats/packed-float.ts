/**
 * Packed floats: the complex values of Broadcom's 4358 and 4366c0, two mantissas with one exponent in 32 bits.
 *
 * From the lowest bit: the exponent (two's complement), then the imaginary and the real mantissa, each with its sign above its
 * magnitude. The values of a measurement get a common exponent, so that the largest part has `magnitudeBits`, and fractions
 * are truncated: integers, as from nexmon_csi's own tools. The original level is not kept.
 */

/** Bits of a mantissa with its sign, and of the exponent. */
export interface PackedFloat {
  readonly mantissaBits: number
  readonly exponentBits: number
}

export const packedFloat4358: PackedFloat = { mantissaBits: 9, exponentBits: 5 }
export const packedFloat4366c0: PackedFloat = { mantissaBits: 12, exponentBits: 6 }

/** Bits of the magnitude of a measurement's largest part. */
const magnitudeBits = 11

/** Less than any number of bits. */
const none = -(2 ** 30)

/**
 * Unpacks `words[from..from+count)` to interleaved (re, im) in `out` from `to`.
 *
 * @param exponent the common exponent, by `commonExponent` over all words of the measurement: no value is shifted out of its word
 */
export const unpackFloats = (
  { exponentBits, mantissaBits }: PackedFloat,
  words: Int32Array,
  from: number,
  count: number,
  exponent: number,
  out: Int16Array,
  to: number,
): void => {
  const magnitudes = (1 << (mantissaBits - 1)) - 1
  const imSignAt = exponentBits + mantissaBits - 1
  const reSignAt = imSignAt + mantissaBits
  const reAt = imSignAt + 1
  const toSign = 32 - exponentBits
  for (let i = from; i < from + count; i++, to += 2) {
    const packed = words[i]!
    const shift = (packed << toSign >> toSign) - exponent
    const left = shift > 0 ? shift : 0
    const right = shift < -31 ? 31 : left - shift
    // Signs are random, so a branch would be mispredicted half of the time.
    const reSign = (packed >> reSignAt) & 1
    const imSign = (packed >> imSignAt) & 1
    out[to] = ((((packed >> reAt) & magnitudes) << left >> right) ^ -reSign) + reSign
    out[to + 1] = ((((packed >> exponentBits) & magnitudes) << left >> right) ^ -imSign) + imSign
  }
}

/** The exponent at which the largest part of a measurement has `magnitudeBits`; 0 if all are zero. */
export const commonExponent = ({ exponentBits, mantissaBits }: PackedFloat, words: Int32Array): number => {
  const magnitudes = (1 << (mantissaBits - 1)) - 1
  const toSign = 32 - exponentBits
  let bitsMax = none
  for (let i = 0; i < words.length; i++) {
    const packed = words[i]!
    const magnitude = ((packed >> (exponentBits + mantissaBits)) | (packed >> exponentBits)) & magnitudes
    const bits = (packed << toSign >> toSign) + 32 - Math.clz32(magnitude)
    if (magnitude !== 0 && bits > bitsMax) bitsMax = bits
  }
  return bitsMax === none ? 0 : bitsMax - magnitudeBits
}
