/** What is kept of a room while the tab is open, as types. */
import type { Frame } from "../service/types.ts"

/** A frame and when it came, on the page's monotonic clock. */
export interface Received {
  readonly frame: Frame
  readonly eventMs: number
  readonly receivedAtMs: number
}

export interface Sample {
  readonly atMs: number
  /** Null: the frame made no statement. */
  readonly present: boolean | null
  /** 0 to 1. */
  readonly motion: number | null
  readonly persons: number
}

/** A room while the tab is open. The arrays grow in place and are read by drawings, not by components. */
export interface Room {
  readonly environmentId: string
  readonly frames: Array<Received>
  readonly samples: Array<Sample>
  /** The letters of the persons that this tab has shown last, by id; see `letterOf`. */
  readonly letters: Map<number, string>
}
