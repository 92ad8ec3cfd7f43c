/** The position of a playback in recorded time, from a monotonic clock. Pure. */

export const speeds = [1, 5, 10, 30, 60] as const
export type Speed = (typeof speeds)[number]

export interface Playhead {
  /** Recorded time at the moment `setAtMs`, epoch ms. */
  readonly positionMs: number
  /** Monotonic time of the last change. */
  readonly setAtMs: number
  readonly speed: Speed
  readonly isPlaying: boolean
}

/** Recorded time at `nowMs`, at most `endMs`. */
export const positionAt = ({ isPlaying, positionMs, setAtMs, speed }: Playhead, nowMs: number, endMs: number): number =>
  isPlaying ? Math.min(endMs, positionMs + Math.max(0, nowMs - setAtMs) * speed) : positionMs

/** Changes a playhead without a jump: the position at `nowMs` stays unless the change names another. */
export const changed = (
  playhead: Playhead,
  change: Partial<Omit<Playhead, "setAtMs">>,
  nowMs: number,
  endMs: number,
): Playhead => ({ ...playhead, positionMs: positionAt(playhead, nowMs, endMs), setAtMs: nowMs, ...change })
