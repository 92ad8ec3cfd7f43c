/**
 * The Doppler map of one link: the power of moving reflectors by Doppler shift, over time.
 *
 * The aligned responses (`static-response.ts`), on a uniform grid at the packet rate and without their mean, become a spectrogram
 * (`doppler-spectrogram.ts`) piece by piece, so that the memory does not grow with the capture. Where packets are missing for longer, the
 * pieces end, and the columns stay empty. Power is relative to that of the static response.
 */
import { decimateRow } from "../signal/decimation.ts"
import type { LayoutPlan } from "../signal/layout-plan.ts"
import { dopplerWindow, spectrogram } from "./doppler-spectrogram.ts"
import { columnOf, type TimeColumns } from "./time-columns.ts"

/** Persons cause no shifts beyond +-200 Hz, 5 m/s at 6 GHz. Packets at higher rates are averaged. */
const sampleRateHzMax = 400
/** A longer silence ends a piece: 0.25 s, or five packets. */
const silenceS = 0.25
const silencePackets = 5
/** Samples of a piece that are transformed together, beside those of a window. */
const pieceSamples = 1024
/** Maximum number of series: the receive antennas' responses to the first transmit stream. */
const antennasMax = 3

/** The sample rate of the grid for packets at this rate. */
export const dopplerRateHz = (packetRateHz: number): number => Math.min(sampleRateHzMax, packetRateHz)

export class DopplerMap {
  readonly columns: TimeColumns
  /** Shifts of the map: `bins` of them from -frequencyMaxHz, equally spaced. */
  readonly bins: number
  readonly frequencyMaxHz: number
  readonly #rateHz: number
  readonly #plan: LayoutPlan
  readonly #antennas: number
  /** Complex values of a sample: antennas times tones. */
  readonly #values: number
  /** The piece: [sample][value] complex, from the step `#firstStep` of the grid on. */
  readonly #piece: Float32Array
  readonly #pieceMax: number
  readonly #response: Float32Array
  #firstStep = 0
  #samples = 0
  /** Packets in the last sample. */
  #inLast = 0
  readonly #power: Float64Array
  readonly #frames: Uint32Array

  constructor(plan: LayoutPlan, columns: TimeColumns, rateHz: number) {
    this.columns = columns
    this.#rateHz = rateHz
    this.#plan = plan
    this.bins = dopplerWindow(rateHz)
    this.frequencyMaxHz = rateHz / 2
    this.#antennas = Math.min(antennasMax, this.#plan.layout.receiveAntennas)
    this.#values = this.#antennas * this.#plan.decimation.tonesHz.length
    this.#pieceMax = pieceSamples + this.bins
    this.#piece = new Float32Array(this.#pieceMax * 2 * this.#values)
    this.#response = new Float32Array(2 * this.#values)
    this.#power = new Float64Array(columns.count * this.bins)
    this.#frames = new Uint32Array(columns.count)
  }

  /** Takes a packet's aligned response: interleaved complex [rx][tx][tone] of the plan's layout. */
  add(timestampUs: number, response: Float32Array): void {
    const { alignment, decimation, layout } = this.#plan
    const tones = decimation.tonesHz.length
    for (let antenna = 0; antenna < this.#antennas; antenna++) {
      const row = 2 * antenna * layout.transmitAntennas * alignment.tones
      decimateRow(decimation, response, row, this.#response, 2 * antenna * tones)
    }
    this.#sample(timestampUs)
  }

  /** Takes the last piece in. */
  finish(): void {
    this.#transform()
  }

  /** Whether there is no spectrum, because no piece was long enough. */
  get isEmpty(): boolean {
    return this.#frames.every((count) => count === 0)
  }

  /** Power in dB over that of the static response; NaN where there is none. */
  decibelsAt(column: number, bin: number): number {
    const power = this.#power[column * this.bins + bin]! / this.#frames[column]!
    return power > 0 ? 10 * Math.log10(power) : NaN
  }

  /** Puts the response on the grid: the mean of a step's packets; a step without one repeats the one before. */
  #sample(timestampUs: number): void {
    const step = Math.floor((timestampUs - this.columns.fromUs) * this.#rateHz / 1e6)
    const last = this.#firstStep + this.#samples - 1
    const silentMax = Math.max(silencePackets, silenceS * this.#rateHz)
    if (this.#samples === 0 || step < last || step - last > silentMax) this.#begin(step)
    else if (step > last) this.#extend(step - last)
    const weight = 1 / ++this.#inLast
    const at = (this.#samples - 1) * 2 * this.#values
    for (let v = 0; v < 2 * this.#values; v++) {
      this.#piece[at + v]! += weight * (this.#response[v]! - this.#piece[at + v]!)
    }
  }

  #begin(step: number): void {
    this.#transform()
    this.#firstStep = step
    this.#samples = 1
    this.#inLast = 0
  }

  #extend(steps: number): void {
    const length = 2 * this.#values
    for (let i = 0; i < steps; i++) {
      if (this.#samples === this.#pieceMax) this.#continue()
      const at = this.#samples * length
      this.#piece.copyWithin(at, at - length, at)
      this.#samples++
    }
    this.#inLast = 0
  }

  /** Transforms a full piece and goes on with its end, so that no window is lost between two pieces. */
  #continue(): void {
    this.#transform()
    const kept = this.bins
    const dropped = this.#samples - kept
    this.#piece.copyWithin(0, dropped * 2 * this.#values, this.#samples * 2 * this.#values)
    this.#firstStep += dropped
    this.#samples = kept
  }

  #transform(): void {
    const values = this.#values
    const samples = this.#samples
    const series = new Float32Array(values * samples * 2)
    for (let sample = 0; sample < samples; sample++) {
      for (let value = 0; value < values; value++) {
        const from = 2 * (sample * values + value)
        const to = 2 * (value * samples + sample)
        series[to] = this.#piece[from]!
        series[to + 1] = this.#piece[from + 1]!
      }
    }
    const found = spectrogram(series, values, this.#rateHz)
    if (found === null) return
    for (const [frame, timeS] of found.timesS.entries()) {
      const timestampUs = this.columns.fromUs + 1e6 * (this.#firstStep / this.#rateHz + timeS)
      const column = columnOf(this.columns, timestampUs)
      this.#frames[column]!++
      for (let bin = 0; bin < this.bins; bin++) {
        this.#power[column * this.bins + bin]! += found.power[frame * this.bins + bin]!
      }
    }
  }
}
