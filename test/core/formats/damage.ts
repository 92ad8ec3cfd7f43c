/** Damage to bytes that were right: overwritten, cut out, doubled. */
import fc from "fast-check"

export const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const harm = fc.record({
  at: fc.nat(1_000_000),
  kind: fc.constantFrom("set", "cut", "double"),
  length: fc.nat(40),
  byte: fc.nat(255),
})

const harmed = (
  bytes: Uint8Array,
  { at, byte, kind, length }: typeof harm extends fc.Arbitrary<infer T> ? T : never,
) => {
  const from = at % (bytes.length + 1)
  if (kind === "cut") return joined(bytes.subarray(0, from), bytes.subarray(from + length))
  if (kind === "double") return joined(bytes.subarray(0, from + length), bytes.subarray(from))
  const copy = bytes.slice()
  if (from < copy.length) copy[from] = byte
  return copy
}

/** The bytes, or up to six times damaged. */
export const damaged = (whole: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(whole, fc.array(harm, { maxLength: 6 })).map(([bytes, harms]) => harms.reduce(harmed, bytes))

/** Captures of a few records with noise between them, damaged. */
export const captureOf = (record: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  damaged(
    fc.array(fc.oneof({ weight: 4, arbitrary: record }, fc.uint8Array({ maxLength: 60 })), { maxLength: 4 })
      .map((parts) => joined(...parts)),
  )
