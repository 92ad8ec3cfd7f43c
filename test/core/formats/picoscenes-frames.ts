/** Frames of PicoScenes captures, as the tests need them. */
import fc from "fast-check"
import { joined } from "./damage.ts"

/** Little-endian numbers one after the other. */
const pack = (...fields: ReadonlyArray<readonly [kind: keyof typeof sizes, value: number]>): Uint8Array => {
  const bytes = new Uint8Array(fields.reduce((sum, [kind]) => sum + sizes[kind], 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [kind, value] of fields) {
    if (kind === "u8") view.setUint8(at, value)
    else if (kind === "u16") view.setUint16(at, value, true)
    else if (kind === "u32") view.setUint32(at, value, true)
    else if (kind === "u64") view.setBigUint64(at, BigInt(value), true)
    else if (kind === "f32") view.setFloat32(at, value, true)
    else view.setFloat64(at, value, true)
    at += sizes[kind]
  }
  return bytes
}

const sizes = { u8: 1, u16: 2, u32: 4, u64: 8, f32: 4, f64: 8 } as const

const textBytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** A named segment. */
export const segment = (name: string, version: number, content: Uint8Array): Uint8Array => {
  const rest = joined(pack(["u8", name.length + 1]), textBytes(`${name}\0`), pack(["u16", version]), content)
  return joined(pack(["u32", rest.length]), rest)
}

export interface CsiFields {
  readonly device: number
  readonly version?: number
  /** 0 legacy, 1 HT, 2 VHT, 3 HE. */
  readonly format?: number
  readonly megahertz?: number
  readonly carrierHz?: number
  readonly spacingHz?: number
  readonly tones: number
  readonly transmit?: number
  readonly receive?: number
  readonly extra?: number
  readonly matrices?: number
  readonly antennaSelection?: number
  readonly indexOffset?: number
  readonly data: Uint8Array
  /** What follows the data since version 7. */
  readonly after?: Uint8Array
}

/** A CSI segment. */
export const csiSegment = (fields: CsiFields): Uint8Array => {
  const { format = 1, receive = 1, transmit = 1, version = 2 } = fields
  return segment(
    "CSI",
    version,
    joined(
      pack(["u16", fields.device], ...version >= 4 ? [["u8", 67] as const] : [], ["u8", format]),
      pack(["u16", fields.megahertz ?? 20], ["u64", fields.carrierHz ?? 2.412e9]),
      version >= 5 ? pack(["u64", 0], ["u8", 0]) : new Uint8Array(0),
      pack(["u64", 20e6], ["u32", fields.spacingHz ?? 312_500], ["u16", fields.tones]),
      pack(["u8", transmit], ["u8", receive], ["u8", fields.extra ?? 0]),
      version >= 3 ? pack(["u16", fields.matrices ?? 1]) : new Uint8Array(0),
      pack(["u8", fields.antennaSelection ?? 0]),
      version >= 2 ? pack(["u16", (fields.indexOffset ?? 0) & 0xffff]) : new Uint8Array(0),
      pack(["u32", fields.data.length]),
      fields.data,
      fields.after ?? new Uint8Array(0),
    ),
  )
}

export interface BasicFields {
  readonly version?: number
  readonly deviceTime?: number
  readonly hostTime?: number
  readonly noise?: number
  readonly strength?: number
}

/** An `RxSBasic` segment; what no decoder reads is 0. */
export const basicSegment = (fields: BasicFields = {}): Uint8Array => {
  const { noise = -90, strength = 30, version = 1 } = fields
  const noiseAt = [21, 23, 27, 35, 37, 37][version - 1]!
  const length = [26, 28, 32, 40, 47, 77][version - 1]!
  const content = new Uint8Array(length)
  content.set(pack(["u16", 0], ["u64", fields.deviceTime ?? 0]))
  if (version >= 4) content.set(pack(["u64", fields.hostTime ?? 0]), 10)
  content.set(
    version === 6 ? pack(["f32", noise], ["f32", strength]) : pack(["u8", noise & 0xff], ["u8", strength & 0xff]),
    noiseAt,
  )
  return segment("RxSBasic", version, content)
}

/** An `MVMExtra` segment: the firmware's header with its clock. */
export const firmwareSegment = (clock: number): Uint8Array => {
  const content = new Uint8Array(274)
  content.set(pack(["u16", 272]))
  content.set(pack(["u32", clock]), 90)
  return segment("MVMExtra", 1, content)
}

/** A packet with addresses, of data unless another first byte is given. */
export const packet = (transmitter: ReadonlyArray<number>, control = 0x88): Uint8Array =>
  Uint8Array.of(control, 0, 0, 0, 1, 1, 1, 1, 1, 1, ...transmitter, 2, 2, 2, 2, 2, 2, 0, 0)

/** A frame: its segments, then the packet. */
export const picoScenesFrame = (
  segments: ReadonlyArray<Uint8Array>,
  mpdu: Uint8Array = new Uint8Array(0),
  version = 1,
): Uint8Array => {
  const lengths = version === 1 ? new Uint8Array(0) : pack(["u32", mpdu.length])
  const counts = version === 1 ? pack(["u8", segments.length]) : pack(["u8", segments.length], ["u16", 1])
  const rest = joined(pack(["u32", 0x20150315], ["u16", version]), counts, ...segments, lengths, mpdu)
  return joined(pack(["u32", rest.length]), rest)
}

/** A signal matrix of complex numbers; `order` says which dimension runs fastest. */
export const signalMatrix = (
  dimensions: ReadonlyArray<number>,
  values: ReadonlyArray<number>,
  { order = "C", type = "f64", version = 2 }: {
    readonly order?: "C" | "R"
    readonly type?: "f32" | "f64"
    readonly version?: 1 | 2
  } = {},
): Uint8Array =>
  joined(
    textBytes(`BBv${version}`),
    pack(["u8", dimensions.length], ...dimensions.map((size) => [version === 1 ? "u32" : "u64", size] as const)),
    textBytes(type === "f64" ? `CD@${order}` : `CF ${order}`),
    pack(...values.map((value) => [type, value] as const)),
  )

/** Indices of a software radio's tones. */
export const toneIndices = (indices: ReadonlyArray<number>): Uint8Array =>
  pack(...indices.map((index) => ["u16", index & 0xffff] as const))

const radio = (version: number, tones: number, dimensions: ReadonlyArray<number>): CsiFields => {
  const indices = toneIndices(Array.from({ length: tones }, (_, i) => i - 3))
  const count = dimensions.reduce((product, size) => product * size, 2)
  const matrix = signalMatrix(dimensions, Array.from({ length: count }, (_, i) => i / 7), {
    type: version < 6 ? "f64" : "f32",
  })
  const common = { device: 0x1234, version, tones, transmit: dimensions[1]!, receive: dimensions[2]! }
  return version < 7
    ? { ...common, data: joined(indices, matrix) }
    : { ...common, data: matrix, after: joined(indices, pack(["u16", 0])) }
}

const numbered = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, (_, i) => 37 * i)

/** Segments of every device, right ones and one of an unknown device. */
const csiFields: ReadonlyArray<CsiFields> = [
  { device: 0x5300, tones: 30, receive: 2, antennaSelection: 0b000001, data: numbered(132) },
  { device: 0x5300, tones: 30, receive: 3, transmit: 1, extra: 1, megahertz: 40, data: numbered(372) },
  { device: 0x9300, tones: 56, receive: 3, transmit: 2, data: numbered(840) },
  { device: 0x9300, tones: 114, megahertz: 40, indexOffset: -32, data: numbered(285) },
  { device: 0x2000, version: 4, tones: 56, receive: 2, data: numbered(448) },
  { device: 0x2100, version: 5, format: 2, megahertz: 160, tones: 498, data: numbered(1992) },
  { device: 0x9999, tones: 1, data: numbered(4) },
  radio(2, 8, [8, 1, 1]),
  radio(5, 8, [8, 2, 1]),
  radio(7, 8, [8, 1, 2, 1]),
]

export const picoScenesFrames: fc.Arbitrary<Uint8Array> = fc.record({
  csi: fc.constantFrom(...csiFields.map((fields) => csiSegment(fields))),
  basic: fc.record({
    version: fc.integer({ min: 1, max: 6 }),
    deviceTime: fc.maxSafeNat(),
    hostTime: fc.maxSafeNat(),
    noise: fc.integer({ min: -128, max: 127 }),
    strength: fc.integer({ min: -128, max: 127 }),
  }),
  clock: fc.nat(4_294_967_295),
  other: fc.uint8Array({ maxLength: 30 }),
  control: fc.nat(255),
  version: fc.constantFrom(1, 1, 2, 3),
}).map(({ basic, clock, control, csi, other, version }) =>
  picoScenesFrame(
    [basicSegment(basic), segment("ExtraInfo", 1, other), firmwareSegment(clock), csi],
    packet([0, 1, 2, 3, 4, 5], control),
    version,
  )
)
