/**
 * A pose frame that all clients of a node share: decoded, rendered and encoded at most once.
 *
 * Boundary: no response form is known here; edges put their encodings into `memo`.
 */
import type { DensePose, Person, PoseFrame } from "../../protocols/domain/pose.ts"
import { decodePoseFrame, encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { densePosesOf } from "./dense-poses.ts"

/** Encodings kept with one frame. Further encodings are made for each client. */
const memoMax = 64

/** One frame with what was made from it. */
export interface SharedFrame {
  /** The frame as it was stored, encoded (`protocols/grpc/pose-frame.ts`). */
  readonly bytes: Uint8Array
  /** The frame, decoded at the first access. */
  readonly frame: PoseFrame
  /** Returns `make(frame)`, computed once per key. The key names the form and the filter. */
  readonly memo: <A>(key: string, make: (frame: PoseFrame) => A) => A
  /** The dense pose of one of the frame's persons, rendered at the first call. */
  readonly densePose: (person: Person) => DensePose
}

/** Makes a shared frame from an encoded one. */
export const shareFrame = (bytes: Uint8Array): SharedFrame => share(bytes, undefined)

/** Makes a shared frame from a frame of the history. It is encoded at the first access. */
export const shareStored = (frame: PoseFrame): SharedFrame => share(undefined, frame)

const share = (encoded: Uint8Array | undefined, decoded: PoseFrame | undefined): SharedFrame => {
  let densePose: SharedFrame["densePose"] | undefined
  const made = new Map<string, unknown>()
  const self: SharedFrame = {
    get bytes() {
      return encoded ??= encodePoseFrame(decoded!)
    },
    get frame() {
      return decoded ??= decodePoseFrame(encoded!)
    },
    memo: <A>(key: string, make: (frame: PoseFrame) => A): A => {
      if (made.has(key)) return made.get(key) as A
      const value = make(self.frame)
      if (made.size < memoMax) made.set(key, value)
      return value
    },
    densePose: (person) => (densePose ??= densePosesOf(self.frame))(person),
  }
  return self
}
