/**
 * The GeoTec stability recordings: amplitudes of an ESP32-S2 with a label per packet, as CSI batches.
 *
 * The files have no times. 100 packets/s follow from the labels: getting up takes 121 to 146 packets and a walk of some
 * 3 m between two chairs 224 to 257, which at that rate are 1.2 to 1.5 s and 1.2 to 1.3 m/s.
 */
import { readFileSync } from "node:fs"
import type { CsiBatch, RadioLayout, Samples } from "../../../core/formats/csi-batch.ts"

export const geotecRateHz = 100

const layout: RadioLayout = {
  format: "npz",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: Int16Array.from({ length: 56 }, (_, i) => i < 28 ? i - 28 : i - 27),
  subcarrierSpacingHz: 312_500,
  centerFrequencyHz: 2.437e9,
  bandwidthHz: 20e6,
}

/** The file names of a recording after its common part, such as `D1/e01_rx_tx`. */
export const geotecEndings = { packets: "-x.npy", labels: "-y.txt" } as const

/** The packets of a recording, and the activity of each without the end of the room it is near. */
export const readGeotec = (path: string): { readonly batch: CsiBatch; readonly labels: ReadonlyArray<string> } => {
  const bytes = new Uint8Array(readFileSync(`${path}${geotecEndings.packets}`))
  const headerBytes = new DataView(bytes.buffer).getUint16(8, true)
  const amplitudes = new Float64Array(bytes.slice(10 + headerBytes).buffer)
  const tones = layout.subcarrierIndices.length
  const frames = amplitudes.length / tones
  const csi = new Float32Array(2 * amplitudes.length)
  for (let tone = 0; tone < tones; tone++) {
    for (let frame = 0; frame < frames; frame++) csi[2 * (frame * tones + tone)] = amplitudes[tone * frames + frame]!
  }
  const labels = readFileSync(`${path}${geotecEndings.labels}`, "utf8").trim().split("\n").map((line) =>
    line.trim().replace(/_[RT]X$/, "")
  )
  return { batch: batchOf(csi, 0, frames), labels }
}

/** Some packets of a batch as a batch of their own, from time 0. */
export const cut = (batch: CsiBatch, first: number, end: number): CsiBatch => batchOf(batch.csi, first, end)

const batchOf = (csi: Samples, first: number, end: number): CsiBatch => {
  const frames = end - first
  const length = 2 * layout.subcarrierIndices.length
  return {
    routerId: "r",
    batchSequence: 1,
    source: "replay",
    layout,
    frameCount: frames,
    timestampsUs: Float64Array.from({ length: frames }, (_, i) => i * 1e6 / geotecRateHz),
    sequences: new Uint32Array(frames),
    rssiDbm: new Int8Array(frames),
    noiseFloorDbm: new Int8Array(frames),
    transmitterIndex: new Uint16Array(frames),
    transmitterIds: ["tx"],
    csi: csi.subarray(first * length, end * length),
  }
}
