/**
 * The maps of a capture's picture, gathered in a second pass: that the capture was inspected before says which link is the busiest,
 * and how long a column lasts.
 *
 * A capture without time is shown by its frames, and has no Doppler; a link of one antenna, or without a phase, has no paths.
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
/** Mean intervals that a column lasts at least, so that packets that come when they should leave none empty. */
const intervalsMin = 2
/** A spectrogram has ten frames a second, or one a packet: a column holds one at least. */
const dopplerColumnSMin = 0.15

/** Where the paths of the static response come from: two pictures of the same. */
export interface Paths {
  readonly matched: DelayAngle
  readonly music: DelayAngle
}

export interface Maps {
  readonly link: ChosenLink
  readonly amplitude: AmplitudeMap
  readonly doppler: DopplerMap | null
  readonly paths: Paths | null
  /** What the columns span: seconds, or frames. */
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
    const { layouts, span, timing: { durationS } } = inspection
    const commonest = layouts[0]!
    const link = chooseLink(commonest)
    const rateHz = linkBurstRateHz(inspection)
    this.#link = link
    this.#static = new StaticResponse(link)
    const amplitudeColumns = Math.min(columnsMax, Math.floor(amplitudesMax / valuesPerFrame(link.layout)))
    this.#hasPaths = link.layout.receiveAntennas >= antennasMin && withoutPhase(inspection, link.layout) === null
    if (durationS === null || rateHz === null) {
      this.#span = { unit: "frames", length: commonest.frames }
      this.#amplitude = new AmplitudeMap(
        link,
        timeColumns({ fromUs: 0, untilUs: commonest.frames }, 1, amplitudeColumns),
      )
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

  /** The batch with the number of each frame for its time. */
  #countedOut(batch: CsiBatch): CsiBatch {
    const first = this.#frames
    this.#frames += batch.frameCount
    return { ...batch, timestampsUs: batch.timestampsUs.map((_, i) => first + i) }
  }
}
