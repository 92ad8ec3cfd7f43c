/**
 * A text message that many WebSocket clients share except for its head, as the bytes of one frame (`text-frame.ts`).
 *
 * `ws` writes a frame's header and its payload separately, which costs a gathered write and copies or memory for every client. Here the
 * frame is made once. For the next client only the head is overwritten, unless the bytes are still in use.
 *
 * Invariant: bytes that are marked as held are never written to again.
 */
import { emptyTextFrame } from "../../http/text-frame.ts"

export interface SharedTail {
  /** The frame of this head and the tail. The bytes are valid until the next call, or for longer if the caller calls `held`. */
  readonly frameOf: (head: Uint8Array) => Uint8Array
  /** The last frame is still in use: the next call makes a new one. */
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
