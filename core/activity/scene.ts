/** The scene of a hop: the input of the monitor, and of the watches over a whole room. */
import type { TrackSample } from "./sample.ts"

export interface Scene {
  /** Event time at the end of the hop, ascending. */
  readonly timeS: number
  readonly samples: ReadonlyArray<TrackSample>
  /** Whether any person is present; null when the signal is inconclusive. */
  readonly present: boolean | null
  readonly presenceConfidence: number
  /** 0..1: strength of the motion; null when the signal is inconclusive. */
  readonly motion: number | null
}

/** Minimum motion of a moving body, above a breath: an echo of -30 dB (see `core/vitals/presence.ts`). */
const motionMin = 0.1

/** Whether a body moves in the room. */
export const roomMoves = ({ motion }: Scene): boolean => motion !== null && motion >= motionMin
