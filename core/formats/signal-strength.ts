/** Received signal strength in the form of batches: whole dBm in 8 bits, 0 if unknown. */

/** A strength in the form of batches. */
export const wholeDbm = (dbm: number): number => Math.max(-128, Math.min(127, Math.round(dbm)))

/** Ratios of power for 0, 1, 2 ... dB. */
const ratios = Float64Array.from({ length: 256 }, (_, decibels) => 10 ** (decibels / 10))

/** Power of several antennas together, each in whole dB (0 to 255) above the same level; null when all are 0, which means unknown. */
export const totalDecibels = (a: number, b: number, c = 0): number | null => {
  const sum = (a > 0 ? ratios[a]! : 0) + (b > 0 ? ratios[b]! : 0) + (c > 0 ? ratios[c]! : 0)
  return sum === 0 ? null : 10 * Math.log10(sum)
}
