import { describe, expect, it } from "vitest"
import { detectFormat } from "../../../core/formats/detect-format.ts"
import { decodeBytes } from "../../harness/decode.ts"
import { espPairs } from "./esp32-buffers.ts"
import { bytesOf } from "./esp32-lines.ts"
import { amplitudeHeader, bufferHeader, bufferLine, pairHeader, pairLine } from "./esp32-tables.ts"

const decode = (lines: ReadonlyArray<string>) => {
  const decoded = decodeBytes(bytesOf(`${lines.join("\r\n")}\r\n`))
  expect(decoded.format).toBe("esp32-table")
  return decoded
}

const value = (k: number): readonly [number, number] => [k, 2 * k + 1]
const buffer = espPairs("centre-first", 26, value, 0)
const base64Of = (values: Int8Array | Float32Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(values.buffer, values.byteOffset, values.byteLength)))
/** Real and imaginary part of subcarrier `k` of the first frame. */
const at = (csi: ArrayLike<number>, k: number) => [csi[2 * (k + 32)], csi[2 * (k + 32) + 1]]

describe("csv tables of ESP32 buffers", () => {
  it.each(["centre-first", "ascending"] as const)("reads whole buffers, the order by their guards: %s", (order) => {
    const pairs = espPairs(order, 26, value, 0)
    const lines = [
      bufferHeader,
      bufferLine(pairs, { clock: 5_000_000_000, channel: 11, rssi: -44 }),
      bufferLine([...pairs, ...pairs, ...pairs], { clock: 5_000_100_000, channel: 11 }),
    ]
    const { batches: [batch], faults } = decode(lines)
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ frameCount: 2, transmitterIds: ["ap"], layout: { centerFrequencyHz: 2462e6 } })
    expect([...batch!.timestampsUs]).toEqual([0, 100_000])
    expect([...batch!.rssiDbm]).toEqual([-44, -58])
    expect(batch!.layout.subcarrierIndices).toHaveLength(64)
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
    expect(batch!.csi.slice(128)).toEqual(batch!.csi.slice(0, 128))
  })

  it("reads pairs of columns as amplitudes, because nothing states which part of a pair is first", () => {
    const lines = [pairHeader, pairLine(buffer, { clock: 7 }), pairLine(buffer, { clock: 10_007 })]
    const { batches: [batch], faults } = decode(lines)
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ frameCount: 2, layout: { centerFrequencyHz: 0 } })
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    for (const k of [-26, 1, 26]) expect(at(batch!.csi, k)).toEqual([expect.closeTo(Math.hypot(...value(k)), 4), 0])
  })

  it.each([
    [bufferLine(buffer, { length: 256 }), "value-count"],
    [bufferLine(buffer, { length: "" }), "value-count"],
    [bufferLine(buffer.subarray(2)), "value-count"],
    [bufferLine(buffer, { clock: "" }), "bad-field"],
    [bufferLine(buffer, { channel: 256 }), "bad-field"],
    [bufferLine(buffer, { rssi: 200 }), "bad-field"],
    [bufferLine(buffer).replace("[0, 0", "[0, x"), "bad-value"],
    [bufferLine([...buffer.subarray(1), 128]), "bad-value"],
    [pairLine(buffer), "value-count"],
  ])("names what is wrong with a line: %#", (line, reason) => {
    const { batches, faults } = decode([bufferHeader, bufferLine(buffer), line, "", bufferLine(buffer)])
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults.map((fault) => fault.reason)).toEqual([reason])
  })

  it("names the hardware of buffers, but not of amplitudes", () => {
    expect(decode([bufferHeader, bufferLine(buffer)]).hardware).toBe("ESP32")
    expect(decode([pairHeader, pairLine(buffer)]).hardware).toBe("ESP32")
    expect(decode([amplitudeHeader(64), `1772808270.5,-40,${new Array(64).fill(3).join(",")}`]).hardware).toBeNull()
  })

  it("reports once that no buffer shows the order", () => {
    const silent = new Int8Array(128)
    const { faults } = decode([pairHeader, ...Array.from({ length: 20 }, (_, i) => pairLine(silent, { clock: i }))])
    expect(faults.map(({ reason }) => reason)).toEqual(["assumed-order"])
  })

  it.each([
    ["timestamp_us,rssi,", ["1000,-40,", "11000,-40,"]],
    ["timestamp_ms,rssi,", ["1,-40,", "11,-40,"]],
    ["session_id,host_unix_us,timestamp_us,rssi,", ["a,1783888855000000,1000,-40,", "a,1783888855900000,11000,-40,"]],
    ["timestamp,rssi,", ["1772808270.12,-40,", "1772808270.13,-40,"]],
    ["timestamp,rx_status,rssi,", ["1772808270.12,0,-40,", "1772808270.13,0,-40,"]],
    ["rx_us,rssi,", ["1000,-40,", "11000,-40,"]],
    ["timestamp,rssi,", ["1772808270120,-40,", "1772808270130,-40,"]],
    ["Timestamp,RSSI,", ["2026-03-06 14:44:30.120,-40,", "2026-03-06 14:44:30.130,-40,"]],
    ["datetime,rssi,", ["2024-02-29T23:59:59.995,-40,", "2024-03-01T00:00:00.005,-40,"]],
    ["time_s;rssi;", ["0.12;-40;", "0.13;-40;"]],
  ])("reads amplitudes in numbered columns, with times as in %s %#", (begin, lines) => {
    const separator = begin.at(-1)!
    const amplitudes = Array.from({ length: 64 }, (_, bin) => bin > 0 && (bin <= 26 || bin >= 38) ? bin + 0.5 : 0)
    const names = amplitudes.map((_, bin) => `amp_${bin}`)
    const { batches: [batch], faults } = decode([
      "# a remark",
      begin + names.join(separator),
      ...lines.map((line) => line + amplitudes.join(separator)),
    ])
    expect(faults).toEqual([])
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect(batch!.rssiDbm[0]).toBe(-40)
    for (const k of [-26, 1, 26]) expect(at(batch!.csi, k)).toEqual([(k + 64) % 64 + 0.5, 0])
  })

  it.each([
    ["pc_time,rssi,channel,local_us,n,csi", (values: string) => `1783888855.9,-62,1,954730921,128,${values}`, " "],
    ["rssi,data,local_timestamp,channel,label", (values: string) => `-42,"(${values})",77,1,empty`, ", "],
    ["Timestamp,MAC,csi_raw_data,label", (v: string) => `2026-04-14 14:03:40.9,AA:BB:CC:00:11:22,"[${v}]",1`, ","],
  ])("reads buffers as lists in other columns: %s", (header, line, separator) => {
    const { batches: [batch], faults } = decode([header, line(Array.from(buffer).join(separator))])
    expect(faults).toEqual([])
    expect(batch!.transmitterIds).toEqual([header.includes("MAC") ? "aa:bb:cc:00:11:22" : "ap"])
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it.each([
    ["sequence,timestamp_us,rssi,channel,csi_len,flags,csi_hex", (hex: string) => `7,123456,-40,6,128,0,${hex}`],
    ["host_timestamp,seq,rssi,raw_hex", (hex: string) => `2026-03-06T14:44:30.116699,1,-40,${hex.toUpperCase()}`],
    [
      "wall_time_s,monotonic_ns,rx_index,rssi,csi_len,csi_raw_hex",
      (hex: string) => `1783888855.9,81234,2,-40,128,${hex}`,
    ],
  ])("reads buffers in hexadecimal: %s", (header, line) => {
    const hex = Array.from(new Uint8Array(buffer.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("")
    const { batches: [batch], faults } = decode([header, line(hex), line(`${hex}0`), line(`zz${hex.slice(2)}`)])
    expect(faults).toHaveLength(2)
    expect(batch).toMatchObject({ frameCount: 1, transmitterIds: ["ap"] })
    expect(batch!.rssiDbm[0]).toBe(-40)
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it.each<[string, (list: ReadonlyArray<number>, hex: string, i: number) => object]>([
    ["raw with a date, and a part of its own", (raw, _, i) => ({
      timestamp: `2025-10-10T17:12:34.50${i}`,
      meta: { channel: "11", rssi: "-35", mac: "1A:00:00:00:00:01" },
      amplitude: raw.map(Math.abs),
      raw,
    })],
    ["csi_raw", (csi_raw, _, i) => ({
      timestamp: 1783888855.5 + i / 1000,
      channel: 11,
      rssi: -35,
      mac: "1a-00-00-00-00-01",
      csi_raw,
    })],
    ["csi_hex", (_, csi_hex, i) => ({
      recv_ts_ms: 1783888855000 + 100 * i,
      src_mac: "1a0000000001",
      type: "csi_raw",
      t_ms: 77 + i,
      rssi: -35,
      channel: 11,
      csi_len: 128,
      csi_hex,
    })],
  ])("reads lines of JSON by the names of their fields: %s", (_, object) => {
    const hex = Array.from(new Uint8Array(buffer.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("")
    const lines = [0, 1].map((i) => JSON.stringify(object(Array.from(buffer), hex, i)))
    const { batches: [batch], faults } = decode([
      '{"event": "start", "timestamp": 5}',
      lines[0]!,
      '{"event": "x"}',
      lines[1]!,
      "{",
    ])
    expect(faults).toMatchObject([{ reason: "not-a-record", message: "the line is no JSON object" }])
    expect(batch).toMatchObject({
      frameCount: 2,
      transmitterIds: ["1a:00:00:00:00:01"],
      layout: { centerFrequencyHz: 2462e6 },
    })
    expect([...batch!.timestampsUs]).toEqual([0, 1000])
    expect([...batch!.rssiDbm]).toEqual([-35, -35])
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it.each<[string, (base64: string, i: number) => string]>([
    ["csi_b64 of JSON", (csi_b64, i) => JSON.stringify({ ts: 1783888855.5 + i / 1000, rssi: -35, csi_b64 })],
    ["csi within an object of JSON", (data, i) => JSON.stringify({ esp_timestamp: 1000 * i, csi: { data } })],
    ["raw of JSON", (raw, i) => JSON.stringify({ t_ms: i, raw })],
    ["data of a csv", (base64, i) => i === 0 ? `t_ms,rssi,data\n0,-35,${base64}` : `1,-35,${base64}`],
  ])("reads buffers in base64, whose guards show 8-bit numbers: %s", (_, line) => {
    const { batches: [batch], faults } = decode([line(base64Of(buffer), 0), line(base64Of(buffer), 1)])
    expect(faults).toEqual([])
    expect([...batch!.timestampsUs]).toEqual([0, 1000])
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it("reads a list, hexadecimal or numbered columns rather than bytes in base64 beside them", () => {
    const packed = base64Of(new Float32Array(128).fill(0.5))
    const csi_hex = Array.from(new Uint8Array(buffer.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("")
    const csi = Array.from(buffer)
    for (const name of ["raw", "data", "csi_b64"]) {
      for (const values of [{ csi }, { csi_hex }, { meta: { raw: csi } }]) {
        const { batches: [batch], faults } = decode([JSON.stringify({ timestamp_us: 5, [name]: packed, ...values })])
        expect(faults).toEqual([])
        expect(at(batch!.csi, 26)).toEqual(value(26))
      }
    }
    const names = Array.from({ length: 52 }, (_, i) => `amp_${i}`)
    const { batches: [batch] } = decode([
      `timestamp_us,mac,csi_b64,${names.join(",")}`,
      `5,aabbcc001122,${packed},${names.map((_, i) => i + 0.5).join(",")}`,
    ])
    expect([...batch!.csi.slice(0, 4)]).toEqual([0.5, 0, 1.5, 0])
  })

  it("refuses bytes in base64 that may be numbers of another size, unless their number is stated", () => {
    const floats = new Float32Array(32).fill(0.5)
    const quiet = new Int8Array(128).fill(1)
    const line = (csi: Float32Array | Int8Array, over: object = {}) =>
      JSON.stringify({ timestamp_us: 1000, csi: base64Of(csi), ...over })
    for (const csi of [floats, quiet]) {
      expect(decode([line(csi)])).toMatchObject({
        batches: [],
        faults: [{ reason: "unsupported-layout", message: expect.stringMatching(/128 bytes .* field csi_len/) }],
      })
    }
    expect(decode([line(quiet, { csi_len: 128 })])).toMatchObject({ batches: [{ frameCount: 1 }], faults: [] })
    expect(decode([line(floats, { csi_len: 32 })])).toMatchObject({ batches: [], faults: [{ reason: "value-count" }] })
  })

  it.each([[false, 0], [true, 2]])("reads the legacy field of esp32-csi-server, its first word invalid: %s", (
    first_word_invalid,
    skipped,
  ) => {
    // The secondary channel does not matter: the field is ascending in any case.
    const pairs = espPairs("ascending", 26, value, 0).subarray(2 * skipped)
    const line = (secondary_channel: number, timestamp: number) =>
      JSON.stringify({
        mac: "1a:00:00:00:00:01",
        len: 384,
        first_word_invalid,
        rssi: -74,
        sig_mode: 1,
        cwb: 1,
        stbc: 0,
        noise_floor: -23.25,
        channel: 8,
        secondary_channel,
        timestamp,
        sig_len: 82,
        rx_state: 0,
        lltf: { csi: base64Of(pairs), sc_ind_start: skipped },
        ht_ltf: { csi: base64Of(new Int8Array(256)), sc_ind_start: -64 },
      })
    const { batches: [batch], faults, hardware } = decode([line(2, 4294.967), line(0, 0.009704)])
    expect([faults, hardware]).toEqual([[], "ESP32"])
    expect(batch).toMatchObject({ transmitterIds: ["1a:00:00:00:00:01"], layout: { centerFrequencyHz: 2447e6 } })
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect([batch!.rssiDbm[0], batch!.noiseFloorDbm[0]]).toEqual([-74, -93])
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
    expect(at(batch!.csi, -32)).toEqual([0, 0])
  })

  it.each([
    ['{"ts": 1783888855.5, "seq": 1, "amps": [1, 2, 3]}'],
    [`{"ts": 1783888855.5, "csi": ${JSON.stringify(Array.from({ length: 64 }, () => [1, 2]))}}`],
    [`{"timestamp": 2179.3, "sig_len": 82, "lltf": {"csi": "${"AAAA".repeat(10)}"}}`],
    [`{"timestamp": 1783888855.5, "text": "${"AAAA".repeat(40)}"}`],
    [`{"csi": ${JSON.stringify(Array.from(buffer))}}`],
    ['{"timestamp": 1783888855.5, "csi": 0.53, "data": ""}'],
    ["{"],
  ])("does not take JSON for CSI without a time and a list of numbers: %#", (line) => {
    expect(detectFormat(bytesOf(`${line}\n`))).toBeNull()
  })

  it("reads the rows of the first receiver of a table of several, and says so", () => {
    const row = (node: string, us: number) => `${node},${us},aabbcc001122,"[${Array.from(buffer).join(", ")}]"`
    const lines = ["node_id,timestamp_us,mac,csi_data", row("1", 1000), row("2", 900_000_000), row("1", 11_000)]
    const { batches: [batch], faults } = decode(lines)
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect(batch!.transmitterIds).toEqual(["aa:bb:cc:00:11:22"])
    expect(faults).toMatchObject([{
      reason: "unsupported-layout",
      message: expect.stringMatching(/receiver 2, and only those of the first, 1, are read/),
    }])
    expect(decode([lines[0]!, row("a\u001bb", 1), row("1", 2)]).faults[0]!.message).toContain("the first, a?b,")
  })

  it.each([
    ["tx_id", "AP-1", "2", ["AP-1", "2"]],
    ["transmitter", "Küche", "aabbcc001122", ["Küche", "aa:bb:cc:00:11:22"]],
    ["bssid", "AA:BB:CC:00:11:22", "", ["aa:bb:cc:00:11:22", "ap"]],
    ["mac", "N/A", "AP#1", ["N_A", "AP_1"]],
    ["bssid,mac", "1a:00:00:00:00:09,AABBCC001122", "1a:00:00:00:00:09,AABBCC001133", [
      "aa:bb:cc:00:11:22",
      "aa:bb:cc:00:11:33",
    ]],
    ["tx_index,mac", "1,AABBCC001122", "1,AABBCC001133", ["aa:bb:cc:00:11:22", "aa:bb:cc:00:11:33"]],
    // The receiver's address of a frame is not the one of the receiver that heard it.
    ["rx_mac,src_mac", "ff:ff:ff:ff:ff:ff,AABBCC001122", "1a:00:00:00:00:09,AABBCC001133", [
      "aa:bb:cc:00:11:22",
      "aa:bb:cc:00:11:33",
    ]],
    ["mac,sender_mac", "1a:00:00:00:00:09,AABBCC001122", "1a:00:00:00:00:09,AABBCC001133", [
      "aa:bb:cc:00:11:22",
      "aa:bb:cc:00:11:33",
    ]],
  ])("reads each sender of a table of several as a link: %s", (column, first, second, transmitterIds) => {
    const row = (sender: string, us: number) => `${sender},${us},"[${Array.from(buffer).join(", ")}]"`
    const lines = [`${column},timestamp_us,csi_data`, row(first, 1000), row(second, 2000), row(first, 3000)]
    const { batches: [batch], faults } = decode(lines)
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ transmitterIds })
    expect([...batch!.transmitterIndex]).toEqual([0, 1, 0])
  })

  it("names senders in letters that a terminal shows, and not in more than 64", () => {
    const row = (sender: string) => `${sender},5,"[${Array.from(buffer).join(", ")}]"`
    const { batches, faults } = decode(["sender,timestamp_us,csi_data", row("\u001b<2J"), row("ü".repeat(65))])
    expect(faults).toEqual([])
    expect(batches[0]!.transmitterIds).toEqual(["__2J", "ü".repeat(64)])
  })

  it("takes the receiver and the unit of the times from the first row that gives a frame", () => {
    const row = (node: string, time: number) => `${time},${node},"[${Array.from(buffer).join(", ")}]"`
    const cut = `1772808270.5,-45,"[${Array.from(buffer).slice(9).join(", ")}]"`
    const rows = Array.from({ length: 10 }, (_, i) => row("1", 1772808270120 + 10 * i))
    const { batches: [batch], faults } = decode(["timestamp,node_id,csi_data", cut, ...rows])
    expect(faults).toMatchObject([{ reason: "value-count" }])
    expect([...batch!.timestampsUs]).toEqual(rows.map((_, i) => 10_000 * i))
  })

  it("reads the times of JSON with changing fields from one of them", () => {
    const csi_data = Array.from(buffer)
    const { batches: [batch], faults } = decode([
      { timestamp_ms: 5_000, csi_data },
      { timestamp_ms: 5_010, device_us: 777_000_000, csi_data },
      { device_us: 777_010_000, csi_data },
      { timestamp_ms: 5_030, csi_data },
    ].map((line) => JSON.stringify(line)))
    expect([...batch!.timestampsUs]).toEqual([0, 10_000, 30_000])
    expect(faults).toMatchObject([{
      reason: "bad-field",
      message: expect.stringContaining("in device_us, and not in timestamp_ms"),
    }])
  })

  it("takes a field t for the time only without another one", () => {
    const csi_data = Array.from(buffer)
    const lines = [0, 10].map((ms) => JSON.stringify({ t: "csi", timestamp: 1772808270120 + ms, csi_data }))
    expect([...decode(lines).batches[0]!.timestampsUs]).toEqual([0, 10_000])
    const others = [0, 10].map((ms) => JSON.stringify({ t: 1772808270120 + ms, csi_data }))
    expect([...decode(others).batches[0]!.timestampsUs]).toEqual([0, 10_000])
  })

  it("reads the rows of a table after a line of JSON", () => {
    const list = Array.from(buffer)
    const row = (us: number) => `${us},"[${list.join(", ")}]"`
    const json = JSON.stringify({ timestamp_us: 11_000, csi_data: list })
    const { batches: [batch], faults } = decode(["timestamp_us,csi_data", row(1_000), json, row(21_000)])
    expect(faults).toEqual([])
    expect([...batch!.timestampsUs]).toEqual([0, 10_000, 20_000])
  })

  it("reads the csv of an ESP32 tool with columns of its own by their names", () => {
    const header = "type,seq,mac,dmac,rssi,rate,sig_mode,mcs,bandwidth,aggregation,stbc,fec_coding,sgi,noise_floor," +
      "ampdu_cnt,channel,secondary_channel,local_timestamp,ant,sig_len,rx_state,len,first_word,data"
    const line = (clock: number) =>
      `CSI_DATA,0,1c:b9:c4:b5:a9:58,ff:ff:ff:ff:ff:ff,-67,10,0,0,0,0,0,0,0,-96,0,1,0,${clock},0,220,0,128,1, [${buffer}]`
    const { batches: [batch], faults } = decode([header, line(62_577), line(72_577)])
    expect(faults).toEqual([])
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect(batch).toMatchObject({ transmitterIds: ["1c:b9:c4:b5:a9:58"], layout: { centerFrequencyHz: 2412e6 } })
    for (const k of [-26, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
    // Of a serial line that has sent no more yet, the records may have other fields.
    expect(detectFormat(bytesOf(`${header}\n`))).toBeNull()
    expect(detectFormat(bytesOf(`${header}\n${line(62_577).slice(0, 150)}`))).toBeNull()
  })

  it("uses the packet's mode where the columns state it, and its 32-bit clock", () => {
    const header = "mac,rssi,channel,timestamp,sig_len,rx_state,secondary_channel,sig_mode,cwb,stbc,csi_raw_data"
    const line = (clock: number) => `64:90:C1:C7:61:A5,-82,1,${clock},28,0,1,0,0,0,"[${Array.from(quiet).join(", ")}]"`
    // The guards show nothing.
    const quiet = new Int8Array(128)
    quiet[2 * 40 + 1] = 9
    const { batches: [batch], faults } = decode([header, line(2 ** 32 - 1000), line(9000)])
    expect(faults).toEqual([])
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect(at(batch!.csi, 8)).toEqual([9, 0])
    // A logger has converted the clock to another unit, which nothing states.
    expect(decode([header, line(2179.337)]).faults).toMatchObject([{ reason: "bad-field" }])
  })

  it("reads other numbers of columns as tones, with one warning", () => {
    const row = Array.from({ length: 52 }, (_, i) => i + 1)
    const header = `timestamp_ms,${row.map((i) => `sub_${i}`).join(",")}`
    const { batches: [batch], faults } = decode([header, `1,${row.join(",")}`, `11,${row.join(",")}`])
    expect(faults.map(({ reason }) => reason)).toEqual(["assumed-order"])
    expect(batch).toMatchObject({ frameCount: 2, layout: { format: "csv" } })
    expect([...batch!.layout.subcarrierIndices].slice(24, 28)).toEqual([-2, -1, 1, 2])
    expect([...batch!.csi.slice(0, 4)]).toEqual([1, 0, 2, 0])
  })

  it("asks for the unit of times that could be anything", () => {
    const { batches, faults } = decode([amplitudeHeader(64), `17,-40,${Array(64).fill(1).join(",")}`])
    expect(batches).toEqual([])
    expect(faults).toMatchObject([{ reason: "bad-field", message: expect.stringContaining("timestamp_us") }])
  })

  it("is not the format of other tables", () => {
    expect(detectFormat(bytesOf("timestamp,rssi\n1,-40\n"))).toBeNull()
    expect(detectFormat(bytesOf(`${pairLine(buffer)}\n`))).toBeNull()
  })
})
