/**
 * Feedback tones: the subcarriers for which a compressed beamforming report has a matrix.
 *
 * IEEE 802.11-2020, 9.4.1.49 (VHT: every Ng-th tone from the ends of a run inwards, and the pilots only where Ng > 1);
 * 802.11ax-2021, 9.4.1.65 (HE: every 4th or 16th tone within the resource units of 26 tones that the report names).
 */
import { subcarriersOf, tonePlanOf } from "./ofdm-tones.ts"

/** Tones of a VHT report, ascending; null if there is no such report. `grouping` is Ng: 1, 2 or 4. */
export const vhtFeedbackTones = (megahertz: number, grouping: number): Int16Array | null => {
  const plan = tonePlanOf("vht", megahertz)
  if (plan === null) return null
  if (grouping === 1) return subcarriersOf(plan, false)
  // At 20 MHz the grid continues to the centre, and the innermost tones are also reported.
  const above = megahertz === 20
    ? [1, ...grid(grouping, 28, grouping)]
    : plan.ranges.flatMap(([first, last]) => grid(first, last, grouping))
  return mirrored(above)
}

/** First tones of the resource units of 26 tones below the centre, without the unit around the centre. */
const unitStarts: Readonly<Record<number, ReadonlyArray<number>>> = {
  20: [-121, -95, -68, -42],
  40: [-243, -217, -189, -163, -136, -109, -83, -55, -29],
  80: [
    ...[-499, -473, -445, -419, -392, -365, -339, -311, -285],
    ...[-257, -231, -203, -177, -150, -123, -97, -69, -43],
  ],
}
/** The unit around the centre of 20 and 80 MHz. */
const centralUnit = [-16, 16] as const
const unitTones = 26

/** First and last tone of every unit, in their order. */
const unitsOf = (megahertz: number): ReadonlyArray<readonly [number, number]> => {
  if (megahertz === 160) {
    return [-512, 512].flatMap((shift) =>
      unitsOf(80).map(([first, last]): readonly [number, number] => [first + shift, last + shift])
    )
  }
  const below = (unitStarts[megahertz] ?? []).map((first): readonly [number, number] => [first, first + unitTones - 1])
  const above = below.map(([first, last]): readonly [number, number] => [-last, -first]).toReversed()
  return megahertz === 40 ? [...below, ...above] : [...below, centralUnit, ...above]
}

/** All tones of an HE report of the whole channel. */
const heGrid = (megahertz: number, grouping: number): ReadonlyArray<number> => {
  // The ends of 20 MHz are not multiples of four: the outermost and innermost tones are also reported.
  if (megahertz === 20) return [...mirrored([2, ...grid(4, 122 - (grouping === 4 ? 2 : 6), grouping), 122])]
  if (megahertz === 160) return [-512, 512].flatMap((shift) => heGrid(80, grouping).map((k) => k + shift))
  return [...mirrored(grid(4, megahertz === 40 ? 244 : 500, grouping))]
}

/**
 * Tones of an HE report, ascending; null if there is no such report.
 *
 * @param grouping Ng, 4 or 16
 * @param firstUnit,lastUnit the resource units that it covers; its tones reach from the one at or before the first unit's begin
 * to the one at or after the last one's end
 */
export const heFeedbackTones = (
  megahertz: number,
  grouping: number,
  firstUnit: number,
  lastUnit: number,
): Int16Array | null => {
  const units = unitsOf(megahertz)
  const tones = heGrid(megahertz, grouping)
  const first = units[firstUnit]
  const last = units[lastUnit]
  if (first === undefined || last === undefined || firstUnit > lastUnit) return null
  const whole = firstUnit === 0 && lastUnit === units.length - 1
  // The sparse tones of 20 MHz are not on one grid. Their selection for a part of the channel could not be verified.
  if (!whole && megahertz === 20 && grouping === 16) return null
  const from = tones.findLastIndex((k) => k <= first[0])
  const to = tones.findIndex((k) => k >= last[1])
  return Int16Array.from(tones.slice(Math.max(0, from), to < 0 ? tones.length : to + 1))
}

const grid = (first: number, last: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + step * i)

const mirrored = (above: ReadonlyArray<number>): Int16Array =>
  Int16Array.from([...above.map((k) => -k).toReversed(), ...above])
