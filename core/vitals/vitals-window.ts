/**
 * The live vital signs of one link: takes packets and reads the breathing and heart rate once a second, or the reasons
 * for their absence.
 *
 * Owns the link's trailing 60 s of antenna ratios, and the agreement over time that a reported rate needs: three equal
 * readings in a row, and stillness for most of the window. Boundary: `breathing.ts` and `heart-rate.ts` estimate from a
 * single window; the caller selects the link's packets and detects motion. Time is an argument.
 */
import type { Vitals } from "../observation/vitals.ts"
import { liveBlocks, type RatioPlan, ratiosOf } from "../signal/csi-ratio.ts"
import { UniformSeries } from "../signal/resample.ts"
import {
  type BreathingReading,
  estimateBreathing,
  fastWindowS,
  slowestWindowS,
  slowWindowS,
  whileMoving,
  whyNoWindow,
  withoutRate,
} from "./breathing.ts"
import { estimateHeartRate, type HeartReading, withoutHeart } from "./heart-rate.ts"

/** The interval of the readings. */
const secondUs = 1_000_000
/** The heart rate is read at every fifth reading: it costs as much as a breathing rate, and changes slowly. */
const heartReadings = 5
/** Readings in a row that must agree, and their maximum spread per minute. */
const agreeing = 3
const breathingSpreadMax = 1.5
const heartSpreadMax = 3
/**
 * After this many whole windows in a row without a breath, a link is read every third second: most links sense no
 * breath.
 */
const silentReadingsMax = 10
const restS = 3
/** Maximum seconds of motion within the last 30 s of a usable window. */
const movingSecondsMax = 6

const noHeart = (breathing: string | null): HeartReading =>
  withoutHeart(`the heart rate needs a breathing rate: ${breathing}`)

const unsettled = `${agreeing} readings in a row must agree before a rate is reported`

/** Whether the last readings all have a rate, within `spreadMax` of each other. */
const agree = (readings: ReadonlyArray<{ readonly rateBpm: number | null }>, spreadMax: number): boolean => {
  const known = readings.flatMap(({ rateBpm }) => rateBpm === null ? [] : [rateBpm])
  return known.length === agreeing && Math.max(...known) - Math.min(...known) <= spreadMax
}

export class VitalsWindow {
  readonly #plan: RatioPlan
  readonly #values: Float32Array
  readonly #series: UniformSeries
  readonly #phaseUs: number
  #evaluatedUs = -Infinity
  /** Whether there was motion since the last reading, and in which of the last 30 seconds. */
  #moved = false
  #movedSeconds: ReadonlyArray<boolean> = []
  /** The last readings, newest last. */
  #breaths: ReadonlyArray<BreathingReading> = []
  #hearts: ReadonlyArray<HeartReading> = []
  /** Readings in a row with a breath, and seconds with whole windows without one. */
  #breathing = 0
  #silentS = 0
  #vitals: Vitals

  /**
   * @param phaseUs the microsecond of a second at which it is read: links with different phases spread the work over
   *   the second
   */
  constructor(plan: RatioPlan, phaseUs = 0) {
    this.#plan = plan
    this.#phaseUs = phaseUs
    this.#values = new Float32Array(plan.values)
    this.#series = new UniformSeries(plan.values, slowestWindowS)
    this.#keep(withoutRate(whyNoWindow("not-filled", fastWindowS)))
    this.#vitals = this.#settle()
  }

  /** Adds a packet: its frame of used tones begins at value `at` of `csi`, interleaved complex [row][tone]. */
  add(timestampUs: number, csi: Float32Array, at: number): void {
    if (ratiosOf(this.#plan, csi, at, this.#values)) this.#series.add(timestampUs, this.#values)
  }

  /**
   * The vital signs at `nowUs`, read anew at most once a second; `seldom`: in every third. `moving`: there is motion at present.
   */
  evaluate(nowUs: number, moving: boolean, seldom = false): Vitals {
    this.#moved ||= moving
    if (this.#secondOf(nowUs) === this.#secondOf(this.#evaluatedUs)) return this.#vitals
    if (nowUs < this.#evaluatedUs || nowUs - this.#evaluatedUs > fastWindowS * secondUs) this.#movedSeconds = []
    this.#evaluatedUs = nowUs
    this.#movedSeconds = [...this.#movedSeconds, this.#moved].slice(-fastWindowS)
    this.#moved = false
    if (seldom && this.#secondOf(nowUs) % restS !== 0) return this.#vitals
    this.#read(nowUs)
    this.#vitals = this.#settle()
    return this.#vitals
  }

  #secondOf(timeUs: number): number {
    return Math.floor((timeUs - this.#phaseUs) / secondUs)
  }

  #read(nowUs: number): void {
    if (this.#movedSeconds.filter((moved) => moved).length > movingSecondsMax) return this.#reject(whileMoving)
    if (++this.#silentS > silentReadingsMax && this.#silentS % restS !== 0) return
    const fast = this.#series.read(nowUs, fastWindowS)
    if (typeof fast === "string") return this.#reject(whyNoWindow(fast, fastWindowS))
    const slow = this.#series.read(nowUs, slowWindowS)
    const blocks = liveBlocks(this.#plan, fast.mean)
    const breathing = estimateBreathing({ blocks, fast, slow, slowest: () => this.#series.read(nowUs, slowestWindowS) })
    this.#keep(breathing)
    if (breathing.rateBpm !== null || typeof slow === "string") this.#silentS = 0
    if (breathing.rateBpm === null) return
    if (this.#breathing++ % heartReadings !== 0) return
    const heart = estimateHeartRate(typeof slow === "string" ? fast : slow, blocks, breathing.rateBpm)
    this.#hearts = [...this.#hearts, heart].slice(-agreeing)
  }

  #reject(reason: string): void {
    this.#silentS = 0
    this.#keep(withoutRate(reason))
  }

  #keep(breathing: BreathingReading): void {
    this.#breaths = [...this.#breaths, breathing].slice(-agreeing)
    if (breathing.rateBpm !== null) return
    this.#breathing = 0
    this.#hearts = [noHeart(breathing.reason)]
  }

  /** The vital signs by the last readings. */
  #settle(): Vitals {
    const breathing = this.#breaths.at(-1)!
    const heart = this.#hearts.at(-1)!
    const breathes = agree(this.#breaths, breathingSpreadMax)
    const beats = breathes && agree(this.#hearts, heartSpreadMax)
    return {
      breathingRateBpm: breathes ? breathing.rateBpm : null,
      breathingConfidence: breathes ? breathing.confidence : 0,
      breathingReason: breathes ? null : breathing.reason ?? unsettled,
      heartRateBpm: beats ? heart.rateBpm : null,
      heartReason: beats ? null : heart.reason ?? unsettled,
    }
  }
}
