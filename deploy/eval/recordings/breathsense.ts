/** BreathSense's logs: a motor-driven chest phantom before an Atheros receiver of 3 antennas, the transmitter with 2. */
import { readFileSync } from "node:fs"
import type { CsiBatch, RadioLayout } from "../../../core/formats/csi-batch.ts"

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
  readFileSync(name, "utf8").trim().split("\n").map((line) => line.split(",").map(Number))

/** The file of a log that has the times; beside it are those of the real and imaginary parts. */
export const breathSenseStatusFile = "config0001_csi_status_log.csv"

/** All packets of the log in a folder. */
export const readBreathSense = (folder: string): PacketLog => {
  const logs = ["real", "imag", "status"].map((kind) => rowsOf(`${folder}/config0001_csi_${kind}_log.csv`))
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

/** A log as one batch, from time 0. */
export const breathSenseBatch = ({ layout, packets }: PacketLog): CsiBatch => {
  const frames = packets.length
  const length = packets[0]!.csi.length
  const csi = new Float32Array(frames * length)
  packets.forEach((packet, i) => csi.set(packet.csi, i * length))
  return {
    routerId: "r",
    batchSequence: 1,
    source: "replay",
    layout,
    frameCount: frames,
    timestampsUs: Float64Array.from(packets, ({ timestampUs }) => timestampUs - packets[0]!.timestampUs),
    sequences: new Uint32Array(frames),
    rssiDbm: new Int8Array(frames),
    noiseFloorDbm: new Int8Array(frames),
    transmitterIndex: new Uint16Array(frames),
    transmitterIds: ["tx"],
    csi,
  }
}
