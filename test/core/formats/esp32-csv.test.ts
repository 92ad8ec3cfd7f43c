import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { detectFormat } from "../../../core/formats/detect-format.ts"
import { Esp32CsvReader } from "../../../core/formats/esp32-csv.ts"
import { LineRecords } from "../../../core/formats/line-records.ts"
import { RecordStream } from "../../../core/formats/record-stream.ts"
import { bytesOf, consoleLine, numberedBins, selectedLine, toolLine, utf16 } from "./esp32-lines.ts"

const identity = { routerId: "r1", source: "replay" } as const

const makeDecoder = () => new RecordStream(new LineRecords(new Esp32CsvReader()), identity)

const decode = (text: string) => {
  const decoder = makeDecoder()
  const pushed = decoder.push(bytesOf(text))
  const ended = decoder.end()
  return { batches: [...pushed.batches, ...ended.batches], faults: [...pushed.faults, ...ended.faults] }
}

const frames = (batches: ReadonlyArray<CsiBatch>): number => batches.reduce((sum, batch) => sum + batch.frameCount, 0)

/** The buffer bin that each subcarrier of the first frame was read from, by the numbers of `numberedBins`. */
const binsRead = (batch: CsiBatch): Array<[subcarrier: number, bin: number]> =>
  [...batch.layout.subcarrierIndices].map((k, i) => {
    expect(batch.csi[2 * i]! + 0).toBe(0 - batch.csi[2 * i + 1]!)
    return [k, batch.csi[2 * i + 1]!]
  })

/** A record of a tool that marks its records with another word. */
const renamed = (line: string): string => line.replace("CSI_DATA", "CSIRAW")

describe("ESP32 csv", () => {
  it("reads the order 0..31, -32..-1 without a secondary channel, every bin", () => {
    const { batches, faults } = decode(toolLine({ secondary: 0, values: numberedBins(64) }) + "\n")
    expect(faults).toEqual([])
    expect(binsRead(batches[0]!)).toEqual(Array.from({ length: 64 }, (_, i) => [i - 32, (i + 32) % 64]))
  })

  it.each([1, 2])("reads the ascending order with secondary channel %i: the centre is bin 32", (secondary) => {
    const { batches } = decode(toolLine({ secondary, values: numberedBins(64) }) + "\n")
    expect(binsRead(batches[0]!)).toEqual(Array.from({ length: 64 }, (_, i) => [i - 32, i]))
  })

  it("uses the legacy field of longer buffers, so that a link has one layout at any rate", () => {
    const lines = [
      toolLine({ values: numberedBins(64), clock: 1 }),
      toolLine({ values: numberedBins(128), signalMode: 1, clock: 2 }),
      toolLine({ values: numberedBins(192), signalMode: 1, stbc: 1, clock: 3 }),
      toolLine({ values: numberedBins(192), signalMode: 1, bandwidth: 1, clock: 4 }),
      toolLine({ values: numberedBins(306), signalMode: 1, bandwidth: 1, stbc: 1, clock: 5 }),
    ]
    const { batches, faults } = decode(lines.join("\n") + "\n")
    expect(faults).toEqual([])
    expect(batches).toHaveLength(1)
    const batch = batches[0]!
    expect(batch.frameCount).toBe(5)
    for (let i = 1; i < 5; i++) expect(batch.csi.slice(i * 128, (i + 1) * 128)).toEqual(batch.csi.slice(0, 128))
  })

  it.each([
    ["none, non-HT", 0, 0, 0, 0, 64],
    ["none, HT20", 0, 1, 0, 0, 128],
    ["none, HT20 with STBC", 0, 1, 0, 1, 192],
    ["below, non-HT", 2, 0, 0, 0, 64],
    ["below, HT20", 2, 1, 0, 0, 128],
    ["below, HT20 with STBC", 2, 1, 0, 1, 190],
    ["above, non-HT", 1, 0, 0, 0, 64],
    ["above, HT20", 1, 1, 0, 0, 128],
    ["above, HT20 with STBC", 1, 1, 0, 1, 188],
    ["below, HT40", 2, 1, 1, 0, 192],
    ["above, HT40 with STBC", 1, 1, 1, 1, 306],
  ])("knows the buffer of every packet: secondary channel %s", (_, secondary, signalMode, bandwidth, stbc, bins) => {
    const line = toolLine({ secondary, signalMode, bandwidth, stbc, values: numberedBins(bins) })
    const { batches, faults } = decode(`${line}\n`)
    expect(faults).toEqual([])
    const first = secondary === 0 ? 32 : 0
    expect(binsRead(batches[0]!)).toEqual(Array.from({ length: 64 }, (_, i) => [i - 32, (i + first) % 64]))
  })

  it("rejects a 40 MHz buffer that is too short for a legacy field", () => {
    const { faults } = decode(toolLine({ values: numberedBins(128), signalMode: 1, bandwidth: 1 }) + "\n")
    expect(faults.map((fault) => fault.reason)).toEqual(["unsupported-layout"])
  })

  it("fills the header fields and keeps time from the first record", () => {
    const text = [
      toolLine({ values: numberedBins(64), clock: 5000, rssi: -71, mac: "AA:00:00:00:00:01" }),
      toolLine({ values: numberedBins(64), clock: 5250, rssi: -72, mac: "aa:00:00:00:00:02" }),
    ].join("\n") + "\n"
    const batch = decode(text).batches[0]!
    expect(batch).toMatchObject({ routerId: "r1", batchSequence: 1, source: "replay", frameCount: 2 })
    expect([...batch.timestampsUs]).toEqual([0, 250])
    expect([...batch.rssiDbm]).toEqual([-71, -72])
    expect([...batch.noiseFloorDbm]).toEqual([-96, -96])
    expect([...batch.transmitterIndex].map((i) => batch.transmitterIds[i])).toEqual([
      "aa:00:00:00:00:01",
      "aa:00:00:00:00:02",
    ])
    expect(batch.layout).toMatchObject({ centerFrequencyHz: 2437e6, bandwidthHz: 20e6, subcarrierSpacingHz: 312_500 })
  })

  it("unwraps the 32-bit clock, and begins a new batch where time steps back", () => {
    const clocks = [4_294_967_000, 100, 50, 300]
    const lines = clocks.map((clock) => toolLine({ clock, values: numberedBins(64) }))
    const { batches } = decode(lines.join("\n") + "\n")
    expect(batches.map((batch) => [...batch.timestampsUs])).toEqual([[0, 396], [346, 596]])
  })

  it.each([[1_234_567_890, 123_456_789], [3_500_000_000, 350_000_000]])(
    "keeps the time when the clock %i loses a digit in one line, and when a silence follows",
    (start, damaged) => {
      const clocks = [start, start + 10_000, damaged, start + 30_000, start + 60_000_000, start + 60_010_000]
      const lines = clocks.map((clock) => `${toolLine({ clock, values: numberedBins(64) })}\n`)
      const { batches, faults } = decode(lines.join(""))
      expect(faults).toEqual([])
      expect(batches.flatMap(({ timestampsUs }) => [...timestampsUs]))
        .toEqual([0, 10_000, 10_000, 30_000, 60_000_000, 60_010_000])
    },
  )

  it("reads a clock that the firmware printed as a signed number", () => {
    const clocks = [2 ** 31 - 10_000, -(2 ** 31), -(2 ** 31) + 20_000]
    const lines = clocks.map((clock) => toolLine({ clock, values: numberedBins(64) }))
    const { batches: [batch], faults } = decode(lines.map((line) => `${line}\n`).join(""))
    expect(faults).toEqual([])
    expect([...batch!.timestampsUs]).toEqual([0, 10_000, 30_000])
  })

  it("reads the amplitudes that ESP32-CSI-Tool writes in place of a buffer, in the order of its bins", () => {
    const amplitudes = Array.from({ length: 64 }, (_, bin) => 100 + bin)
    const lines = [0, 2].map((secondary) =>
      toolLine({ len: 128, secondary, clock: 1000 + secondary, values: amplitudes })
    )
    const { batches: [batch], faults } = decode(lines.map((line) => `${line}\n`).join(""))
    expect(faults).toEqual([])
    const rows = [0, 1].map((frame) => Array.from({ length: 64 }, (_, i) => batch!.csi[128 * frame + 2 * i]))
    expect(rows).toEqual([amplitudes.map((_, i) => 100 + (i + 32) % 64), amplitudes])
    expect(batch!.csi.filter((_, i) => i % 2 === 1).every((part) => part === 0)).toBe(true)
  })

  it("splits batches by layout and by length", () => {
    const lines = Array.from({ length: 300 }, (_, i) => toolLine({ clock: i, values: numberedBins(64) }))
    lines.push(toolLine({ clock: 300, channel: 11, values: numberedBins(64) }))
    const { batches } = decode(lines.join("\n") + "\n")
    expect(batches.map((batch) => batch.frameCount)).toEqual([256, 44, 1])
    expect(batches.map((batch) => batch.batchSequence)).toEqual([1, 2, 3])
  })

  it("reports a line with 127 values at its offset, and reads all other lines", () => {
    const good = toolLine({ values: numberedBins(64) })
    const bad = toolLine({ values: numberedBins(64).slice(1) })
    const { batches, faults } = decode(`${good}\r\n\r\n${bad}\r\n${good}\r\n`)
    expect(frames(batches)).toBe(2)
    expect(faults).toEqual([{
      offset: good.length + 4,
      reason: "value-count",
      message: "127 CSI values, not 128, 256, 376, 380, 384, 612",
    }])
  })

  it("reads captures without the header line, with a damaged first word, and of the console", () => {
    const header = "type,role,mac,rssi,rate,sig_mode,mcs,bandwidth,smoothing,CSI_DATA"
    const garbled = toolLine({ first: "x0!CSI_D", values: numberedBins(64) })
    const { batches, faults } = decode(`${header}\n${garbled}\n${consoleLine(numberedBins(64), 2)}\n`)
    expect(faults).toEqual([])
    expect(batches.map((batch) => batch.transmitterIds)).toEqual([["aa:bb:cc:dd:ee:ff"], ["94:3c:c6:0f:9a:61"]])
    expect(binsRead(batches[1]!)[0]).toEqual([-32, 0])
  })

  it("passes over what else a serial line carries: the device's other messages, blank lines, names of columns", () => {
    const good = toolLine({ values: numberedBins(64) })
    const others = [
      "type,role,mac,rssi,rate,sig_mode,mcs,bandwidth,smoothing,not_sounding,aggregation,stbc,CSI_DATA",
      "I (123) wifi: connected",
      "\u001b[0;32mI (2345) wifi:new:<6,0>, old:<1,0>, ap:<255,255>, sta:<6,0>, prof:1\u001b[0m",
      "rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)",
      "",
      "\t ",
    ]
    const text = [good, ...others.flatMap((other) => [other, good])].join("\r\n") + "\r\n"
    const { batches, faults } = decode(text)
    expect(faults).toEqual([])
    expect(frames(batches)).toBe(others.length + 1)
  })

  it("reads the selected subcarriers of console_test, of which those of the legacy field come first", () => {
    const lines = [selectedLine(numberedBins(52)), selectedLine(numberedBins(108), 2_732_200)].join("\n") + "\n"
    expect(detectFormat(bytesOf(lines))).toBe("esp32-csi-tool")
    const { batches: [batch], faults } = decode(lines)
    expect(faults).toEqual([])
    const tones = [...Array(26).keys()]
    expect(binsRead(batch!)).toEqual([...tones.map((i) => [i - 26, i]), ...tones.map((i) => [i + 1, i + 26])])
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect([batch!.rssiDbm[0], batch!.noiseFloorDbm[0]]).toEqual([-53, -96])
    expect(batch!.transmitterIds).toEqual(["1a:00:00:00:00:00"])
    expect(decode(`${selectedLine(numberedBins(51))}\n`).faults).toMatchObject([
      { reason: "value-count", message: "102 CSI values, not 104 or more" },
    ])
  })

  it("reads the selected subcarriers of earlier versions of console_test, which have no gains", () => {
    const lines = `${selectedLine(numberedBins(52))}\n`
    const earlier = lines.replace(",172,4,", ",")
    expect(detectFormat(bytesOf(earlier))).toBe("esp32-csi-tool")
    expect(decode(earlier)).toEqual(decode(lines))
  })

  it.each(["", "1,2,3,", "2026-07-02,09:29:28,RX1,", "a,b,", "a,b,c,d,"])(
    "reads the same of a record behind columns of a logger: %j",
    (before) => {
      for (const record of [consoleLine(numberedBins(64), 1), toolLine({ values: numberedBins(64) })]) {
        const quoted = `"${record.replaceAll('"', '""')}"`
        for (const line of [record, quoted]) expect(decode(`${before}${line}\n`)).toEqual(decode(`${record}\n`))
      }
    },
  )

  it("does not take a record without its mark behind three columns for one of console_test, whose fields are in the same places", () => {
    const line = `1,2,3,${renamed(consoleLine(numberedBins(64), 1))}\n`
    expect(detectFormat(bytesOf(line))).toBeNull()
    expect(decode(line)).toMatchObject({ batches: [], faults: [{ reason: "not-a-record" }] })
  })

  it("reads records behind columns of a logger, and names of columns that include CSI_DATA", () => {
    const good = toolLine({ values: numberedBins(64) })
    const lines = [
      "type,role,mac,rssi,real_timestamp,len,CSI_DATA,timestamp",
      `${good},1619984033.7`,
      "packet_idx,epoch_s,rssi_dbm,raw_line",
      `1,1782977368.738697,-67,${good}`,
      `2026-07-02 09:29:28.738 -> ${good}`,
      `1782977368.738697\t${good}`,
    ]
    const { batches, faults } = decode(lines.join("\r\n") + "\r\n")
    expect(faults).toEqual([])
    expect(frames(batches)).toBe(4)
  })

  it.each([
    "[2024-05-01 12:00:00.123] ",
    "[1714564800.123] ",
    "[  12.345]",
    "[INFO] [1714564800.123] [csi_node]: ",
    "I (1234) csi: ",
    "[12:00:00] \u001b[0;32mI (1234) csi: ",
    "[1714564800] ",
    "[  12345]",
    " [12:00:00] ",
  ])("reads records behind what a logger wrote: %j", (before) => {
    const records = [toolLine({ values: numberedBins(64) }), consoleLine(numberedBins(64), 1)]
    for (const marked of [records, ...before.includes("\u001b") ? [] : [records.map(renamed)]]) {
      const lines = marked.map((line) => before + line)
      for (const line of lines) expect(detectFormat(bytesOf(line))).toBe("esp32-csi-tool")
      const { batches, faults } = decode(`${before}boot: ok\n${lines.join("\n")}\n`)
      expect(faults).toEqual([])
      expect(frames(batches)).toBe(2)
    }
  })

  it("reads a record behind the columns of a logger in any language", () => {
    const record = consoleLine(numberedBins(64), 0).replaceAll('"', '""')
    const text = [`가만히,RX1,"${record}"`, `sentado,sillón,"${record}"`].map((line) => `${line}\n`).join("")
    const { batches, faults } = decode(text)
    expect(faults).toEqual([])
    expect(frames(batches)).toBe(2)
  })

  it("reads a record that a csv writer quoted, with its quotes doubled", () => {
    const quoted = (line: string) => `"${line.replaceAll('"', '""')}"`
    const lines = [
      `1785234776.28,0,room2,empty f,${quoted(consoleLine(numberedBins(64), 0))}`,
      `1785234776.31,"room 2, by the door",${quoted(toolLine({ values: numberedBins(64) }))},end`,
      quoted(consoleLine(numberedBins(64), 0)),
    ]
    for (const line of lines) expect(detectFormat(bytesOf(line))).toBe("esp32-csi-tool")
    const { batches, faults } = decode(`pc_timestamp,label,tag,note,raw_line\r\n${lines.join("\r\n")}\r\n`)
    expect(faults).toEqual([])
    expect(frames(batches)).toBe(3)
    for (const batch of batches) expect(binsRead(batch)[32]).toEqual([0, 0])
  })

  it.each([
    ["the values of a cut record", "0,-4,5,6],1,"],
    ["all values of a cut record", "[0 -4 5 6 ] "],
    ["the start of a cut record", "CSI_DATA,AP,AA:BB,"],
    ["more values than a logger has columns", "1,2,3,4,5,6,7,8,9,10,11,"],
  ])("reports %s before a record", (_, before) => {
    const { batches, faults } = decode(`${before}${toolLine({ values: numberedBins(64) })}\n`)
    expect(frames(batches)).toBe(1)
    expect(faults.map(({ reason }) => reason)).toEqual(["not-a-record"])
  })

  it.each([
    ["CSI_DATA,AP,AA:BB", "not-a-record"],
    [toolLine({ values: numberedBins(64) }).slice(0, 60) + "I (9) wifi: late", "not-a-record"],
    ["0 -4 5 6 ]", "not-a-record"],
    ["\u0080 noise", "not-a-record"],
    [toolLine({ values: numberedBins(64) }).replace("-96", "-9x"), "bad-field"],
    [toolLine({ values: numberedBins(64), channel: 256 }), "bad-field"],
    [toolLine({ values: numberedBins(64), mac: "AA:BB:CC:DD:EE:FF:00" }), "bad-field"],
    [toolLine({ values: numberedBins(64) }).replace("[0 0", "[0 -"), "bad-value"],
    [toolLine({ values: [...numberedBins(63), 1000, 0] }), "bad-value"],
    [toolLine({ values: numberedBins(64) }).replace("]", ""), "not-a-record"],
    [toolLine({ values: numberedBins(64) }).replace(",AP,", ","), "bad-field"],
    [toolLine({ values: numberedBins(64), mac: "nobody" }), "bad-field"],
    [toolLine({ values: numberedBins(64), secondary: 3 }), "bad-field"],
    [toolLine({ values: numberedBins(64), clock: 2 ** 32 }), "bad-field"],
    [toolLine({ values: numberedBins(64), rssi: 1000 }), "bad-field"],
    [toolLine({ values: [...numberedBins(63), 128, 0] }), "bad-value"],
    [toolLine({ values: [...numberedBins(63), -129, 0] }), "bad-value"],
    [toolLine({ values: numberedBins(307) }), "value-count"],
    ["x".repeat(9000), "too-long"],
    ["1,".repeat(300), "not-a-record"],
  ])("names what is wrong with a line: %#", (line, reason) => {
    const good = toolLine({ values: numberedBins(64) })
    const { batches, faults } = decode(`${good}\n${line}\n${good}\n`)
    expect(frames(batches)).toBe(2)
    expect(faults).toMatchObject([{ offset: good.length + 1, reason }])
  })

  const serial = toolLine({ values: numberedBins(64), clock: 1 })
  const later = toolLine({ values: numberedBins(64), clock: 2 })
  const console24 = consoleLine(numberedBins(64), 1)

  it.each([
    ["a byte order mark", `\ufeff${serial}\n`, 1, []],
    ["a byte order mark before the names of columns", `\ufefftype,role,CSI_DATA\n${serial}\n`, 1, []],
    ["zero bytes around records", `\0\0${serial}\0\n\0\0\0\0\0\0\n\0${console24}\n`, 2, []],
    ["zero bytes within other text", `I (1)\0 wifi: up\n${serial}\n`, 1, []],
    ["zero bytes within a record", `${serial.replace("0 -99 ", "0 -9\0 ").replace("[0 0", "[0\0 0")}\n${later}\n`, 1, [
      "bad-value",
    ]],
    ["boot text that a record follows", `rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)${serial}\n`, 1, []],
    ["terminal colours around a record", `\u001b[0;32mI (7) csi: ${serial}\u001b[0m\r\n`, 1, []],
    ["two records without a newline between them", `${serial}${later}\n`, 2, []],
    ["two records of the console without a newline", `${console24}${console24}\n`, 2, []],
    ["a cut record that a whole one follows", `${serial.slice(0, 150)}${later}\n`, 1, ["not-a-record"]],
    ["a record that a cut one follows", `${serial}${later.slice(0, 150)}\n${later}\n`, 2, ["not-a-record"]],
    ["a record that one without its beginning follows", `${serial}${later.slice(4)}\n${later}\n`, 2, ["not-a-record"]],
    ["bytes of another speed", `\u0080\u0081\u00fe${serial.slice(20)}\n${later}\n`, 1, ["not-a-record"]],
  ])("reads a serial log with %s", (_, text, count, reasons) => {
    const { batches, faults } = decode(text)
    expect(frames(batches)).toBe(count)
    expect(faults.map(({ reason }) => reason)).toEqual(reasons)
    expect(detectFormat(bytesOf(text))).toBe("esp32-csi-tool")
    for (const batch of batches) expect(binsRead(batch)).toHaveLength(64)
  })

  it.each([["little", true], ["big", false]])(
    "reads UTF-16 with the %s end first, as a shell of Windows saves it, in pieces of any length",
    (_, little) => {
      const text = `\ufefftype,role,mac,CSI_DATA\r\nI (12) boot: ok\r\n\r\n${serial}\r\n${console24}\r\n${later}`
      const bytes = utf16(text, little)
      expect(detectFormat(bytes)).toBe("esp32-csi-tool")
      for (const piece of [1, 7, bytes.length]) {
        const decoder = makeDecoder()
        const results = []
        for (let at = 0; at < bytes.length; at += piece) results.push(decoder.push(bytes.subarray(at, at + piece)))
        results.push(decoder.end())
        expect(results.flatMap(({ faults }) => faults)).toEqual([])
        expect(frames(results.flatMap(({ batches }) => batches))).toBe(3)
      }
    },
  )

  it("drops a line of zero bytes, or of records without a newline, that is too long", () => {
    for (const noise of ["\0".repeat(20_000), serial.repeat(40)]) {
      const { batches, faults } = decode(`${serial}\n${noise}\n${later}\n`)
      expect(frames(batches)).toBe(2)
      expect(faults.map(({ reason }) => reason)).toEqual(["too-long"])
    }
  })

  it("reports an incomplete last line as truncated, after all other lines", () => {
    const good = toolLine({ values: numberedBins(64) })
    const { batches, faults } = decode(`${good}\n${good.slice(0, 200)}`)
    expect(frames(batches)).toBe(1)
    expect(faults).toMatchObject([{ offset: good.length + 1, reason: "truncated" }])
  })

  it("delivers a record with the push that completes it", () => {
    const decoder = makeDecoder()
    const bytes = bytesOf(toolLine({ values: numberedBins(64) }) + "\n")
    expect(decoder.push(bytes.subarray(0, 100)).batches).toEqual([])
    expect(frames(decoder.push(bytes.subarray(100)).batches)).toBe(1)
  })

  it("describes a bounded number of faults and counts the rest", () => {
    const result = makeDecoder().push(bytesOf("[\n".repeat(1000)))
    expect(result.faults).toHaveLength(256)
    expect(result.faultsOmitted).toBe(744)
  })
})
