/**
 * Packets of the Linux 802.11n CSI Tool as its script `read_bf_file` has them in MATLAB: a cell array of structs.
 *
 * Owns the fields of a packet. `csi` is [tx, rx, 30], the rows of the receive antennas already in their order (`perm`). Cells that the
 * script left empty have no packet. The sender is unnamed, and the channel is unknown.
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import { readFrame, stridesOf } from "./csi-axes.ts"
import { DeviceClock, SequenceCounter, unsignedReading } from "./device-clock.ts"
import {
  intel5300AntennasMax,
  intel5300Layout,
  intel5300NoiseDbm,
  intel5300RssiDbm,
  intel5300Tones,
} from "./intel5300-report.ts"
import { cellsOf, fieldsOf, type MatArray, numbersOf } from "./mat-file.ts"
import type { Refusal } from "./record-stream.ts"
import type { FileContent } from "./whole-file.ts"

type Fields = ReadonlyMap<string, MatArray>

const bad = (packet: number, what: string): Refusal => ({ reason: "bad-field", message: `packet ${packet}: ${what}` })

const isEmpty = ({ shape }: MatArray): boolean => shape.includes(0)

/** Whether an array is a list of packets: the first cell that is not empty has the fields of one. */
export const isIntel5300Trace = (array: MatArray): boolean => {
  if (array.kind !== "cells") return false
  for (const cell of cellsOf(array)) {
    if (cell === null) return false
    if (isEmpty(cell)) continue
    const fields = fieldsOf(cell)
    return fields !== null && ["timestamp_low", "rate", "csi"].every((name) => fields.has(name))
  }
  return false
}

/** The number of a field; NaN if it has none, 0 if the packet lacks the field. */
const numberIn = (fields: Fields, name: string): number => {
  const field = fields.get(name)
  if (field === undefined) return 0
  const array = numbersOf(field, name)
  return "reason" in array || array.complex || array.numbers.length !== 1 ? NaN : Number(array.numbers[0])
}

/** An integer of a field within its range; the nearest limit or 0 if it has none. */
const integerIn = (fields: Fields, name: string, least: number, most: number): number => {
  const value = Math.round(numberIn(fields, name))
  return Number.isNaN(value) ? 0 : Math.max(least, Math.min(most, value))
}

/** Dimensions of a packet's csi, and its columns. */
const axes = { frame: null, rx: 1, tx: 0, column: 2 }
const columns = Array.from({ length: intel5300Tones }, (_, tone) => tone)

/** Reads the packets of a list at this offset of the file. */
export const readIntel5300Trace = (array: MatArray, offset: number, out: FileContent): void => {
  const clock = new DeviceClock()
  const counter = new SequenceCounter()
  let packet = 0
  for (const cell of cellsOf(array)) {
    packet++
    const fields = cell === null ? null : fieldsOf(cell)
    if (cell !== null && isEmpty(cell)) continue
    const frame = fields === null ? bad(packet, "it is damaged") : frameOf(fields, packet, clock, counter)
    if ("reason" in frame) out.fault(offset, frame)
    else out.frame(frame)
  }
}

const frameOf = (
  fields: Fields,
  packet: number,
  clock: DeviceClock,
  counter: SequenceCounter,
): CsiFrame | Refusal => {
  const field = fields.get("csi")
  const array = field === undefined ? bad(packet, "it has no csi") : numbersOf(field, "csi")
  if ("reason" in array) return { ...array, message: `packet ${packet}: ${array.message}` }
  const [transmit = 0, receive = 0, tones = 1, ...more] = array.shape
  const isCount = (count: number): boolean => count >= 1 && count <= intel5300AntennasMax
  if (!isCount(transmit) || !isCount(receive) || tones !== intel5300Tones || more.length > 0) {
    const message = `packet ${packet}: csi is ${array.shape.join(" x ")}, not tx x rx x ${intel5300Tones}`
    return { reason: "unsupported-layout", message }
  }
  const reading = unsignedReading(numberIn(fields, "timestamp_low"))
  if (!(reading >= 0 && reading < 2 ** 32)) return bad(packet, "timestamp_low is not a 32-bit counter")
  const layout = intel5300Layout(receive, transmit, integerIn(fields, "rate", 0, 65_535))
  const csi = new Float32Array(2 * transmit * receive * intel5300Tones)
  if (!readFrame(array, stridesOf(array, axes), layout, columns, 0, csi)) {
    return { reason: "bad-value", message: `packet ${packet}: a value of csi is not finite` }
  }
  const level = (name: string): number => integerIn(fields, name, 0, 255)
  return {
    layout,
    timestampUs: clock.at(reading),
    sequence: fields.has("bfee_count") ? counter.at(integerIn(fields, "bfee_count", 0, 65_535)) : 0,
    rssiDbm: intel5300RssiDbm(level("rssi_a"), level("rssi_b"), level("rssi_c"), level("agc")),
    noiseFloorDbm: intel5300NoiseDbm(integerIn(fields, "noise", -128, 127)),
    transmitterId: unknownTransmitterId,
    csi,
  }
}
