/**
 * Site noise: the echo levels of one link in an empty room, learned from the link itself.
 *
 * The end of a calibration of the empty room gives the largest level of the half minute before it. Without one, the level that 5 % of the
 * time exceeds is taken for each 10 minutes, and the least of them over a day counts, once there are four hours: hardly a room has a person
 * who moves in each 10 minutes of four hours. Until then, the largest level of the latest half minutes without a body lowers the threshold, so
 * that a link with bursts of noise keeps its own. A running estimate may move the threshold less than a calibration.
 *
 * Limit: the noise is kept in memory only, and handed over when an environment moves (`memory`). After a failure the threshold is that of
 * an unknown site.
 */

import { hopUs } from "../observation/observation.ts"

/** Level in decades at which a body is assumed on an unknown site; see `echo-level.ts`. */
export const unknownEntry = -3
/** Distance of the threshold from the noise: ten times its power. */
const margin = 1
/** Bounds of the threshold: persons who walked had medians of -2.5 and more, empty rooms of -4.2 and less. */
const calibratedBounds = [-4, -2] as const
const runningBounds = [-3.5, -2.5] as const

/** Levels of a block are counted in steps of a tenth of a decade. */
const lowest = -7
const stepsPerDecade = 10
const steps = 70
const exceededShare = 0.05
/** Length of a block, the number kept, and the number needed. */
const blockHops = 6000
const blocksMax = 144
const blocksMin = 24
/** The latest half minute: the largest levels of three parts of 10 s, the last of which may have just begun. */
const partHops = 100
const partsMax = 3
/** Number of half minutes, one each 10 s, whose loudest counts. */
const quietMax = 12
/** Minimum number of hops at the end of a calibration: 20 s. With fewer its levels are not used. */
const calibrationHopsMin = 200

/** What was learned of a link, which another `SiteNoise` continues from. */
export interface NoiseMemory {
  readonly counts: ReadonlyArray<number>
  readonly hops: number
  readonly blocks: ReadonlyArray<number>
  readonly parts: ReadonlyArray<number>
  readonly addedHop: number
  readonly measured: boolean
  readonly entry: number
  readonly quiet: ReadonlyArray<number>
}

/** Learns the noise of one link. */
export class SiteNoise {
  readonly #counts = new Uint16Array(steps)
  #hops = 0
  #blocks: ReadonlyArray<number> = []
  #parts: ReadonlyArray<number> = []
  /** The hop of the last level; -1 before the first. */
  #addedHop = -1
  /** Whether the threshold comes from a calibration, which a running estimate does not replace. */
  #measured = false
  #entry: number
  readonly #unknown: number
  /** The largest levels of the latest half minutes without a body. */
  #quiet: ReadonlyArray<number> = []

  /** @param entry threshold in decades until the noise is learned */
  constructor(entry: number) {
    this.#entry = entry
    this.#unknown = entry
  }

  /** Level in decades from which this link indicates a body. */
  get entry(): number {
    return this.#entry
  }

  get memory(): NoiseMemory {
    return {
      counts: [...this.#counts],
      hops: this.#hops,
      blocks: this.#blocks,
      parts: this.#parts,
      addedHop: this.#addedHop,
      measured: this.#measured,
      entry: this.#entry,
      quiet: this.#quiet,
    }
  }

  /** Continues from what another one has learned. */
  recall({ addedHop, blocks, counts, entry, hops, measured, parts, quiet }: NoiseMemory): void {
    this.#counts.set(counts.slice(0, steps))
    this.#hops = hops
    this.#blocks = blocks.slice(-blocksMax)
    this.#parts = parts.slice(-partsMax)
    this.#addedHop = addedHop
    this.#measured = measured
    this.#entry = entry
    this.#quiet = quiet.slice(-quietMax)
  }

  /**
   * Adds the level of a hop with packets. Hops must not decrease.
   *
   * @param calibratedAtUs when the calibration in use ended; null without one
   */
  add(hop: number, level: number, calibratedAtUs: number | null): void {
    const endedNow = calibratedAtUs !== null && calibratedAtUs > this.#addedHop * hopUs
    if (endedNow && this.#hops >= calibrationHopsMin) {
      this.#set(Math.max(...this.#parts), calibratedBounds)
      this.#measured = true
    }
    this.#addedHop = hop
    if (this.#hops % partHops === 0) this.#parts = [...this.#parts, -Infinity].slice(-partsMax)
    this.#parts = this.#parts.with(-1, Math.max(this.#parts.at(-1)!, level))
    const step = Math.floor((level - lowest) * stepsPerDecade)
    this.#counts[Math.max(0, Math.min(steps - 1, step))]!++
    this.#hops++
    if (this.#hops % partHops === 0) this.#endPart()
    if (this.#hops % blockHops === 0) this.#endBlock()
  }

  /** The threshold of a link without another estimate: from the loudest of its latest half minutes without a body. */
  #endPart(): void {
    if (this.#measured || this.#blocks.length >= blocksMin || this.#parts.length < partsMax) return
    const loudest = Math.max(...this.#parts)
    if (loudest >= this.#unknown) return
    this.#quiet = [...this.#quiet, loudest].slice(-quietMax)
    this.#set(Math.max(...this.#quiet), [Math.min(runningBounds[0], this.#unknown), this.#unknown])
  }

  #endBlock(): void {
    let left = exceededShare * blockHops
    let step = steps - 1
    while (step > 0 && (left -= this.#counts[step]!) > 0) step--
    this.#blocks = [...this.#blocks, lowest + (step + 1) / stepsPerDecade].slice(-blocksMax)
    this.#counts.fill(0)
    if (!this.#measured && this.#blocks.length >= blocksMin) this.#set(Math.min(...this.#blocks), runningBounds)
  }

  #set(noise: number, [min, max]: readonly [number, number]): void {
    this.#entry = Math.max(min, Math.min(max, noise + margin))
  }
}
