/**
 * The reducer: turns the CSI batches of one router into one observation per hop (100 ms of event time).
 *
 * Owns the division of time into hops, the links of the router, its packet rate and loss, and calibration.
 * Deterministic: the same batches give the same observations. Boundary: `link-reducer.ts` reduces the packets of a
 * link.
 *
 * Invariants:
 * 1. Observations come in ascending hops, one at most per hop, and never for a hop without packets.
 * 2. A frame counts once: in a hop, or in one of the counters of dropped frames.
 * 3. At most `linksMax` links that were active within 5 minutes, and one layout at a time: this bounds the memory.
 */
import { type CsiBatch, type RadioLayout, sameLayout, type Source, valuesPerFrame } from "../formats/csi-batch.ts"
import { hopOf, hopUs, type LinkObservation, type Observation } from "../observation/observation.ts"
import { inTimeOrder, isConsistent } from "../signal/batch-order.ts"
import { type CalibratedRoom, type CalibrationProgress, CalibrationRun } from "../signal/calibration-run.ts"
import { type CalibrationStatus, calibrationStatusOf } from "../signal/calibration-status.ts"
import { createLayoutPlan, type LayoutPlan } from "../signal/layout-plan.ts"
import { isMotion } from "../signal/motion-statistic.ts"
import { PacketCounter } from "../signal/packet-counter.ts"
import type { Reference } from "../signal/reference.ts"
import { readingPhaseUs } from "../vitals/reading-phase.ts"
import { LinkReducer } from "./link-reducer.ts"
import { noCounts, type ReducerCounters } from "./reducer-counters.ts"
import { StoredReferences } from "./stored-references.ts"

/** Maximum number of links (transmitters) of one router. */
const linksMax = 64

/** When all links are in use, one that was silent this long is replaced by a new transmitter. */
const silentHops = 100
/** A link that was silent this long is removed: 5 minutes, the longest of its windows. */
const forgottenHops = 3000
/** This many frames in a row from more than `restartHops` before the current hop mean that the clock was set back. */
const restartFrames = 8
const restartHops = 100
/** Hops with packets that a link needs for its calibration: 1 s. */
const calibrationHopsMin = 10
/** The most votes for a layout: 5 s at 100 packets/s. */
const layoutVotesMax = 500
/** Votes that another layout starts with: 0.3 s at 100 packets/s. */
const changedLayoutVotes = 30

/** Reduces the frames of one router. */
export class Reducer {
  /** Reads the vital signs every third second instead of every second. */
  readsSeldom = false
  readonly #routerId: string
  readonly #counters = noCounts()
  readonly #packets = new PacketCounter()
  readonly #links = new Map<string, LinkReducer>()
  readonly #stored = new StoredReferences()
  #plan: LayoutPlan | null = null
  #source: Source = "live"
  /** Frames of the current layout less those of others: below 0 the layout changes. */
  #layoutVotes = 0
  /** The hop of the latest frame, and whether it is still open. */
  #hop = -1
  #open = false
  #lateInRow = 0
  #calibration: CalibrationRun | null = null
  #finished: Array<Observation> = []

  constructor(routerId: string) {
    this.#routerId = routerId
  }

  get counters(): Readonly<ReducerCounters> {
    const counters = { ...this.#counters }
    for (const link of this.#links.values()) {
      counters.gainSteps += link.gainSteps
      counters.channelChanges += link.channelChanges
    }
    return counters
  }

  /** The layout of the used tones; null before the first packet. */
  get layout(): RadioLayout | null {
    return this.#plan?.layout ?? null
  }

  /** Transmitters with a link. */
  get transmitterIds(): ReadonlyArray<string> {
    return [...this.#links.keys()]
  }

  /** The last calibration that was started, or null. */
  get calibration(): CalibrationProgress | null {
    return this.#calibration?.progress ?? null
  }

  /** Adds a batch and returns the observations of the hops that it completed. */
  push(batch: CsiBatch): ReadonlyArray<Observation> {
    if (!isConsistent(batch)) {
      this.#counters.invalid += batch.frameCount
      return this.#take()
    }
    if (batch.source !== this.#source) this.#startOver(null)
    this.#source = batch.source
    if (!this.#admitLayout(batch)) {
      this.#counters.otherLayout += batch.frameCount
      return this.#take()
    }
    for (const frame of inTimeOrder(batch)) this.#frame(batch, frame)
    return this.#take()
  }

  /** Ends the hops that are over at `untilUs`, without waiting for later frames. */
  flush(untilUs: number): ReadonlyArray<Observation> {
    if (hopOf(untilUs) > this.#hop) this.#finishHop()
    return this.#take()
  }

  /**
   * Starts a calibration. In the empty room the next `durationUs` of event time become the reference of every link; in
   * the occupied room they set the occupied level of every calibrated link.
   */
  startCalibration(room: CalibratedRoom, durationUs: number): void {
    this.#calibration = new CalibrationRun(room, durationUs)
    for (const link of this.#links.values()) link.beginCalibration()
  }

  /** The current calibration status. */
  calibrationStatus(): CalibrationStatus {
    return calibrationStatusOf([...this.#links.values()], this.#stored.all)
  }

  /**
   * Copies of the references of all links, to be persisted, and of those that may return: calibrated ones, and running
   * means of transmitters that have no other.
   */
  references(): ReadonlyArray<Reference> {
    const present = [...this.#links.values()].flatMap((link) => link.reference === null ? [] : [link.reference])
    const stored = this.#stored.all.filter(({ calibration, transmitterId }) =>
      calibration !== null || !this.#links.has(transmitterId)
    )
    return [...stored, ...present].map((reference) => ({ ...reference, response: reference.response.slice() }))
  }

  /**
   * Restores persisted references, before the first frame. A reference is used when its transmitter and layout return.
   */
  restore(references: ReadonlyArray<Reference>): void {
    for (const reference of references) {
      const whole = reference.response.length === 2 * valuesPerFrame(reference.layout)
      if (!whole || !reference.response.every(Number.isFinite)) continue
      this.#stored.keep({ ...reference, response: reference.response.slice() })
    }
  }

  #take(): ReadonlyArray<Observation> {
    const finished = this.#finished
    this.#finished = []
    return finished
  }

  /** Whether a batch has the current layout, after a vote on the layout. */
  #admitLayout(batch: CsiBatch): boolean {
    if (this.#plan !== null && sameLayout(this.#plan.recorded, batch.layout)) {
      this.#layoutVotes = Math.min(this.#layoutVotes + batch.frameCount, layoutVotesMax)
      return true
    }
    this.#layoutVotes -= batch.frameCount
    const isFirst = this.#plan === null
    if (!isFirst && this.#layoutVotes >= 0) return false
    this.#startOver(batch.layout)
    this.#layoutVotes = Math.min(batch.frameCount + (isFirst ? 0 : changedLayoutVotes), layoutVotesMax)
    return true
  }

  /** Ends the current hop and resets all windows; calibrated references are kept for their layout. */
  #startOver(layout: RadioLayout | null): void {
    this.#finishHop()
    for (const link of this.#links.values()) this.#leave(link)
    this.#links.clear()
    this.#packets.clear()
    this.#plan = layout === null ? null : createLayoutPlan(layout)
  }

  /** Keeps the counts and the calibrated reference of a link that is removed. */
  #leave(link: LinkReducer): void {
    this.#counters.gainSteps += link.gainSteps
    this.#counters.channelChanges += link.channelChanges
    if (link.reference?.calibration != null) this.#stored.keep(link.reference)
  }

  #frame(batch: CsiBatch, frame: number): void {
    const timestampUs = batch.timestampsUs[frame]!
    const transmitterId = batch.transmitterIds[batch.transmitterIndex[frame]!]
    if (!(timestampUs >= 0 && timestampUs < Number.MAX_SAFE_INTEGER) || transmitterId === undefined) {
      this.#counters.invalid++
      return
    }
    const hop = hopOf(timestampUs)
    if (!this.#reachHop(hop)) {
      this.#counters.late++
      return
    }
    const link = this.#linkOf(transmitterId)
    if (link === null) {
      this.#counters.linksFull++
      return
    }
    const at = frame * 2 * valuesPerFrame(batch.layout)
    const rejection = link.add(batch.csi, at, timestampUs, hop, batch.rssiDbm[frame]!)
    if (rejection === null) this.#packets.add(hop, batch.sequences[frame]!)
    else this.#counters[rejection]++
  }

  /** Advances to the hop of a frame; false when that hop is already over. */
  #reachHop(hop: number): boolean {
    if (hop < this.#hop || (hop === this.#hop && !this.#open)) {
      const setBack = this.#hop - hop > restartHops
      this.#lateInRow = setBack ? this.#lateInRow + 1 : 0
      if (this.#lateInRow < restartFrames) return false
      this.#counters.clockRestarts++
      this.#startOver(this.#plan!.recorded)
      this.#calibration?.restart()
    }
    this.#lateInRow = 0
    if (hop !== this.#hop) this.#finishHop()
    this.#hop = hop
    this.#open = true
    return true
  }

  #linkOf(transmitterId: string): LinkReducer | null {
    const known = this.#links.get(transmitterId)
    if (known !== undefined) return known
    if (this.#links.size >= linksMax && !this.#dropSilentLink()) return null
    const plan = this.#plan!
    const reference = this.#stored.take(transmitterId, plan.layout)
    const link = new LinkReducer(transmitterId, plan, reference, readingPhaseUs(this.#routerId, transmitterId))
    if (this.#calibration?.progress.done === false) link.beginCalibration()
    this.#links.set(transmitterId, link)
    return link
  }

  #dropSilentLink(): boolean {
    let silent: LinkReducer | null = null
    for (const link of this.#links.values()) if (silent === null || link.lastHop < silent.lastHop) silent = link
    if (silent === null || this.#hop - silent.lastHop < silentHops) return false
    this.#forget(silent)
    return true
  }

  #forget(link: LinkReducer): void {
    this.#leave(link)
    this.#links.delete(link.transmitterId)
  }

  #finishHop(): void {
    if (!this.#open) return
    this.#open = false
    const hop = this.#hop
    const links: Array<LinkObservation> = []
    for (const link of this.#links.values()) {
      const observed = link.finishHop(hop, this.readsSeldom)
      if (observed === null) {
        if (hop - link.lastHop > forgottenHops) this.#forget(link)
        continue
      }
      links.push(observed)
    }
    if (links.length > 0) this.#finished.push(this.#observation(hop, links))
    this.#followCalibration(hop, links)
  }

  #observation(hop: number, links: ReadonlyArray<LinkObservation>): Observation {
    const { layout, decimation } = this.#plan!
    const calibration = this.calibrationStatus()
    return {
      routerId: this.#routerId,
      hop,
      source: this.#source,
      calibrated: calibration.calibratedLinks > 0 && calibration.stale === null,
      receiveAntennas: layout.receiveAntennas,
      centerFrequencyHz: layout.centerFrequencyHz,
      amplitudeOnly: [...this.#links.values()].every((link) => link.amplitudeOnly),
      tonesHz: decimation.tonesHz,
      packetRateHz: this.#packets.rateHz(hop),
      packetLoss: this.#packets.loss(hop),
      links,
    }
  }

  #followCalibration(hop: number, links: ReadonlyArray<LinkObservation>): void {
    const run = this.#calibration
    if (run === null || links.length === 0) return
    const moving = links.some((link) => isMotion(link.motionStatistic, link.motionStatisticSigma))
    const takenAtUs = (hop + 1) * hopUs
    run.take(hop, moving, () => {
      const version = this.calibrationStatus().version + 1
      return [...this.#links.values()].filter((link) =>
        link.endCalibration(run.progress.room, version, takenAtUs, calibrationHopsMin)
      ).length
    })
  }
}
