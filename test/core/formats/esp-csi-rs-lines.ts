/** The serial output of esp-csi-rs, as the tests need it. */
import fc from "fast-check"
import { bytesOf, numberedBins } from "./esp32-lines.ts"

interface PacketOptions {
  readonly clock?: number
  readonly secondary?: number
  readonly length?: number
  readonly rssi?: number
  readonly channel?: number
}

/** A line of the array list, without its newline. */
export const arrayLine = (
  values: ArrayLike<number>,
  { channel = 6, clock = 1000, length = values.length, rssi = -60, secondary = 0 }: PacketOptions = {},
): string =>
  `[3,${rssi},11,-93,${channel},${clock},28,0,${secondary},0,0,0,0,0,0,0,0,0,0,0,28,${length},[${
    Array.from(values).join(",")
  }]]`

/** A line of the array list of an ESP32-C6, without its newline. */
export const c6ArrayLine = (values: ArrayLike<number>, clock = 1000): string =>
  `[3,-60,11,-93,6,${clock},28,0,128,0,0,0,1,4,5,6,0,0,0,0,0,0,28,${values.length},[${Array.from(values).join(",")}]]`

/** A packet in the form of text, its values in a line of their own or not. */
export const textPacket = (
  values: ArrayLike<number>,
  { clock = 1000, form = "same-line" }: { readonly clock?: number; readonly form?: "same-line" | "next-line" | "hex" } =
    {},
): string => {
  const decimal = `[${Array.from(values).join(", ")}]`
  const hexadecimal = Array.from(values, (value) => (value & 255).toString(16).toUpperCase()).join(", ")
  const text = form === "hex" ? `[[${hexadecimal}]]` : decimal
  return [
    "mac: DC:ED:83:4A:55:9A",
    "rssi: -83",
    "noise floor: 161",
    "channel: 1",
    `timestamp: ${clock}`,
    "secondary channel: 0",
    "sig_mode: 0",
    "cwb: 0",
    "stbc: 0",
    `data length: ${values.length}`,
    form === "next-line" ? `csi raw data:\n${text}` : `csi raw data: ${text}`,
  ].join("\n")
}

/** Right and wrong records of both forms, and what else the device prints. */
export const espCsiRsText: fc.Arbitrary<Uint8Array> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      bins: fc.constantFrom(64, 64, 128, 192, 63),
      clock: fc.nat(2 ** 32),
      secondary: fc.nat(3),
      rssi: fc.integer({ min: -130, max: 260 }),
    }).map(({ bins, ...options }) => arrayLine(numberedBins(bins), options)),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      bins: fc.constantFrom(64, 64, 53),
      clock: fc.nat(2 ** 32),
      form: fc.constantFrom<"same-line" | "next-line" | "hex">("same-line", "next-line", "hex"),
    }).map(({ bins, ...options }) => textPacket(numberedBins(bins), options)),
  },
  { weight: 2, arbitrary: fc.constantFrom(c6ArrayLine(numberedBins(64)), c6ArrayLine(numberedBins(53))) },
  fc.constantFrom("", "> start --duration=10", "csi raw data: [1, 2]", "mac: x", "[1,2,[3]]", "[[1]]"),
).map((text) => bytesOf(`${text}\n`))
