/** Records of FeitCSI captures, as the tests need them. */
import fc from "fast-check"

interface FeitCsiFields {
  /** Bits 8 to 10 of the rate flags: 1 legacy, 2 HT, 3 VHT, 4 HE. */
  readonly format: number
  /** Bits 11 to 13: 0 to 3 for 20 to 160 MHz. */
  readonly width: number
  readonly tones: number
  readonly receive?: number
  readonly transmit?: number
  readonly clock?: number
  readonly attenuations?: readonly [number, number]
  readonly mac?: ReadonlyArray<number>
  readonly centerKhz?: number
  /** Value of a tone of stream j (rx = j / transmit, tx = j % transmit). */
  readonly value?: (j: number, tone: number) => readonly [re: number, im: number]
}

/** A record: the header and the values. */
export const feitCsiRecord = (fields: FeitCsiFields): Uint8Array => {
  const { receive = 2, tones, transmit = 1, value = (j, tone) => [tone, -j] } = fields
  const record = new Uint8Array(272 + 4 * receive * transmit * tones)
  const view = new DataView(record.buffer)
  view.setUint32(0, 4 * receive * transmit * tones, true)
  record[46] = receive
  record[47] = transmit
  view.setUint32(52, tones, true)
  fields.attenuations?.forEach((attenuation, i) => view.setUint32(60 + 4 * i, attenuation, true))
  record.set(fields.mac ?? [0, 0x16, 0xea, 0x12, 0x34, 0x56], 68)
  view.setUint32(88, fields.clock ?? 0, true)
  view.setUint32(92, (fields.format << 8) | (fields.width << 11) | 0xc000, true)
  view.setUint32(176, fields.centerKhz ?? 0, true)
  for (let j = 0, at = 272; j < receive * transmit; j++) {
    for (let tone = 0; tone < tones; tone++, at += 4) {
      const [re, im] = value(j, tone)
      view.setInt16(at, im, true)
      view.setInt16(at + 2, re, true)
    }
  }
  return record
}

/** Tones of the formats and widths, and of none. */
const tones = fc.constantFrom(
  { format: 1, width: 0, tones: 52 },
  { format: 2, width: 0, tones: 56 },
  { format: 2, width: 1, tones: 114 },
  { format: 3, width: 0, tones: 52 },
  { format: 3, width: 2, tones: 242 },
  { format: 3, width: 3, tones: 498 },
  { format: 4, width: 0, tones: 242 },
  { format: 2, width: 2, tones: 56 },
  { format: 0, width: 0, tones: 1 },
)

export const feitCsiRecords: fc.Arbitrary<Uint8Array> = fc.record({
  receive: fc.integer({ min: 1, max: 2 }),
  transmit: fc.integer({ min: 1, max: 2 }),
  clock: fc.nat(4_294_967_295),
  attenuations: fc.tuple(fc.nat(200), fc.nat(200)),
  centerKhz: fc.constantFrom(0, 5_500_000, 4_294_967_295),
  layout: tones,
}).map(({ layout, ...fields }) => feitCsiRecord({ ...fields, ...layout }))
