/**
 * Calibration: the level of a link's static residual in the empty room and, if the operator recorded it, in the
 * occupied room.
 *
 * Owns the static residual, its levels on both sides, and the test for an outdated calibration. The static residual is
 * the power of the dynamic response's mean over some seconds, relative to the static response: a lasting change. In the
 * empty room it is noise and drift; a person who sits or stands adds the power of their echoes (-10 to -25 dB within a
 * room).
 *
 * Boundary: `reference.ts` holds the static response; the router actor decides when to calibrate.
 */

/** Hops in a mean: 5 s, longer than a breath at rest, so that the motion of a chest does not hide the echo. */
const blockHops = 50
/** Blocks with packets that a side of a calibration needs. */
const blocksMin = 2
/**
 * Residual that a person cannot cause: a tenth of the static power. The room, the routers or the antennas have changed.
 */
const changedResidual = 0.1
/** Nothing moves when the dynamic power is below this share of the residual: the change is static. */
const stillShare = 0.1
/** A hop with motion takes back this many without: the room of a moving person has not changed, although some of the hops show no motion. */
const movingHopCost = 3
/** The residual must exceed the limit for this long, without motion: 60 s. */
const changedHops = 600
/** The levels of the two sides must differ by this factor (6 dB) before a residual between them is meaningful. */
const separationMin = 4

/** Mean residual power of one side of a calibration, over the static power. */
export interface CalibrationSide {
  readonly residual: number
  readonly blocks: number
}

/** Calibration data of one link beside its static response. */
export interface LinkCalibration {
  /** Number of the calibration of the router's empty room, from 1. */
  readonly version: number
  /** Event time at which the empty room's side ended, microseconds since the Unix epoch. */
  readonly takenAtUs: number
  /** Null when the calibration was too short. */
  readonly empty: CalibrationSide | null
  /** Null until the occupied side is calibrated. */
  readonly occupied: CalibrationSide | null
}

/** Whether a residual can be placed between the two sides. */
export const isTwoSided = ({ empty, occupied }: LinkCalibration): boolean => empty !== null && occupied !== null

/** Averages a calibration in blocks: the power of the block means, and the power of their mean. */
export class SideGatherer {
  readonly #block: Float32Array
  readonly #sum: Float64Array
  #blockFrames = 0
  #blockHops = 0
  #power = 0
  #blocks = 0

  /** @param values float32 values of one dynamic response */
  constructor(values: number) {
    this.#block = new Float32Array(values)
    this.#sum = new Float64Array(values)
  }

  /** Adds a hop's sum of dynamic responses. */
  add(sum: Float32Array, frames: number): void {
    for (let v = 0; v < sum.length; v++) this.#block[v]! += sum[v]!
    this.#blockFrames += frames
    if (++this.#blockHops < blockHops) return
    let power = 0
    for (let v = 0; v < this.#block.length; v++) {
      const mean = this.#block[v]! / this.#blockFrames
      this.#sum[v]! += mean
      power += mean * mean
    }
    this.#power += power
    this.#blocks++
    this.#block.fill(0)
    this.#blockFrames = 0
    this.#blockHops = 0
  }

  /**
   * The level of this side: around its own mean for the empty room, whose mean becomes the reference; around 0 for the
   * occupied room.
   */
  side(about: "mean" | "reference"): CalibrationSide | null {
    const blocks = this.#blocks
    if (blocks < blocksMin) return null
    let common = 0
    for (const value of this.#sum) common += (value / blocks) ** 2
    const power = this.#power / blocks
    const unbiased = about === "mean" ? (power - common) * blocks / (blocks - 1) : power
    return { residual: Math.max(0, unbiased) / (this.#sum.length / 2), blocks }
  }
}

/** Tracks the static residual of one link. */
export class ResidualWatch {
  readonly #mean: Float32Array
  #hops = 0
  #residual = 0
  #changedHops = 0

  constructor(values: number) {
    this.#mean = new Float32Array(values)
  }

  /** Resets the state after the reference has changed. */
  clear(): void {
    this.#mean.fill(0)
    this.#hops = 0
    this.#residual = 0
    this.#changedHops = 0
  }

  /** Adds a hop's sum of dynamic responses, and the dynamic power at its end. */
  add(sum: Float32Array, frames: number, dynamicPower: number | null): void {
    this.#hops++
    const weight = 1 / Math.min(this.#hops, blockHops)
    let power = 0
    for (let v = 0; v < sum.length; v++) {
      const mean = this.#mean[v]! + weight * (sum[v]! / frames - this.#mean[v]!)
      this.#mean[v] = mean
      power += mean * mean
    }
    this.#residual = power / (sum.length / 2)
    if (this.#residual < changedResidual) this.#changedHops = 0
    else if (dynamicPower !== null && dynamicPower < stillShare * this.#residual) this.#changedHops++
    else if (dynamicPower !== null) this.#changedHops = Math.max(0, this.#changedHops - movingHopCost)
  }

  /** The static residual over the last 5 s; null before that. */
  get residual(): number | null {
    return this.#hops < blockHops ? null : this.#residual
  }

  /** Mean dynamic response over the last 5 s, or since the last reset. */
  get mean(): Float32Array {
    return this.#mean
  }

  /** Hops without motion during which the response differed from the reference. */
  get changedHops(): number {
    return this.#changedHops
  }
}

/** Why a calibration is no longer valid; null while it is. */
export const whyStale = (watch: ResidualWatch): string | null =>
  watch.changedHops < changedHops
    ? null
    : `the static response has differed by ${(10 * Math.log10(watch.residual ?? 1)).toFixed(0)} dB for ${
      Math.round(watch.changedHops / 10)
    } s without motion: calibrate the empty room again`

/**
 * Position of the residual between the two sides on a logarithmic scale, limited to -1..2: 0 as in the empty room, 1 as
 * in the occupied room. Null without both sides, or where they do not differ enough.
 */
export const occupancyOf = ({ empty, occupied }: LinkCalibration, residual: number): number | null => {
  if (
    occupied === null || empty === null || !(empty.residual > 0) || occupied.residual < separationMin * empty.residual
  ) return null
  const place = Math.log(Math.max(residual, 1e-12) / empty.residual) / Math.log(occupied.residual / empty.residual)
  return Math.max(-1, Math.min(2, place))
}
