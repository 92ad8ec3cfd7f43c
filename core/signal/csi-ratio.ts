/**
 * The CSI ratio in a form without poles: features of a packet that are free of its own phase, delay and gain and need
 * no reference response.
 *
 * Antennas of one receiver share the packet's phase and delay, so H_a / H_b, and with it the conjugate product H_a
 * conj(H_b), is free of them (FarSense, IndoTrack). The ratio is unbounded where H_b fades, and the product keeps the
 * gains of both antennas. So the product is divided by the rms of both responses over the band:
 *
 *   c_ab(g) = mean over the group's tones of H_a conj(H_b) / sqrt(P_a P_b),   P_a = mean over all tones of |H_a|^2
 *
 * This has the ratio's phase and a bounded magnitude, and does not depend on the gain of each antenna, which may change
 * from packet to packet. A frame of one row has no second antenna. Its features are the power shares by group, p(g) =
 * P(g) / P, and the product of the row with itself q tones further, H(k + q) conj(H(k)) / P, rotated back by the
 * packet's delay, which is the common phase of those products. Amplitude and phase have different blind spots, so both
 * are used (FullBreathe).
 *
 * Owns the values of one packet. Boundary: `resample.ts` handles time; `core/vitals` interprets the values. No
 * allocation per frame.
 */
import type { RadioLayout } from "../formats/csi-batch.ts"

/**
 * Groups of neighbouring subcarriers in a row: few, so that the noise of their values can be measured within a window.
 */
const groupsWanted = 7
/** Maximum number of row pairs: those of the first transmit streams. */
const pairsMax = 12
/** A row below this share of the strongest row's power belongs to a disconnected antenna: -20 dB. */
const deadShare = 0.01

/** A run of a packet's values that share their noise: real numbers from `at`. */
export interface ValueBlock {
  readonly at: number
  readonly length: number
}

interface TonePair {
  readonly low: number
  readonly high: number
  readonly group: number
}

/** The data that all frames of a layout share. */
export interface RatioPlan {
  /** Rows: receive antennas times transmit streams. */
  readonly rows: number
  readonly tones: number
  readonly groups: number
  /** First tone of each group; one element more than there are groups. */
  readonly bounds: Uint16Array
  /** Rows a, b of each conjugate product; none for a frame of one row. */
  readonly pairs: ReadonlyArray<readonly [a: number, b: number]>
  /** Tone pairs within the row that a frame of one row is multiplied over, and their number in each group. */
  readonly neighbours: ReadonlyArray<TonePair>
  readonly neighbourCounts: ReadonlyArray<number>
  /** Number of real values of a packet. */
  readonly values: number
}

const pairsOf = ({ receiveAntennas, transmitAntennas }: RadioLayout): ReadonlyArray<readonly [number, number]> => {
  const pairs: Array<readonly [number, number]> = []
  const row = (rx: number, tx: number): number => rx * transmitAntennas + tx
  for (let tx = 0; tx < transmitAntennas; tx++) {
    for (let b = 0; b < receiveAntennas; b++) {
      for (let a = b + 1; a < receiveAntennas; a++) pairs.push([row(a, tx), row(b, tx)])
    }
  }
  if (receiveAntennas === 1) {
    for (let b = 0; b < transmitAntennas; b++) for (let a = b + 1; a < transmitAntennas; a++) pairs.push([a, b])
  }
  return pairs.slice(0, pairsMax)
}

/**
 * Tone pairs at one index distance, about the width of a group, so that the packet's delay rotates all of them equally.
 */
const neighboursOf = (indices: Int16Array, groups: number): ReadonlyArray<TonePair> => {
  const span = indices[indices.length - 1]! - indices[0]!
  const distance = Math.max(1, Math.round(span / groups))
  const places = new Map(Array.from(indices, (index, i) => [index, i]))
  const found: Array<readonly [number, number]> = []
  for (const [low, index] of indices.entries()) {
    const high = places.get(index + distance)
    if (high !== undefined) found.push([low, high])
  }
  return found.map(([low, high], i) => ({ low, high, group: Math.floor(i * groups / found.length) }))
}

export const createRatioPlan = (layout: RadioLayout): RatioPlan => {
  const rows = layout.receiveAntennas * layout.transmitAntennas
  const tones = layout.subcarrierIndices.length
  const groups = Math.min(groupsWanted, tones)
  const pairs = pairsOf(layout)
  const neighbours = rows === 1 ? neighboursOf(layout.subcarrierIndices, groups) : []
  return {
    rows,
    tones,
    groups,
    bounds: Uint16Array.from({ length: groups + 1 }, (_, i) => Math.round(i * tones / groups)),
    pairs,
    neighbours,
    neighbourCounts: Array.from({ length: groups }, (_, g) => neighbours.filter(({ group }) => group === g).length),
    values: (rows === 1 ? 1 : pairs.length) * 2 * groups + rows * groups + rows,
  }
}

const sharesAt = (plan: RatioPlan): number => (plan.rows === 1 ? 1 : plan.pairs.length) * 2 * plan.groups
const rowPowersAt = (plan: RatioPlan): number => sharesAt(plan) + plan.rows * plan.groups

/**
 * Fills `out` with the values of the frame at value `at` of `csi` (interleaved complex [row][tone]): the complex
 * products [pair][group], the power shares [row][group], and each row's share of the total power. Returns false when
 * the frame has no finite power.
 */
export const ratiosOf = (plan: RatioPlan, csi: Float32Array, at: number, out: Float32Array): boolean => {
  const { bounds, groups, pairs, rows, tones } = plan
  const shares = sharesAt(plan)
  const rowPowers = rowPowersAt(plan)
  let total = 0
  for (let row = 0; row < rows; row++) {
    let power = 0
    const base = at + 2 * row * tones
    for (let g = 0; g < groups; g++) {
      let sum = 0
      for (let v = base + 2 * bounds[g]!; v < base + 2 * bounds[g + 1]!; v++) sum += csi[v]! * csi[v]!
      out[shares + row * groups + g] = sum / (bounds[g + 1]! - bounds[g]!)
      power += sum
    }
    out[rowPowers + row] = power / tones
    total += power / tones
  }
  if (!(total > 0 && Math.fround(total) < Infinity)) return false
  if (rows === 1) multiplyWithin(plan, csi, at, out)
  for (let pair = 0; pair < pairs.length; pair++) multiplyRows(plan, pair, csi, at, out)
  for (let row = 0; row < rows; row++) {
    const power = out[rowPowers + row]!
    for (let g = 0; g < groups; g++) out[shares + row * groups + g]! *= power > 0 ? 1 / power : 0
    out[rowPowers + row]! /= total
  }
  return true
}

const multiplyRows = (plan: RatioPlan, pair: number, csi: Float32Array, at: number, out: Float32Array): void => {
  const { bounds, groups, tones } = plan
  const [rowA, rowB] = plan.pairs[pair]!
  const a = at + 2 * rowA * tones
  const b = at + 2 * rowB * tones
  const powers = rowPowersAt(plan)
  const product = out[powers + rowA]! * out[powers + rowB]!
  const scale = product > 0 ? 1 / Math.sqrt(product) : 0
  for (let g = 0; g < groups; g++) {
    const first = 2 * bounds[g]!
    const end = 2 * bounds[g + 1]!
    let re = 0
    let im = 0
    for (let v = first; v < end; v += 2) {
      re += csi[a + v]! * csi[b + v]! + csi[a + v + 1]! * csi[b + v + 1]!
      im += csi[a + v + 1]! * csi[b + v]! - csi[a + v]! * csi[b + v + 1]!
    }
    const weight = 2 * scale / (end - first)
    out[2 * (pair * groups + g)] = re * weight
    out[2 * (pair * groups + g) + 1] = im * weight
  }
}

const multiplyWithin = (plan: RatioPlan, csi: Float32Array, at: number, out: Float32Array): void => {
  const { groups, neighbourCounts, neighbours } = plan
  for (let i = 0; i < 2 * groups; i++) out[i] = 0
  let sumRe = 0
  let sumIm = 0
  for (let n = 0; n < neighbours.length; n++) {
    const { group, high, low } = neighbours[n]!
    const h = at + 2 * high
    const l = at + 2 * low
    const re = csi[h]! * csi[l]! + csi[h + 1]! * csi[l + 1]!
    const im = csi[h + 1]! * csi[l]! - csi[h]! * csi[l + 1]!
    out[2 * group]! += re
    out[2 * group + 1]! += im
    sumRe += re
    sumIm += im
  }
  const magnitude = Math.hypot(sumRe, sumIm)
  const power = out[rowPowersAt(plan)]!
  for (let g = 0; g < groups; g++) {
    const count = neighbourCounts[g]!
    const scale = count > 0 && magnitude > 0 ? 1 / (count * power * magnitude) : 0
    const re = out[2 * g]!
    const im = out[2 * g + 1]!
    out[2 * g] = scale * (re * sumRe + im * sumIm)
    out[2 * g + 1] = scale * (im * sumRe - re * sumIm)
  }
}

/**
 * The blocks of values that carry the channel, selected by their means over a window: the products of every live row
 * with the strongest row of its stream, or the power shares where there is no such product. Disconnected antennas are
 * excluded.
 */
export const liveBlocks = (plan: RatioPlan, mean: (value: number) => number): ReadonlyArray<ValueBlock> => {
  const { groups, pairs, rows } = plan
  const shares = (row: number): ValueBlock => ({ at: sharesAt(plan) + row * groups, length: groups })
  if (rows === 1) return [{ at: 0, length: 2 * groups }, shares(0)]
  const power = (row: number): number => mean(rowPowersAt(plan) + row)
  let strongest = 0
  for (let row = 1; row < rows; row++) if (power(row) > power(strongest)) strongest = row
  const live = (row: number): boolean => power(row) > deadShare * power(strongest)
  const anchors = new Map<number, number>()
  for (const [pair, [a, b]] of pairs.entries()) {
    if (!live(a) || !live(b)) continue
    // Of the pairs with this row, keep the one with the strongest partner.
    const [weak, strong] = power(a) < power(b) ? [a, b] : [b, a]
    const known = anchors.get(weak)
    const partner = known === undefined ? -1 : pairs[known]!.find((row) => row !== weak)!
    if (partner < 0 || power(strong) > power(partner)) anchors.set(weak, pair)
  }
  if (anchors.size === 0) return [shares(strongest)]
  return [...anchors.values()].map((pair) => ({ at: 2 * groups * pair, length: 2 * groups }))
}
