/**
 * A text message that many WebSocket clients share but for its head, as the bytes of one frame each (RFC 6455, section 5.2).
 *
 * `ws` hands a frame's head and its payload over apart, which costs a gathered write and copies or memory for every client. Here the frame
 * is made once; for the next client only the head is written over, as long as nobody holds on to the bytes.
 *
 * Invariant: bytes that were said to be held are never written to again.
 */

/** FIN and the opcode of text. */
const finalText = 0x81
/** Lengths from here on are told in two bytes, and from there on in eight. */
const twoByteMin = 126
const eightByteMin = 65_536

/** A frame without its payload: not masked, as servers send it. */
const emptyFrame = (payloadBytes: number): { readonly frame: Buffer; readonly begin: number } => {
  const begin = payloadBytes < twoByteMin ? 2 : payloadBytes < eightByteMin ? 4 : 10
  const frame = Buffer.allocUnsafe(begin + payloadBytes)
  frame[0] = finalText
  frame[1] = begin === 2 ? payloadBytes : begin === 4 ? twoByteMin : twoByteMin + 1
  if (begin === 4) frame.writeUInt16BE(payloadBytes, 2)
  if (begin === 10) frame.writeBigUInt64BE(BigInt(payloadBytes), 2)
  return { frame, begin }
}

export interface SharedTail {
  /** The frame of this head and the tail; the bytes are the caller's until the next call, unless it says that it holds them. */
  readonly frameOf: (head: Uint8Array) => Uint8Array
  /** Whoever has the last frame still needs it: the next call makes another. */
  readonly held: () => void
}

/** @param tail in UTF-8; not to be written to */
export const shareTail = (tail: Uint8Array): SharedTail => {
  let made: { readonly frame: Buffer; readonly begin: number; readonly headBytes: number } | null = null
  return {
    frameOf: (head) => {
      if (made === null || made.headBytes !== head.length) {
        made = { ...emptyFrame(head.length + tail.length), headBytes: head.length }
        made.frame.set(tail, made.begin + head.length)
      }
      made.frame.set(head, made.begin)
      return made.frame
    },
    held: () => {
      made = null
    },
  }
}
