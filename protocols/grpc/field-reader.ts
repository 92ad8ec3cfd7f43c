/**
 * Reads protobuf fields from unknown callers. An invalid field stops the reading with the name of the field.
 *
 * Boundary: the fields of the message are defined in `csi-batch.ts`, which also catches `Refusal`.
 */
import protobuf from "protobufjs/minimal.js"

/** Maximum length of a text field (ids and names). */
const textBytesMax = 64

/** The invalid field and the reason. */
export class Refusal extends Error {
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Stops the reading. */
export const refuse = (field: string, message: string): never => {
  throw new Refusal(field, message)
}

/** Visits every field of a message. `visit` returns whether it has consumed the field. Unknown fields are skipped. */
export const eachField = (
  reader: protobuf.Reader,
  countMax: number,
  visit: (field: number, wireType: number, reader: protobuf.Reader) => boolean,
): void => {
  for (let count = 0; reader.pos < reader.len; count++) {
    if (count === countMax) refuse("message", `a message has at most ${countMax} fields`)
    const tag = reader.tag()
    // Groups are not part of proto3, and their nesting is unbounded.
    if ((tag & 7) === 3) refuse("message", "groups are not supported")
    if (!visit(tag >>> 3, tag & 7, reader)) reader.skipType(tag & 7, 0, tag >>> 3)
  }
}

/** A text of at most 64 bytes of UTF-8. */
export const text = (reader: protobuf.Reader, field: string): string => {
  const bytes = reader.bytes()
  if (bytes.byteLength > textBytesMax) refuse(field, `${field} has at most ${textBytesMax} bytes`)
  // Ids are short ASCII texts, for which a call of the platform's decoder is slower.
  let ascii = ""
  for (let i = 0; i < bytes.length && bytes[i]! < 0x80; i++) ascii += String.fromCharCode(bytes[i]!)
  if (ascii.length === bytes.length) return ascii
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return refuse(field, `${field} must be UTF-8 text`)
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** An integer from 0 to 2^53 - 1. */
export const unsigned = (reader: protobuf.Reader, field: string): number => {
  const value = Number(reader.uint64())
  return Number.isSafeInteger(value) ? value : refuse(field, `${field} must be below 2^53`)
}

/** The value, if it is in the range. NaN is never in range. */
export const within = (field: string, value: number, min: number, max: number): number =>
  value >= min && value <= max ? value : refuse(field, `${field} is ${value}; it must be ${min} to ${max}`)
