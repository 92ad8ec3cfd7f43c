/** Console output of ESP32 firmware without `CSI_DATA` and names, as the tests need it. */
import fc from "fast-check"
import { bytesOf, numberedBins } from "./esp32-lines.ts"

/** A `CSIRAW` line, without its newline. */
export const rawLine = (
  values: ArrayLike<number>,
  { length = values.length, ms = 87_596, rssi = -40 } = {},
): string =>
  `CSIRAW 4535 ${ms} ${rssi} ${length} ${
    Array.from(values, (value) => (value & 255).toString(16).padStart(2, "0")).join("")
  }`

/** A line with a time and one with the 256 numbers of two training fields from the fifth on, without the last newline. */
export const timedLines = (legacy: ArrayLike<number>, ht: ArrayLike<number>, seconds: number): string =>
  `${seconds.toFixed(15)}\r\n${[...Array.from(legacy).slice(4), ...Array.from(ht), 122, -96, 7, 0].join("\t")}\t`

/** Right and wrong records of both forms, and what else the device prints. */
export const consoleText: fc.Arbitrary<Uint8Array> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      bins: fc.constantFrom(64, 64, 128, 192, 63),
      ms: fc.nat(2 ** 32),
      rssi: fc.integer({ min: -130, max: 130 }),
    }).map(({ bins, ...options }) => rawLine(numberedBins(bins), options)),
  },
  {
    weight: 6,
    arbitrary: fc.record({ bins: fc.constantFrom(64, 64, 63), seconds: fc.nat(10_000) })
      .map(({ bins, seconds }) => timedLines(numberedBins(64), numberedBins(bins), seconds / 7)),
  },
  fc.constantFrom("", "I (92) wifi: up", "CSIRAW 1 2", "0.000000000000000", "1\t2", "0000c509"),
).map((text) => bytesOf(`${text}\n`))
