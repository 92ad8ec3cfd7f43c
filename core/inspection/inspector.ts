/**
 * The inspector: the properties of a whole capture, gathered from its CSI batches and faults in one pass.
 *
 * Boundary: bytes are read and decoded elsewhere; `capabilities.ts` judges the uses of a capture. Memory does not grow with the capture.
 */
import type { CsiBatch } from "../formats/csi-batch.ts"
import { type DecodeResult, type Fault, isWarning } from "../formats/decoder.ts"
import type { Observation } from "../observation/observation.ts"
import { Reducer } from "../reduction/reduce.ts"
import { droppedCount, droppedText } from "../reduction/reducer-counters.ts"
import { SequenceGaps } from "../signal/sequence-gaps.ts"
import { withoutRates } from "../vitals/located-presence.ts"
import { PresenceDetector } from "../vitals/presence.ts"
import { Census, type LayoutCount, type LinkCount } from "./census.ts"
import { PacketTimes, type PacketTiming } from "./packet-timing.ts"
import { type PresenceSummary, PresenceTally, withBreath } from "./presence-summary.ts"
import { VitalSigns, type VitalSummary } from "./vital-signs.ts"

/** Faults that are listed; further ones are counted. */
const faultsMax = 1000
/** Warnings that are listed. */
const warningsMax = 100
/** Links that are named. */
const busiestMax = 5
/** Silent hops that are decided one by one; after this many the detector is in its initial state. */
const silentHopsMax = 600

/** What a capture holds. */
export interface Inspection extends VitalSummary {
  readonly frames: number
  readonly faults: ReadonlyArray<Fault>
  /** Faults beyond those listed. */
  readonly faultsOmitted: number
  /** Doubts about parts that were decoded. */
  readonly warnings: ReadonlyArray<Fault>
  /** The commonest first. */
  readonly layouts: ReadonlyArray<LayoutCount>
  /** Transmitters that the capture's receiver received. */
  readonly links: number
  /** The links with the most frames. */
  readonly busiestLinks: ReadonlyArray<LinkCount>
  readonly timing: PacketTiming
  /** Times of the first and the last packet, microseconds on the capture's own clock. */
  readonly span: { readonly fromUs: number; readonly untilUs: number }
  /** Lost packets over sent ones by the device's counter; null when it does not count. */
  readonly loss: number | null
  /** Mean of |H| over all frames, antennas and subcarriers, in the capture's raw units. */
  readonly amplitudeMean: number | null
  readonly presence: PresenceSummary
  /** Frames that presence and vital signs could not use, and their numbers by reason, in words. */
  readonly unused: { readonly frames: number; readonly reasons: string }
  /** The frames have amplitudes alone, without a phase. */
  readonly amplitudeOnly: boolean
}

/** Packets per second of the busiest link of the commonest layout, with its gaps; null without time. */
export const linkRateHz = ({ frames, layouts, timing: { rateHz } }: Inspection): number | null =>
  rateHz === null ? null : rateHz * layouts[0]!.busiest.frames / frames

/** The packet rate of a link outside of the gaps: it limits the speeds that successive packets can measure. */
export const linkBurstRateHz = ({ frames, layouts, timing: { steadyRateHz } }: Inspection): number | null =>
  steadyRateHz === null ? null : steadyRateHz * layouts[0]!.busiest.frames / frames

const noTime = "the capture's frames carry no time, or there is only one of them"

/** Without times, or without a usable frame, changes of the channel cannot be evaluated. */
const withoutChanges = (inspection: Inspection, reason: string): Inspection => ({
  ...inspection,
  presence: { present: null, confidence: 0, reason, share: null, motion: null, answered: 0 },
  breathing: { rateBpm: null, reason },
  heart: { rateBpm: null, reason },
  breathingWindows: { readable: 0, reason },
})

/** The observation without the rates that the machine may cause. */
const besideMachine = (observation: Observation): Observation => ({
  ...observation,
  links: observation.links.map((link) => ({ ...link, vitals: withoutRates(link.vitals) })),
})

/** Inspects one capture. */
export class Inspector {
  readonly #census = new Census()
  readonly #times = new PacketTimes()
  readonly #gaps = new SequenceGaps()
  #lost = 0
  readonly #faults: Array<Fault> = []
  #faultsOmitted = 0
  readonly #warnings: Array<Fault> = []
  readonly #reducer: Reducer
  #detector = new PresenceDetector()
  readonly #tally = new PresenceTally()
  readonly #vitals = new VitalSigns()
  #hop = -1
  #amplitudeOnly = false

  /** @param routerId that the capture was decoded under */
  constructor(routerId: string) {
    this.#reducer = new Reducer(routerId)
  }

  add({ batches, faults, faultsOmitted }: DecodeResult): void {
    const unused = faults.filter((fault) => !isWarning(fault))
    const listed = unused.slice(0, faultsMax - this.#faults.length)
    this.#faults.push(...listed)
    this.#faultsOmitted += unused.length - listed.length + faultsOmitted
    this.#warnings.push(...faults.filter(isWarning).slice(0, warningsMax - this.#warnings.length))
    for (const batch of batches) this.#addBatch(batch)
  }

  /** Ends the capture. */
  finish(): Inspection {
    this.#observe(this.#reducer.flush(Number.MAX_SAFE_INTEGER))
    const frames = this.#census.frames
    const vitals = this.#vitals.read()
    const { counters } = this.#reducer
    const inspection: Inspection = {
      frames,
      faults: this.#faults,
      faultsOmitted: this.#faultsOmitted,
      warnings: this.#warnings,
      layouts: this.#census.layouts(),
      links: this.#census.links,
      busiestLinks: this.#census.busiest(busiestMax),
      timing: this.#times.read(),
      span: { fromUs: this.#times.firstUs, untilUs: this.#times.lastUs },
      loss: this.#gaps.counts ? this.#lost / (this.#lost + frames) : null,
      amplitudeMean: this.#census.amplitudeMean,
      presence: withBreath(this.#tally.read(), vitals.breathing.rateBpm),
      unused: { frames: droppedCount(counters), reasons: droppedText(counters) },
      amplitudeOnly: this.#amplitudeOnly,
      ...vitals,
    }
    if (inspection.timing.durationS === null) return withoutChanges(inspection, noTime)
    const { frames: unusedFrames, reasons } = inspection.unused
    return unusedFrames === frames ? withoutChanges(inspection, `no frame can be evaluated: ${reasons}`) : inspection
  }

  #addBatch(batch: CsiBatch): void {
    this.#census.add(batch)
    for (let frame = 0; frame < batch.frameCount; frame++) {
      this.#times.add(batch.timestampsUs[frame]!)
      this.#lost += this.#gaps.add(batch.sequences[frame]!)
    }
    this.#observe(this.#reducer.push(batch))
  }

  #observe(observations: ReadonlyArray<Observation>): void {
    for (const observation of observations) {
      const { hop } = observation
      // The capture's clock was set back.
      if (hop <= this.#hop) this.#detector = new PresenceDetector()
      else if (this.#hop >= 0) this.#passSilence(hop)
      this.#hop = hop
      this.#amplitudeOnly = observation.amplitudeOnly
      this.#detector.add(observation)
      const reading = this.#detector.read(hop)
      this.#tally.add(reading)
      this.#vitals.add(reading.machine ? besideMachine(observation) : observation)
    }
  }

  /** Decides on the hops before this one in which no packet came. */
  #passSilence(hop: number): void {
    const last = Math.min(hop - 1, this.#hop + silentHopsMax)
    for (let silent = this.#hop + 1; silent <= last; silent++) this.#tally.add(this.#detector.read(silent))
    if (last < hop - 1) this.#tally.add(this.#detector.read(last + 1), hop - 1 - last)
  }
}
