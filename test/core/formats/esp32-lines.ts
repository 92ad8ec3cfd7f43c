/** Lines of ESP32 csv captures, as the tests need them. */
import fc from "fast-check"

interface LineFields {
  readonly first?: string
  readonly mac?: string
  readonly rssi?: number
  readonly signalMode?: number
  readonly bandwidth?: number
  readonly stbc?: number
  readonly channel?: number
  readonly secondary?: number
  readonly clock?: number
  readonly len?: number
  readonly values: ReadonlyArray<number>
}

/** A line of ESP32-CSI-Tool, without its newline. */
export const toolLine = (fields: LineFields): string => {
  const f = { first: "CSI_DATA", mac: "AA:BB:CC:DD:EE:FF", rssi: -60, signalMode: 0, bandwidth: 0, stbc: 0, ...fields }
  const head = [f.first, "AP", f.mac, f.rssi, 11, f.signalMode, 0, f.bandwidth, 1, 1, 0, f.stbc, 0, 0, -96, 0]
  const tail = [fields.channel ?? 6, fields.secondary ?? 0, fields.clock ?? 1000, 0, 84, 0, 0, 1.5, fields.len ?? 384]
  return `${[...head, ...tail].join(",")},[${fields.values.join(" ")} ]`
}

/** A line of the esp-csi console, without its newline. */
export const consoleLine = (values: ReadonlyArray<number>, secondary: number): string =>
  `CSI_DATA,7,94:3c:c6:0f:9a:61,-60,11,0,5,0,1,1,0,0,0,0,-93,0,13,${secondary},48446325,0,66,0,${values.length},1,` +
  `"[${values.join(",")}]"`

/** A line of the esp-csi console of the ESP32-C5, C6 and C61, without its newline. */
export const heConsoleLine = (values: ReadonlyArray<number>, clock = 1000): string =>
  `CSI_DATA,316595,1a:00:00:00:00:00,-38,11,-97,15,19,11,${clock},51,0,${values.length},0,"[${values.join(",")}]"`

/** A line of the csv of esp-csi's console_test, without its newline. */
export const selectedLine = (values: ReadonlyArray<number>, clock = 2_722_200): string =>
  "CSI_DATA,0,2025-08-26 09:30:16.322,0,unknown,1a:00:00:00:00:00,-53,11,1,0,1,1,1,0,0,0,0,-96,0,11,2," +
  `${clock},0,47,0,172,4,${values.length},0,"[${values.join(", ")}]"`

/** Values by which every bin of a buffer can be reported: bin b is (imaginary, real) = (b, -b). */
export const numberedBins = (bins: number): Array<number> =>
  Array.from({ length: 2 * bins }, (_, i) => i % 2 === 0 ? (i >> 1) % 100 : -((i >> 1) % 100))

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Text in UTF-16. */
export const utf16 = (text: string, littleEndian = true): Uint8Array => {
  const view = new DataView(new ArrayBuffer(2 * text.length))
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), littleEndian)
  return new Uint8Array(view.buffer)
}

/** Mostly right values, at times wrong ones. */
const mostly = <T>(right: ReadonlyArray<T>, wrong: ReadonlyArray<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...right) }, fc.constantFrom(...wrong))

/** Lines with right and wrong fields and any number of values, and what else a serial line carries. */
export const csvLine: fc.Arbitrary<Uint8Array> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      first: mostly(["CSI_DATA"], ["garbage", ""]),
      mac: mostly(["AA:BB:CC:DD:EE:FF", "0a:0b:0c:0d:0e:0f"], ["nobody"]),
      rssi: mostly([-60, 0], [999]),
      signalMode: fc.nat(3),
      bandwidth: fc.nat(1),
      stbc: fc.nat(1),
      secondary: mostly([0, 1, 2], [3]),
      clock: fc.nat(4_294_967_295),
      values: mostly([64, 64, 64, 128, 188, 190, 192, 306], [0, 1, 63, 307]).map(numberedBins),
    }).map(toolLine),
  },
  {
    weight: 3,
    arbitrary: mostly([64, 128, 117, 57], [0, 53, 63]).chain((bins) =>
      fc.array(fc.integer({ min: -130, max: 127 }), { minLength: 2 * bins, maxLength: 2 * bins })
    ).map((values) => heConsoleLine(values)),
  },
  { weight: 3, arbitrary: mostly([52, 108], [51, 400]).map((bins) => selectedLine(numberedBins(bins))) },
  fc.constantFrom(
    "I (123) wifi: connected",
    "\u001b[0;33mW (7) heap: low\u001b[0m",
    "",
    "\0\0\0",
    "\ufeff",
    "CSI_DATA,",
  ),
).chain((line) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(bytesOf(`${line}\n`)) },
    // Its newline was lost, zero bytes came with it, or it is UTF-16.
    fc.constantFrom(bytesOf(line), bytesOf(`\0${line}\0\n`), utf16(`${line}\n`), utf16(`${line}\n`, false)),
  )
)
