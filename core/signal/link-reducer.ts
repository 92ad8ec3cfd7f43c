/**
 * One link of a router: from its packets of a hop to a link observation.
 *
 * Owns what is remembered of one transmitter (outlier window, motion window, reference) and the sums of the present hop.
 * Boundary: which frames belong to which hop and link is decided in `reduce.ts`. Every buffer has a bound.
 */
import type { RadioLayout } from "../formats/csi-batch.ts"
import { type AlignmentPlan, alignToReference, createAlignmentPlan } from "./alignment.ts"
import { createDecimation, decimateRow, type Decimation } from "./decimation.ts"
import { DynamicPowerWindow } from "./dynamic-power.ts"
import { createHampelState, isPowerOutlier } from "./hampel.ts"
import { MotionWindow } from "./motion-statistic.ts"
import type { LinkObservation } from "./observation.ts"
import { beginReference, calibrate, followQuietHop, isUsable, type Reference } from "./reference.ts"

/** Packets of a link that one hop takes: 2560 packets/s. */
const hopPacketsMax = 256
/** Packets of `dynamic` in an observation; when a hop has more, neighbours are averaged. */
const dynamicPacketsMax = 64
/** Powers that the motion statistic is computed from; of wider channels every n-th subcarrier. */
const motionValuesMax = 256
/** A statistic above this many standard deviations of its noise floor is motion. */
export const motionThresholdSigmas = 4

/** What all links of a router share while its layout stays the same. */
export interface LayoutPlan {
  readonly layout: RadioLayout
  readonly alignment: AlignmentPlan
  readonly decimation: Decimation
  readonly motionStride: number
  /** Scratch, one frame each. */
  readonly response: Float32Array
  readonly powers: Float32Array
}

export const createLayoutPlan = (layout: RadioLayout): LayoutPlan => {
  const rows = layout.receiveAntennas * layout.transmitAntennas
  const tones = layout.subcarrierIndices.length
  const motionStride = Math.ceil(rows * tones / motionValuesMax)
  return {
    layout,
    alignment: createAlignmentPlan(rows, layout.subcarrierIndices),
    decimation: createDecimation(layout),
    motionStride,
    response: new Float32Array(2 * rows * tones),
    powers: new Float32Array(rows * Math.ceil(tones / motionStride)),
  }
}

/** Power of the frame at `at`; fills the plan's powers with those of the statistic's subcarriers, over their mean. */
const readPowers = (plan: LayoutPlan, csi: Float32Array, at: number): number => {
  const { alignment: { rows, tones }, motionStride, powers } = plan
  let total = 0
  let chosen = 0
  let n = 0
  for (let row = 0, v = at; row < rows; row++) {
    for (let tone = 0; tone < tones; tone++, v += 2) {
      const power = csi[v]! * csi[v]! + csi[v + 1]! * csi[v + 1]!
      total += power
      if (tone % motionStride !== 0) continue
      powers[n++] = power
      chosen += power
    }
  }
  const scale = chosen > 0 ? n / chosen : 0
  for (let i = 0; i < n; i++) powers[i]! *= scale
  return total
}

/** What one transmitter's packets become. */
export class LinkReducer {
  readonly transmitterId: string
  /** The last hop in which a packet came. */
  lastHop = -1
  readonly #plan: LayoutPlan
  #reference: Reference | null
  readonly #hampel = createHampelState()
  readonly #motion: MotionWindow
  readonly #dynamicPower: DynamicPowerWindow
  /** Complex values of a packet in `dynamic`. */
  readonly #dynamicValues: number
  #dynamic: Float32Array
  #packets = 0
  #outliers = 0
  #aligned = 0
  #rssiSum = 0
  readonly #hopSum: Float32Array
  #calibrationSum: Float32Array | null = null
  #calibrationFrames = 0
  #calibrationHops = 0

  constructor(transmitterId: string, plan: LayoutPlan, reference: Reference | null) {
    this.transmitterId = transmitterId
    this.#plan = plan
    this.#reference = reference
    this.#motion = new MotionWindow(plan.powers.length)
    this.#dynamicValues = plan.layout.receiveAntennas * plan.decimation.tonesHz.length
    this.#dynamicPower = new DynamicPowerWindow(this.#dynamicValues)
    this.#dynamic = new Float32Array(16 * 2 * this.#dynamicValues)
    this.#hopSum = new Float32Array(plan.response.length)
  }

  get reference(): Reference | null {
    return this.#reference
  }

  /** Takes a packet of the present hop. Null, or why it was not taken: no finite power, or past the hop's bound. */
  add(
    csi: Float32Array,
    at: number,
    timestampUs: number,
    hop: number,
    rssiDbm: number,
  ): "invalid" | "overflow" | null {
    if (this.#packets === hopPacketsMax) return "overflow"
    const power = readPowers(this.#plan, csi, at)
    if (!(power > 0 && power < Infinity)) return "invalid"
    this.lastHop = hop
    this.#packets++
    this.#rssiSum += rssiDbm
    if (isPowerOutlier(this.#hampel, power)) {
      this.#outliers++
      return null
    }
    this.#motion.add(timestampUs, hop, this.#plan.powers)
    this.#align(csi, at)
    return null
  }

  /** Begins to gather a calibration; one that was being gathered is dropped. */
  beginCalibration(): void {
    this.#calibrationSum = new Float32Array(this.#plan.response.length)
    this.#calibrationFrames = 0
    this.#calibrationHops = 0
  }

  /** Ends the calibration; true when it had at least `hopsMin` hops with packets and is the reference from now on. */
  endCalibration(hopsMin: number): boolean {
    const sum = this.#calibrationSum
    this.#calibrationSum = null
    if (sum === null || this.#reference === null || this.#calibrationHops < hopsMin) return false
    calibrate(this.#reference, sum, this.#calibrationFrames, this.#calibrationHops)
    this.#dynamicPower.clear()
    return true
  }

  /** Ends the hop. Null when no packet came in it. */
  finishHop(hop: number): LinkObservation | null {
    if (this.#packets === 0) return null
    const motion = this.#motion.evaluate(hop)
    const usable = this.#reference !== null && isUsable(this.#reference)
    if (usable) this.#dynamicPower.add(hop, this.#aligned, this.#dynamic)
    const observation: LinkObservation = {
      transmitterId: this.transmitterId,
      packets: this.#packets,
      outliers: this.#outliers,
      rssiDbm: this.#rssiSum / this.#packets,
      motionStatistic: motion === null ? null : motion.statistic,
      motionStatisticSigma: motion === null ? 0 : motion.sigma,
      dynamicPower: usable ? this.#dynamicPower.evaluate(hop) : null,
      dynamic: usable ? this.#takeDynamic() : new Float32Array(0),
    }
    this.#learn(motion !== null && motion.statistic > motionThresholdSigmas * motion.sigma)
    this.#packets = 0
    this.#outliers = 0
    this.#aligned = 0
    this.#rssiSum = 0
    return observation
  }

  #align(csi: Float32Array, at: number): void {
    const { alignment, layout, response } = this.#plan
    if (this.#reference === null) {
      const frame = csi.subarray(at, at + response.length)
      this.#reference = beginReference(this.transmitterId, layout, alignment, frame)
    }
    const reference = this.#reference
    if (reference === null) return
    if (!alignToReference(alignment, csi, at, reference.response, response)) return
    const sum = this.#hopSum
    for (let v = 0; v < sum.length; v++) sum[v]! += response[v]!
    this.#keepDynamic(response)
    this.#aligned++
  }

  /** Keeps the packet's response of every antenna to the first transmit stream, decimated. */
  #keepDynamic(response: Float32Array): void {
    const { decimation, layout, alignment } = this.#plan
    const length = 2 * this.#dynamicValues
    const to = this.#aligned * length
    if (to + length > this.#dynamic.length) {
      const grown = new Float32Array(Math.min(2 * this.#dynamic.length, hopPacketsMax * length))
      grown.set(this.#dynamic)
      this.#dynamic = grown
    }
    const rowLength = 2 * decimation.tonesHz.length
    for (let antenna = 0; antenna < layout.receiveAntennas; antenna++) {
      const row = 2 * antenna * layout.transmitAntennas * alignment.tones
      decimateRow(decimation, response, row, this.#dynamic, to + antenna * rowLength)
    }
  }

  /** The hop's dynamic responses, at most `dynamicPacketsMax` of them. */
  #takeDynamic(): Float32Array {
    const length = 2 * this.#dynamicValues
    const together = Math.ceil(this.#aligned / dynamicPacketsMax)
    if (together <= 1) return this.#dynamic.slice(0, this.#aligned * length)
    const kept = Math.floor(this.#aligned / together)
    const out = new Float32Array(kept * length)
    for (let packet = 0; packet < kept * together; packet++) {
      const to = Math.floor(packet / together) * length
      for (let i = 0; i < length; i++) out[to + i]! += this.#dynamic[packet * length + i]! / together
    }
    return out
  }

  /** Takes the hop into the calibration or into the running mean. */
  #learn(moving: boolean): void {
    if (this.#reference !== null && this.#aligned > 0) {
      const gathered = this.#calibrationSum
      if (gathered === null) followQuietHop(this.#reference, this.#hopSum, this.#aligned, moving)
      else {
        for (let v = 0; v < gathered.length; v++) gathered[v]! += this.#hopSum[v]!
        this.#calibrationFrames += this.#aligned
        this.#calibrationHops++
      }
    }
    this.#hopSum.fill(0)
  }
}
