/**
 * The maps of a capture's picture, gathered in a second pass, because the choice of the link and the length of a column need the
 * inspection of the whole capture.
 *
 * A capture without times is shown frame by frame, without a Doppler map. A link with one antenna, or without a phase, has no map of paths.
 */
import { type CsiBatch, valuesPerFrame } from "../formats/csi-batch.ts"
import { antennasMin } from "../imaging/matched-field.ts"
import { type DelayAngle, matchedDelayAngle } from "../signal/delay-angle.ts"
import { musicDelayAngle } from "../signal/music.ts"
import { AmplitudeMap } from "./amplitude-map.ts"
import { DopplerMap, dopplerRateHz } from "./doppler-map.ts"
import { type Inspection, linkBurstRateHz } from "./inspector.ts"
import { StaticResponse } from "./static-response.ts"
import { withoutPhase } from "./capabilities.ts"
import { chooseLink, type ChosenLink, timeColumns } from "./time-columns.ts"

/** Columns of a map, at most. */
export const columnsMax = 1100
/** Numbers of an amplitude map, at most: wide frames have fewer columns. */
const amplitudesMax = 2 ** 23
/** Minimum length of a column in mean packet intervals, so that regular packets leave no column empty. */
const intervalsMin = 2
/** A spectrogram has at most ten frames per second, so a column of this length contains at least one. */
const dopplerColumnSMin = 0.15

/** The static response over delay and angle, by two methods. */
export interface Paths {
  readonly matched: DelayAngle
  readonly music: DelayAngle
}

export interface Maps {
  readonly link: ChosenLink
  readonly amplitude: AmplitudeMap
  readonly doppler: DopplerMap | null
  readonly paths: Paths | null
  /** The range of the columns, in seconds or in frames. */
  readonly span: { readonly unit: "s" | "frames"; readonly length: number }
}

/** Gathers the maps of an inspected capture. */
export class PictureMaps {
  readonly #link: ChosenLink
  readonly #amplitude: AmplitudeMap
  readonly #static: StaticResponse
  readonly #doppler: DopplerMap | null
  readonly #span: Maps["span"]
  readonly #hasPaths: boolean
  #frames = 0

  constructor(inspection: Inspection) {
    const { frames, layouts, span, timing: { durationS } } = inspection
    const commonest = layouts[0]!
    const link = chooseLink(commonest)
    const rateHz = linkBurstRateHz(inspection)
    this.#link = link
    this.#static = new StaticResponse(link)
    const amplitudeColumns = Math.min(columnsMax, Math.floor(amplitudesMax / valuesPerFrame(link.layout)))
    this.#hasPaths = link.layout.receiveAntennas >= antennasMin && withoutPhase(inspection, link.layout) === null
    if (durationS === null || rateHz === null) {
      this.#span = { unit: "frames", length: frames }
      this.#amplitude = new AmplitudeMap(link, timeColumns({ fromUs: 0, untilUs: frames }, 1, amplitudeColumns))
      this.#doppler = null
      return
    }
    const columnS = intervalsMin / rateHz
    const dopplerColumns = timeColumns(span, 1e6 * Math.max(columnS, dopplerColumnSMin), columnsMax)
    this.#span = { unit: "s", length: durationS }
    this.#amplitude = new AmplitudeMap(link, timeColumns(span, 1e6 * columnS, amplitudeColumns))
    this.#doppler = new DopplerMap(this.#static.plan, dopplerColumns, dopplerRateHz(rateHz))
  }

  add(batch: CsiBatch): void {
    this.#static.add(batch, (timestampUs) => this.#doppler?.add(timestampUs, this.#static.plan.response))
    this.#amplitude.add(this.#doppler === null ? this.#countedOut(batch) : batch)
  }

  finish(): Maps {
    this.#static.finish()
    this.#doppler?.finish()
    return {
      link: this.#link,
      amplitude: this.#amplitude,
      doppler: this.#doppler,
      paths: this.#paths(),
      span: this.#span,
    }
  }

  #paths(): Paths | null {
    const response = this.#static.values
    if (!this.#hasPaths || response === null) return null
    const { layout } = this.#static.plan
    const music = musicDelayAngle(layout, response)
    return music === null ? null : { matched: matchedDelayAngle(layout, response), music }
  }

  /** The batch with frame numbers in place of times. */
  #countedOut(batch: CsiBatch): CsiBatch {
    const first = this.#frames
    this.#frames += batch.frameCount
    return { ...batch, timestampsUs: batch.timestampsUs.map((_, i) => first + i) }
  }
}
