/**
 * The vital signs of one link, live: packets in, once a second the rates of breathing and heart, or why there are none.
 *
 * Owns the link's trailing 45 s of antenna ratios, and what agreement over time it takes to report a rate: three
 * readings in a row of the same, and stillness for most of the window. Boundary: estimates of a single window are `breathing.ts` and
 * `heart-rate.ts`; which packets belong to the link, and whether somebody moves, its owner knows. Time is an argument.
 */
import type { Vitals } from "../observation/vitals.ts"
import { liveBlocks, type RatioPlan, ratiosOf } from "../signal/csi-ratio.ts"
import { UniformSeries } from "../signal/resample.ts"
import {
  type BreathingReading,
  estimateBreathing,
  fastWindowS,
  slowWindowS,
  whileMoving,
  whyNoWindow,
  withoutRate,
} from "./breathing.ts"
import { estimateHeartRate, type HeartReading, withoutHeart } from "./heart-rate.ts"

const hopUs = 1_000_000
/** A heart is listened for at every fifth reading: it takes a breath's work again, and its rate changes slowly. */
const heartHops = 5
/** Readings in a row that must agree, and how closely, per minute. */
const agreeing = 3
const breathingSpreadMax = 1.5
const heartSpreadMax = 3
/** A link that has heard nothing in so many whole windows in a row is read every third second: most links hear nobody's breath. */
const silentReadingsMax = 10
const restS = 3
/** Seconds of motion within the last 30 s that leave a window readable. */
const movingSecondsMax = 6

const noHeart = (breathing: string | null): HeartReading =>
  withoutHeart(`no heart is listened for where no breath is heard: ${breathing}`)

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
  /** Whether something moved since the last reading, and in which of the last 30 seconds. */
  #moved = false
  #movedSeconds: ReadonlyArray<boolean> = []
  /** The last readings, newest last. */
  #breaths: ReadonlyArray<BreathingReading> = []
  #hearts: ReadonlyArray<HeartReading> = []
  /** Readings in a row that had a breath; and seconds in which whole windows had none. */
  #breathing = 0
  #silentS = 0
  #vitals: Vitals

  /** @param phaseUs at which microsecond of a second it is read: links that differ in it share the work out over the second */
  constructor(plan: RatioPlan, phaseUs = 0) {
    this.#plan = plan
    this.#phaseUs = phaseUs
    this.#values = new Float32Array(plan.values)
    this.#series = new UniformSeries(plan.values, slowWindowS)
    this.#keep(withoutRate(whyNoWindow("not-filled", fastWindowS)))
    this.#vitals = this.#settle()
  }

  /** Takes a packet: its frame of used tones begins at value `at` of `csi`, interleaved complex [row][tone]. */
  add(timestampUs: number, csi: Float32Array, at: number): void {
    if (ratiosOf(this.#plan, csi, at, this.#values)) this.#series.add(timestampUs, this.#values)
  }

  /** The vital signs at `nowUs`; read anew once a second, however often it is asked. `moving`: somebody moves at present. */
  evaluate(nowUs: number, moving: boolean): Vitals {
    this.#moved ||= moving
    if (this.#secondOf(nowUs) === this.#secondOf(this.#evaluatedUs)) return this.#vitals
    if (nowUs < this.#evaluatedUs || nowUs - this.#evaluatedUs > fastWindowS * hopUs) this.#movedSeconds = []
    this.#evaluatedUs = nowUs
    this.#movedSeconds = [...this.#movedSeconds, this.#moved].slice(-fastWindowS)
    this.#moved = false
    this.#read(nowUs)
    this.#vitals = this.#settle()
    return this.#vitals
  }

  #secondOf(timeUs: number): number {
    return Math.floor((timeUs - this.#phaseUs) / hopUs)
  }

  #read(nowUs: number): void {
    if (this.#movedSeconds.filter((moved) => moved).length > movingSecondsMax) return this.#refuse(whileMoving)
    if (++this.#silentS > silentReadingsMax && this.#silentS % restS !== 0) return
    const fast = this.#series.read(nowUs, fastWindowS)
    if (typeof fast === "string") return this.#refuse(whyNoWindow(fast, fastWindowS))
    const slow = this.#series.read(nowUs, slowWindowS)
    const blocks = liveBlocks(this.#plan, fast.mean)
    const breathing = estimateBreathing({ blocks, fast, slow })
    this.#keep(breathing)
    if (breathing.rateBpm !== null || typeof slow === "string") this.#silentS = 0
    if (breathing.rateBpm === null) return
    if (this.#breathing++ % heartHops !== 0) return
    const heart = estimateHeartRate(typeof slow === "string" ? fast : slow, blocks, breathing.rateBpm)
    this.#hearts = [...this.#hearts, heart].slice(-agreeing)
  }

  #refuse(reason: string): void {
    this.#silentS = 0
    this.#keep(withoutRate(reason))
  }

  #keep(breathing: BreathingReading): void {
    this.#breaths = [...this.#breaths, breathing].slice(-agreeing)
    if (breathing.rateBpm !== null) return
    this.#breathing = 0
    this.#hearts = [noHeart(breathing.reason)]
  }

  /** What is said in the light of the last readings. */
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
