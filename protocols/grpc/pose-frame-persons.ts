/**
 * The persons of an encoded pose frame, without decoding the rest, so that a search through many frames is cheap.
 */
import protobuf from "protobufjs/minimal.js"

/** The fields of a person that a search needs. */
export interface PersonMark {
  readonly id: number
  readonly confidence: number
}

/** Fields of the messages `PoseFrame` and `Person` in `pose_frame.proto`. */
const personsField = 5
const idField = 1
const confidenceField = 4

const readPerson = (reader: protobuf.Reader): PersonMark => {
  const end = reader.uint32() + reader.pos
  let id = 0
  let confidence = 0
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag >>> 3 === idField && (tag & 7) === 0) id = reader.uint32()
    else if (tag >>> 3 === confidenceField && (tag & 7) === 1) confidence = reader.double()
    else reader.skipType(tag & 7, 0, tag >>> 3)
  }
  return { id, confidence }
}

/** The persons of a frame encoded by this service, in order. Throws if the bytes are not a message. */
export const personMarksOf = (bytes: Uint8Array): ReadonlyArray<PersonMark> => {
  const reader = protobuf.Reader.create(bytes)
  const marks: Array<PersonMark> = []
  while (reader.pos < reader.len) {
    const tag = reader.tag()
    if (tag >>> 3 === personsField && (tag & 7) === 2) marks.push(readPerson(reader))
    else reader.skipType(tag & 7, 0, tag >>> 3)
  }
  return marks
}
