/**
 * A text message that many WebSocket clients share but for its head, as the bytes of one frame each (`text-frame.ts`).
 *
 * `ws` hands a frame's head and its payload over apart, which costs a gathered write and copies or memory for every client. Here the frame
 * is made once; for the next client only the head is written over, as long as nobody holds on to the bytes.
 *
 * Invariant: bytes that were said to be held are never written to again.
 */
import { emptyTextFrame } from "../../http/text-frame.ts"

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
        made = { ...emptyTextFrame(head.length + tail.length), headBytes: head.length }
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
