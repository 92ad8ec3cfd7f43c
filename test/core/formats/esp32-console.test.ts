import { describe, expect, it } from "vitest"
import { detectFormat } from "../../../core/formats/detect-format.ts"
import { decodeBytes } from "../../harness/decode.ts"
import { espPairs } from "./esp32-buffers.ts"
import { rawLine, timedLines } from "./esp32-console-lines.ts"
import { bytesOf } from "./esp32-lines.ts"

const boot = "ets Jun  8 2016 00:22:57\r\n\x1b[0;32mI (30) boot: ESP-IDF v3.3\x1b[0m\r\nI (92) wifi: up\r\n"

const decode = (text: string) => {
  const decoded = decodeBytes(bytesOf(text))
  expect(decoded.format).toBe("esp32-console")
  return { ...decoded, frames: decoded.batches.reduce((sum, { frameCount }) => sum + frameCount, 0) }
}

const value = (k: number): readonly [number, number] => [k, 2 * k + 1]
/** Real and imaginary part of subcarrier `k` of the first frame. */
const at = (csi: ArrayLike<number>, k: number) => [csi[2 * (k + 32)], csi[2 * (k + 32) + 1]]
const buffer = espPairs("centre-first", 26, value, 0)
const wide = espPairs("centre-first", 28, () => [40, -40], 0)

describe("CSIRAW lines", () => {
  it.each(["centre-first", "ascending"] as const)("are read between the lines of the log: %s", (order) => {
    const pairs = espPairs(order, 26, value, 0)
    const log = "\x1b[0;32mI (185906) csi_recv: CSI serial: cb=14373 rx=14373 enq=14373 drop=0\x1b[0m"
    const { batches: [batch], faults } = decode(
      `${boot}${rawLine(pairs)}\n${log}\r\n${rawLine([...pairs, ...wide], { ms: 87_606, rssi: -41 })}\r\n`,
    )
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ frameCount: 2, transmitterIds: ["ap"], layout: { centerFrequencyHz: 0 } })
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect([...batch!.rssiDbm]).toEqual([-40, -41])
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it.each([
    ["cut", rawLine(buffer).slice(0, -7), ["value-count"], 2],
    ["without its bytes", rawLine(buffer).slice(0, 12), ["not-a-record"], 2],
    ["the end of one", rawLine(buffer).slice(100), ["not-a-record"], 2],
    ["of another length", rawLine(buffer, { length: 256 }), ["value-count"], 2],
    ["with a foreign letter", rawLine(buffer).replace(/.{9}$/, "x$&"), ["value-count"], 2],
    ["with a strength out of range", rawLine(buffer, { rssi: -200 }), ["bad-field"], 2],
    ["bytes that are no text", "\xff\xfe\x00", ["not-a-record"], 2],
    ["a record behind the start of another", `CSIRAW 4${rawLine(buffer)}`, ["not-a-record"], 3],
    ["a record before the log", `${rawLine(buffer)}I (92) wifi: up`, [], 3],
    ["a record before an error in the log", `${rawLine(buffer)}E (123) wifi: down`, [], 3],
    ["a record before colours", `${rawLine(buffer)}\x1b[0;32mI (92) wifi: up`, [], 3],
    ["numbers in the log", "42\n-40\n2026-01-02", [], 2],
    ["a hash in the log", `ELF file SHA256:  ${"0a".repeat(32)}`, [], 2],
  ])("lose nothing else to a damaged line: %s", (_, line, reasons, count) => {
    const { faults, frames } = decode(`${rawLine(buffer)}\n${line}\n${rawLine(buffer, { ms: 87_626 })}\n`)
    expect(faults.map(({ reason }) => reason)).toEqual(reasons)
    expect(frames).toBe(count)
  })
})

describe("times and numbers in two lines", () => {
  const records = [0, 0.0609854, 0.1255236].map((seconds) => timedLines(buffer, wide, seconds))

  it("are read as the legacy field without its first numbers", () => {
    const { batches: [batch], faults } = decode(`${boot}${records.join("\r\n")}\r\n`)
    expect(faults).toEqual([])
    expect([...batch!.timestampsUs]).toEqual([0, 60_985, 125_524])
    for (const k of [-26, -1, 2, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
    expect([0, 1, 27].map((k) => at(batch!.csi, k))).toEqual([[0, 0], [0, 0], [0, 0]])
  })

  const [time, numbers] = timedLines(buffer, wide, 0.09).split("\r\n") as [string, string]
  it.each([
    ["a time alone", time, "not-a-record"],
    ["numbers alone", numbers, "not-a-record"],
    ["a cut line", `${time}\r\n${numbers.slice(0, -40)}`, "value-count"],
    ["a lost tab", `${time}\r\n${numbers.replace("\t", "-")}`, "not-a-record"],
    ["a value of more bits", `${time}\r\n${numbers.replace(/^-?\d+/, "200")}`, "bad-value"],
  ])("lose nothing else to a damaged line: %s", (_, line, reason) => {
    const { faults, frames } = decode(`${records[0]}\r\n${records[1]}\r\n${line}\r\n${records[2]}\r\n`)
    expect(faults.map((fault) => fault.reason)).toEqual([reason])
    expect(frames).toBe(3)
  })

  it("are not seen in other tables of numbers", () => {
    const rows = (pairs: Int8Array, other: Int8Array) =>
      [0, 1, 2].map((seconds) => timedLines(pairs, other, seconds)).join("\n")
    const ascending = espPairs("ascending", 26, value, 0)
    expect(detectFormat(bytesOf(rows(ascending, wide)))).toBeNull()
    expect(detectFormat(bytesOf(rows(buffer, ascending)))).toBeNull()
    expect(detectFormat(bytesOf(rows(new Int8Array(128), new Int8Array(128))))).toBeNull()
    expect(detectFormat(bytesOf(`${records[0]}\n`))).toBeNull()
    expect(detectFormat(bytesOf(`${records[0]!.replace(/^.*/, "I (1) time")}\n`.repeat(3)))).toBeNull()
  })
})
