import { describe, expect, it } from "vitest"
import { decodeBytes, framesOf } from "../../harness/decode.ts"
import { bytesOf } from "./esp32-lines.ts"
import { espPairs } from "./esp32-buffers.ts"
import { amplitudeLine, bufferLine, hexOf, numberedBuffer, vitalsLine } from "./ruview-lines.ts"

const decode = (...lines: ReadonlyArray<string>) => decodeBytes(bytesOf(lines.map((line) => `${line}\n`).join("")))

const startS = 1_775_182_186.957_775_8

describe("RuView recording", () => {
  it("keeps its nodes apart as the far ends of links, on the recorder's clock", () => {
    const { batches, faults, format, hardware } = decode(
      vitalsLine,
      bufferLine(2, startS),
      bufferLine(1, startS + 0.0013, 128),
      bufferLine(2, startS + 0.04, 306),
    )
    expect(faults).toEqual([])
    expect([format, hardware]).toEqual(["ruview", "ESP32 (RuView node)"])
    expect(batches).toMatchObject([{ frameCount: 3, transmitterIds: ["node-2", "node-1"] }])
    expect([...batches[0]!.timestampsUs]).toEqual([0, 1300, 40_000])
    expect([...batches[0]!.transmitterIndex]).toEqual([0, 1, 0])
    for (const { batch, csi } of framesOf(batches)) {
      batch.layout.subcarrierIndices.forEach((k, i) => {
        const bin = (k + 64) % 64
        expect([csi[2 * i]! + 0, csi[2 * i + 1]]).toEqual([0 - bin, bin])
      })
    }
  })

  it("continues where the recorder's clock was set back", () => {
    const times = [startS, startS + 0.01, startS - 3600, startS - 3600 + 0.02]
    const { batches } = decode(...times.map((timeS) => bufferLine(2, timeS)))
    expect([...batches[0]!.timestampsUs]).toEqual([0, 10_000, 10_000, 30_000])
  })

  it("reads a negative strength, and treats others as unknown", () => {
    const line = JSON.parse(bufferLine(1, startS))
    const { batches } = decode(
      JSON.stringify(line),
      JSON.stringify({ ...line, rssi: -61.4, noise_floor: -95 }),
      JSON.stringify({ ...line, rssi: 0, noise_floor: null }),
    )
    expect([...batches[0]!.rssiDbm]).toEqual([0, -61, 0])
    expect([...batches[0]!.noiseFloorDbm]).toEqual([0, -95, 0])
  })

  it("reads amplitudes alone as values without a phase, of the first 56 bins or of all", () => {
    const { batches, faults } = decode(amplitudeLine(startS, 56), amplitudeLine(startS + 0.1, 128))
    expect(faults).toEqual([])
    expect(batches.map(({ transmitterIds }) => transmitterIds)).toEqual([["ap"], ["ap"]])
    const [first, second] = batches
    expect([...first!.layout.subcarrierIndices]).toEqual(
      Array.from({ length: 64 }, (_, i) => i - 32).filter((k) => k < -8 || k >= 0),
    )
    expect(second!.layout.subcarrierIndices).toHaveLength(64)
    for (const { batch, csi } of framesOf(batches)) {
      batch.layout.subcarrierIndices.forEach((k, i) => {
        expect([csi[2 * i], csi[2 * i + 1]]).toEqual([(k + 64) % 64 + 0.5, 0])
      })
    }
  })

  it("reads each node in its own order, and reports an unknown order once per node", () => {
    const value = (k: number) => [30 + k, 5] as const
    const ascending = hexOf(espPairs("ascending", 26, value, 0))
    const centreFirst = hexOf(espPairs("centre-first", 26, value, 0))
    const lines = Array.from({ length: 10 }, (_, i) => [
      bufferLine(1, startS + i, 64, ascending),
      bufferLine(2, startS + i, 64, centreFirst),
      bufferLine(3, startS + i),
    ]).flat()
    const { batches, faults } = decode(...lines, bufferLine(1, startS + 10, 64, centreFirst))
    expect(faults.map(({ message, reason }) => [reason, message.slice(0, 6)])).toEqual([
      ["assumed-order", "node-3"],
      ["bin-order", "node-1"],
    ])
    const frames = framesOf(batches)
    expect(frames).toHaveLength(30)
    for (const { batch, csi, i } of frames) {
      if (batch.transmitterIds[batch.transmitterIndex[i]!] === "node-3") continue
      batch.layout.subcarrierIndices.forEach((k, at) => {
        expect(csi[2 * at]).toBe(k !== 0 && Math.abs(k) <= 26 ? 30 + k : 0)
      })
    }
  })

  it("detects the order of amplitudes by their guards if the line has all of them", () => {
    const line = (i: number) => {
      const subcarriers = Array.from(
        { length: 64 },
        (_, bin) => bin !== 32 && bin >= 6 && bin <= 58 ? bin - 32 + 50 : 0,
      )
      return JSON.stringify({ timestamp: startS + i, subcarriers })
    }
    const { batches, faults } = decode(line(0), line(1))
    expect(faults).toEqual([])
    const { csi, layout } = batches[0]!
    expect([...layout.subcarrierIndices].map((_, i) => csi[2 * i])).toEqual(
      Array.from({ length: 64 }, (_, bin) => bin !== 32 && bin >= 6 && bin <= 58 ? bin + 18 : 0),
    )
  })

  it("takes the time in nanoseconds where a recorder writes it", () => {
    const line = (ts_ns: number) =>
      JSON.stringify({ timestamp: "2026-04-03T02:09:46Z", ts_ns, node_id: 1, iq_hex: numberedBuffer(64) })
    const { batches } = decode(line(1.775e18), line(1.775e18 + 25_000_000))
    expect([...batches[0]!.timestampsUs]).toEqual([0, 25_000])
  })

  it("reports a truncated last line, after all complete ones", () => {
    const good = bufferLine(1, startS)
    const { batches, faults } = decodeBytes(bytesOf(`${good}\n${good.slice(0, 100)}`))
    expect(batches).toMatchObject([{ frameCount: 1 }])
    expect(faults).toMatchObject([{ offset: good.length + 1, reason: "truncated" }])
  })

  const line = JSON.parse(bufferLine(1, startS))
  it.each([
    ["no JSON", "{nothing", "not-a-record"],
    ["no object", "[1, 2]", "not-a-record"],
    ["a deep one", "[".repeat(16_000), "not-a-record"],
    ["no time", JSON.stringify({ ...line, timestamp: "now" }), "bad-field"],
    ["a time past all clocks", JSON.stringify({ ...line, timestamp: 1e300 }), "bad-field"],
    ["no node", JSON.stringify({ ...line, node_id: 256 }), "bad-field"],
    ["half a buffer", JSON.stringify({ ...line, iq_hex: line.iq_hex.slice(0, 130) }), "value-count"],
    ["no hexadecimal", JSON.stringify({ ...line, iq_hex: `0g${line.iq_hex.slice(2)}` }), "bad-value"],
    ["too few amplitudes", amplitudeLine(startS, 30), "value-count"],
    ["an amplitude that is none", amplitudeLine(startS, 56).replace("0.5", "-1"), "bad-value"],
    ["a line without end", `{"x": "${"y".repeat(17_000)}"}`, "too-long"],
  ])("names what is wrong with %s", (_, wrong, reason) => {
    const good = bufferLine(1, startS)
    const { batches, faults } = decode(good, wrong, good)
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults).toMatchObject([{ offset: good.length + 1, reason }])
  })
})
