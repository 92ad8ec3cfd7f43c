/**
 * RuView ESP32 node datagrams (magic 0xC5110001): one datagram is one CSI frame.
 *
 * Owns the header and the order of the bins. Boundary: no socket; the receive time is an argument, because the datagram
 * carries none. Nor does it say who sent the packet that was measured: every frame has the transmitter "ap".
 *
 * The nodes measure without a secondary channel: 64 bins of the legacy training field in the order 0..31, -32..-1, in HT
 * packets followed by further training fields. As for the ESP32 csv, only the legacy field is used.
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import type { Fault } from "./decoder.ts"
import { legacySubcarriers, subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** A datagram that was understood: the frame and the node that sent it, as `node-<number>`. */
export interface RuviewFrame {
  readonly routerId: string
  readonly frame: CsiFrame
}

const magic = 0xc5110001
const headerBytes = 20
const antennasMax = 4
/** Bins per antenna: legacy alone, with an HT field of 20 MHz, with two of them or one of 40 MHz, with two of 40 MHz. */
const binCounts = [64, 128, 192, 306]

const refuse = (reason: Fault["reason"], message: string): Fault => ({ offset: 0, reason, message })

/**
 * Decodes one datagram.
 *
 * @param receivedUs receive time in microseconds since the Unix epoch, which becomes the frame's timestamp
 */
export const decodeRuviewDatagram = (bytes: Uint8Array, receivedUs: number): RuviewFrame | Fault => {
  if (bytes.length < headerBytes) {
    return refuse("truncated", `${bytes.length} bytes, the header alone has ${headerBytes}`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0, true) !== magic) return refuse("not-a-record", "the first four bytes are not 0xC5110001")
  const antennas = view.getUint8(5)
  const bins = view.getUint16(6, true)
  const frequencyMHz = view.getUint32(8, true)
  if (antennas < 1 || antennas > antennasMax) {
    return refuse("bad-field", `${antennas} antennas, not 1 to ${antennasMax}`)
  }
  if (!binCounts.includes(bins)) {
    return refuse("unsupported-layout", `${bins} subcarriers, not ${binCounts.join(", ")}`)
  }
  const expected = headerBytes + 2 * antennas * bins
  if (bytes.length < expected) return refuse("truncated", `${bytes.length} bytes, the header announces ${expected}`)
  if (bytes.length > expected) return refuse("value-count", `${bytes.length} bytes, the header announces ${expected}`)
  if (frequencyMHz < 2400 || frequencyMHz > 7200) return refuse("bad-field", `${frequencyMHz} MHz is no Wi-Fi channel`)
  return {
    routerId: `node-${view.getUint8(4)}`,
    frame: {
      layout: layoutOf(antennas, frequencyMHz),
      timestampUs: receivedUs,
      sequence: view.getUint32(12, true),
      rssiDbm: view.getInt8(16),
      noiseFloorDbm: view.getInt8(17),
      transmitterId: unknownTransmitterId,
      csi: readCsi(view, antennas, bins),
    },
  }
}

const layoutOf = (antennas: number, frequencyMHz: number): RadioLayout => ({
  format: "ruview",
  receiveAntennas: antennas,
  transmitAntennas: 1,
  subcarrierIndices: legacySubcarriers,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz: frequencyMHz * 1e6,
  bandwidthHz: 20e6,
})

/** Interleaved [rx][subcarrier]; the node writes the imaginary part first. */
const readCsi = (view: DataView, antennas: number, bins: number): Float32Array => {
  const tones = legacySubcarriers.length
  const csi = new Float32Array(antennas * tones * 2)
  for (let antenna = 0; antenna < antennas; antenna++) {
    for (let i = 0; i < tones; i++) {
      const bin = (legacySubcarriers[i]! + 64) % 64
      const at = headerBytes + 2 * (antenna * bins + bin)
      const to = 2 * (antenna * tones + i)
      csi[to] = view.getInt8(at + 1)
      csi[to + 1] = view.getInt8(at)
    }
  }
  return csi
}
