/** BreathSense's logs: a motor-driven chest phantom before an Atheros receiver of 3 antennas, the transmitter with 2. */
import type { RadioLayout } from "../../core/formats/csi-batch.ts"
import { recording } from "./recordings.ts"

const receiveAntennas = 3
const transmitAntennas = 2
const tones = 56
/** Columns of a block in the logs, of which the first `tones` are used, and blocks of an antenna. */
const blockColumns = 114
const antennaBlocks = 3

export interface PacketLog {
  readonly layout: RadioLayout
  readonly packets: ReadonlyArray<{ readonly timestampUs: number; readonly csi: Float32Array }>
}

const rowsOf = (name: string): ReadonlyArray<ReadonlyArray<number>> =>
  new TextDecoder().decode(recording(name)).trim().split("\n").map((line) => line.split(",").map(Number))

/** All packets of a log, e.g. of `BPM12`. */
export const breathSense = (name: string): PacketLog => {
  const logs = ["real", "imag", "status"].map((kind) => rowsOf(`breathsense/${name}/config0001_csi_${kind}_log.csv`))
  const [real, imaginary, status] = logs
  const layout: RadioLayout = {
    format: "breathsense",
    receiveAntennas,
    transmitAntennas,
    subcarrierIndices: Int16Array.from({ length: tones }, (_, i) => i < tones / 2 ? i - 28 : i - 27),
    subcarrierSpacingHz: 312_500,
    centerFrequencyHz: status![0]![1]! * 1e6,
    bandwidthHz: 20e6,
  }
  const packets = real!.map((row, packet) => {
    const csi = new Float32Array(2 * receiveAntennas * transmitAntennas * tones)
    for (let rx = 0, to = 0; rx < receiveAntennas; rx++) {
      for (let tx = 0; tx < transmitAntennas; tx++) {
        for (let tone = 0; tone < tones; tone++, to += 2) {
          const column = (rx * antennaBlocks + tx) * blockColumns + tone
          csi[to] = row[column]!
          csi[to + 1] = imaginary![packet]![column]!
        }
      }
    }
    return { timestampUs: status![packet]![0]! * 1e6, csi }
  })
  return { layout, packets }
}
