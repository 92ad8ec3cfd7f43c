/** Csv tables of ESP32 buffers, as the tests need them. */
import fc from "fast-check"
import { bytesOf, numberedBins } from "./esp32-lines.ts"

export const bufferHeader = "timestamp,rssi,rate,channel,bandwidth,data_length,esp_timestamp,csi_data"
export const pairHeader = `esp_timestamp_us,rssi${Array.from({ length: 64 }, (_, i) => `,i${i},q${i}`).join("")}`

/** Columns of amplitudes with a time of an unstated unit. */
export const amplitudeHeader = (bins: number): string =>
  `timestamp,rssi${Array.from({ length: bins }, (_, i) => `,amp_${i}`).join("")}`

/** The names of pcap-to-csv for this number of columns. */
export const complexHeader = (columns: number): string =>
  `mac,time${Array.from({ length: columns }, (_, i) => `,_${i}`).join("")}`

/** A line of pcap-to-csv, without its newline: complex numbers as Python writes them, and empty fields up to `columns`. */
export const complexLine = (
  values: ReadonlyArray<readonly [re: number, im: number]>,
  { columns = values.length, mac = "505bc2d2e71b", time = "1682491864.3052511" } = {},
): string => {
  const texts = values.map(([re, im]) => re === 0 ? `${im}j` : `(${re}${im < 0 ? "" : "+"}${im}j)`)
  return [mac, time, ...texts, ...new Array(columns - values.length).fill("")].join(",")
}

/** A line with a whole buffer as a JSON list, without its newline. */
export const bufferLine = (
  values: ArrayLike<number>,
  { channel = 6, clock = 1000, length = values.length, rssi = -58 }: {
    readonly channel?: number
    readonly clock?: number | string
    readonly length?: number | string
    readonly rssi?: number
  } = {},
): string =>
  `2026-03-06T14:44:30.116699,${rssi},14,${channel},0,${length},${clock},"[${Array.from(values).join(", ")}]"`

/** A line with pairs in columns of their own, without its newline. */
export const pairLine = (values: ArrayLike<number>, { clock = 1000, rssi = -58 } = {}): string =>
  `${clock},${rssi},${Array.from(values).join(",")}`

/** Right and wrong lines of both tables, mostly after the names of their columns. */
export const tableLine: fc.Arbitrary<Uint8Array> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ bins: fc.constantFrom(64, 64, 128, 192, 63), clock: fc.nat(2 ** 31), channel: fc.nat(260) })
      .map(({ bins, channel, clock }) => `${bufferHeader}\n${bufferLine(numberedBins(bins), { channel, clock })}`),
  },
  {
    weight: 6,
    arbitrary: fc.array(fc.integer({ min: -128, max: 127 }), { minLength: 128, maxLength: 128 })
      .map((values) => `${pairHeader}\n${pairLine(values)}`),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      bins: fc.constantFrom(64, 64, 128, 52, 30),
      time: fc.constantFrom("2026-03-06 14:44:30.1", "1772808270.5", "1772808270123", "17", "x"),
      value: fc.float({ min: -1, max: 200, noNaN: true }),
    }).map(({ bins, time, value }) =>
      `${amplitudeHeader(bins)}\n${time},-40,${Array.from({ length: bins }, (_, i) => value + i).join(",")}`
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      bytes: fc.uint8Array({ minLength: 127, maxLength: 128 }),
      node: fc.constantFrom("1", "2", ""),
      end: fc.constantFrom("", "", "F", "g"),
    }).map(({ bytes, end, node }) => {
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") + end
      return `node_id,timestamp_us,csi_hex\n1,5,${hex}\n${node},10,${hex}`
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      list: fc.array(fc.integer({ min: -130, max: 127 }), { minLength: 126, maxLength: 129 }),
      t_ms: fc.nat(),
    })
      .map(({ list, t_ms }) => JSON.stringify({ t_ms, meta: { rssi: -40 }, csi_data: list })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      bytes: fc.uint8Array({ minLength: 123, maxLength: 128 }),
      cut: fc.nat(3),
      isServer: fc.boolean(),
      first_word_invalid: fc.boolean(),
    }).map(({ bytes, cut, first_word_invalid, isServer }) => {
      const csi = btoa(String.fromCharCode(...bytes)).slice(cut)
      const fields = isServer ? { lltf: { csi, sc_ind_start: 0 }, first_word_invalid } : { csi }
      return JSON.stringify({ timestamp: 2179.25, ...fields })
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      columns: fc.constantFrom(64, 128),
      tones: fc.constantFrom(64, 64, 63, 128),
      value: fc.tuple(fc.integer({ min: -40_000, max: 40_000 }), fc.integer({ min: -200, max: 200 })),
    }).map(({ columns, tones, value }) =>
      `${complexHeader(columns)}\n${complexLine(new Array(tones).fill(value), { columns: Math.max(columns, tones) })}`
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(bufferLine(numberedBins(64)), pairLine(numberedBins(64))) },
  fc.constantFrom("", "1,2,3", "\ufeff", '"[1, 2]"'),
).map((line) => bytesOf(`${line}\n`))
