/**
 * One link of a router: reduces its packets of a hop to a link observation.
 *
 * Owns the state of one transmitter (outlier window, motion window, reference) and the sums of the current hop.
 * Boundary: `reduce.ts` assigns frames to hops and links. Every buffer has a bound.
 */
import type { Samples } from "../formats/csi-batch.ts"
import { hopUs, type LinkObservation } from "../observation/observation.ts"
import { alignToReference } from "../signal/alignment.ts"
import { arrayLeads } from "../signal/array-leads.ts"
import type { CalibratedRoom } from "../signal/calibration-run.ts"
import { isTwoSided, occupancyOf, ResidualWatch, SideGatherer, whyStale } from "../signal/calibration.ts"
import { DynamicPowerWindow } from "../signal/dynamic-power.ts"
import { DynamicRows, noDynamic } from "../signal/dynamic-rows.ts"
import { GainWatch } from "../signal/gain-watch.ts"
import { createHampelState, isPowerOutlier } from "../signal/hampel.ts"
import { type LayoutPlan, readFrame } from "../signal/layout-plan.ts"
import { isMotion, MotionWindow } from "../signal/motion-statistic.ts"
import { hasPhase } from "../signal/phase.ts"
import {
  beginReference,
  calibrate,
  followQuietHop,
  isUsable,
  type Reference,
  restartReference,
} from "../signal/reference.ts"
import { VitalsWindow } from "../vitals/vitals-window.ts"

/** Maximum number of packets of a link per hop: 2560 packets/s. */
const hopPacketsMax = 256
/** Echo power of a walking body over that of the static response: -20 dB. The echo of a chest is below it. */
const movingPowerMin = 0.01
/** A static response that has differed for this long, without motion, has changed permanently: 3 s. */
const restartHops = 30

const noLeads = new Float32Array(0)

/** Data of a calibration in progress. */
interface Gathered {
  readonly sum: Float32Array
  readonly side: SideGatherer
  frames: number
  hops: number
}

/** Reduces the packets of one transmitter. */
export class LinkReducer {
  readonly transmitterId: string
  /** The hop of the latest packet. */
  lastHop = -1
  readonly #plan: LayoutPlan
  #reference: Reference | null
  readonly #hampel = createHampelState()
  #motion: MotionWindow
  readonly #dynamicPower: DynamicPowerWindow
  readonly #vitals: VitalsWindow
  readonly #dynamic: DynamicRows
  #packets = 0
  #outliers = 0
  #rssiSum = 0
  readonly #hopSum: Float32Array
  readonly #gain = new GainWatch()
  readonly #watch: ResidualWatch
  #gathered: Gathered | null = null
  /** Steps of the receiver's gain, and changes of the static response, since the link was created. */
  gainSteps = 0
  channelChanges = 0
  /** True while all frames had amplitudes only. */
  amplitudeOnly = true

  /** @param vitalsPhaseUs the time within each second at which the vital signs are read */
  constructor(transmitterId: string, plan: LayoutPlan, reference: Reference | null, vitalsPhaseUs: number) {
    this.transmitterId = transmitterId
    this.#plan = plan
    this.#reference = reference
    this.#motion = new MotionWindow(plan.powers.length)
    this.#dynamicPower = new DynamicPowerWindow(plan.powers.length)
    this.#vitals = new VitalsWindow(plan.ratio, vitalsPhaseUs)
    this.#dynamic = new DynamicRows(plan, hopPacketsMax)
    this.#hopSum = new Float32Array(plan.response.length)
    this.#watch = new ResidualWatch(plan.response.length)
  }

  get reference(): Reference | null {
    return this.#reference
  }

  /**
   * Adds a packet of the current hop, whose recorded frame begins at value `at` of `csi`. Returns null, or why the
   * packet was rejected: no finite power, or beyond the bound of the hop.
   */
  add(
    csi: Samples,
    at: number,
    timestampUs: number,
    hop: number,
    rssiDbm: number,
  ): "invalid" | "overflow" | null {
    if (this.#packets === hopPacketsMax) return "overflow"
    const power = readFrame(this.#plan, csi, at)
    if (!(power > 0 && power < Infinity)) return "invalid"
    this.lastHop = hop
    this.#packets++
    this.amplitudeOnly &&= !hasPhase(this.#plan.frame)
    this.#rssiSum += rssiDbm
    if (this.#motion.isOutdated(hop)) this.#restartMotion()
    if (isPowerOutlier(this.#hampel, power)) {
      this.#outliers++
      return null
    }
    this.#motion.add(timestampUs, hop, this.#plan.powers)
    this.#dynamicPower.add(timestampUs, hop, this.#plan.powers)
    this.#vitals.add(timestampUs, this.#plan.frame, 0)
    this.#align((timestampUs - hop * hopUs) / 1e6)
    return null
  }

  /** Why the calibration is no longer valid; null while it is, or without one. */
  get stale(): string | null {
    return this.#reference?.calibration == null ? null : whyStale(this.#watch)
  }

  /** When the calibration in use ended; null without one, and while it is not valid. */
  get calibratedAtUs(): number | null {
    return this.stale === null ? this.#reference?.calibration?.takenAtUs ?? null : null
  }

  /** Starts collecting a calibration; drops one that is in progress. */
  beginCalibration(): void {
    const length = this.#plan.response.length
    this.#gathered = { sum: new Float32Array(length), side: new SideGatherer(length), frames: 0, hops: 0 }
  }

  /** Ends the calibration. Returns true when it had at least `hopsMin` hops with packets and is now in use. */
  endCalibration(room: CalibratedRoom, version: number, takenAtUs: number, hopsMin: number): boolean {
    const gathered = this.#gathered
    const reference = this.#reference
    this.#gathered = null
    if (gathered === null || reference === null || gathered.hops < hopsMin) return false
    if (room === "occupied") {
      const occupied = gathered.side.side("reference")
      if (reference.calibration === null) return false
      const calibration = { ...reference.calibration, occupied }
      if (!isTwoSided(calibration)) return false
      reference.calibration = calibration
      return true
    }
    const empty = gathered.side.side("mean")
    calibrate(reference, { version, takenAtUs, empty, occupied: null }, gathered.sum, gathered.frames, gathered.hops)
    this.#watch.clear()
    return true
  }

  /** Ends the hop. Returns null for a hop without packets. `seldom`: the vital signs are read every third second. */
  finishHop(hop: number, seldom = false): LinkObservation | null {
    if (this.#packets === 0) return null
    const motion = this.#motion.evaluate(hop)
    const usable = this.#reference !== null && isUsable(this.#reference)
    const dynamicPower = this.#dynamicPower.evaluate(hop)
    const moving = motion !== null && isMotion(motion.statistic, motion.sigma) ? motion : null
    const moves = moving?.whole === true
    const observation: LinkObservation = {
      transmitterId: this.transmitterId,
      packets: this.#packets,
      outliers: this.#outliers,
      rssiDbm: this.#rssiSum / this.#packets,
      motionStatistic: motion === null ? null : motion.statistic,
      motionStatisticSigma: motion === null ? 0 : motion.sigma,
      slowStatistic: motion?.slow?.statistic ?? null,
      slowStatisticSigma: motion?.slow?.sigma ?? 0,
      windowWhole: motion?.whole ?? false,
      dynamicPower: dynamicPower ?? motion?.power ?? null,
      occupancy: this.#occupancy(),
      vitals: this.#vitals.evaluate((hop + 1) * hopUs, moves && (dynamicPower ?? 0) >= movingPowerMin, seldom),
      leadsRad: usable ? this.#leads(this.#reference!) : noLeads,
      calibratedAtUs: this.calibratedAtUs,
      ...usable ? this.#dynamic.take() : noDynamic,
    }
    if (this.#gain.finishHop(hop)) this.gainSteps++
    this.#learn(moves, dynamicPower, moving?.statistic ?? null)
    this.#packets = 0
    this.#outliers = 0
    this.#dynamic.clear()
    this.#rssiSum = 0
    return observation
  }

  #leads({ response }: Reference): Float32Array {
    const { alignment, layout } = this.#plan
    return arrayLeads(response, layout.receiveAntennas, layout.transmitAntennas, alignment.tones)
  }

  #align(timeS: number): void {
    const { alignment, frame, layout, response } = this.#plan
    if (this.#reference === null) {
      this.#reference = beginReference(this.transmitterId, layout, alignment, frame)
    }
    const reference = this.#reference
    if (reference === null) return
    const gain = alignToReference(alignment, frame, 0, reference.response, response, 0)
    if (gain === 0) return
    this.#gain.add(gain)
    const sum = this.#hopSum
    for (let v = 0; v < sum.length; v++) sum[v]! += response[v]!
    this.#dynamic.add(response, timeS)
  }

  /** Adds the hop to the calibration or to the running mean. @param statistic of the motion; null while it is not significant */
  #learn(moving: boolean, dynamicPower: number | null, statistic: number | null): void {
    const reference = this.#reference
    const aligned = this.#dynamic.count
    if (reference !== null && aligned > 0) {
      this.#watch.add(this.#hopSum, aligned, dynamicPower)
      const gathered = this.#gathered
      if (gathered !== null) {
        for (let v = 0; v < gathered.sum.length; v++) gathered.sum[v]! += this.#hopSum[v]!
        gathered.side.add(this.#hopSum, aligned)
        gathered.frames += aligned
        gathered.hops++
      } else if (this.#watch.changedHops === restartHops) this.#changed(reference, statistic)
      else followQuietHop(reference, this.#hopSum, aligned, moving)
    }
    this.#hopSum.fill(0)
  }

  /**
   * Handles a permanent change of the static response. The motion window would report the step as motion as long as it
   * holds it, and a running mean would converge slowly, so both restart: the mean from the last 5 s, because a single packet may be noisy, or
   * contain the echo of a person, and would count as the next change. A calibrated reference stays until the
   * operator calibrates again. A step of the phases alone (a receiver whose chains lock anew, such as the Intel 5300)
   * is not in the powers, so the motion window goes on, also beside a person who moves.
   */
  #changed(reference: Reference, statistic: number | null): void {
    this.channelChanges++
    if (statistic !== null && this.#motion.hasStepped(statistic)) this.#restartMotion()
    if (reference.calibration !== null) return
    restartReference(reference, this.#watch.mean)
    this.#watch.clear()
  }

  #restartMotion(): void {
    this.#motion = new MotionWindow(this.#plan.powers.length)
  }

  #occupancy(): number | null {
    const calibration = this.#reference?.calibration ?? null
    const residual = this.#watch.residual
    return calibration === null || residual === null || this.stale !== null ? null : occupancyOf(calibration, residual)
  }
}
