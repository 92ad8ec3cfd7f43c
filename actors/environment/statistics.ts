/**
 * What an environment measures of itself, for status answers: rates and times over a trailing window of frames.
 */

/** Frames that the averages reach back over: 10 s of hops. */
const windowFrames = 100

export interface FrameStatistics {
  readonly framesProcessed: number
  /** Null before two frames. */
  readonly framesPerSecond: number | null
  /** From the end of a hop to its publication; null before the first frame, and for sources with a clock of their own. */
  readonly averageLatencyMs: number | null
}

export interface FrameMeter {
  readonly add: (frame: { readonly publishedMs: number; readonly latencyMs: number }) => void
  readonly read: () => FrameStatistics
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length

export const frameMeter = (): FrameMeter => {
  const frames: Array<{ readonly publishedMs: number; readonly latencyMs: number }> = []
  let framesProcessed = 0
  return {
    add: (frame) => {
      framesProcessed++
      frames.push(frame)
      if (frames.length > windowFrames) frames.shift()
    },
    read: () => {
      const spanMs = frames.length < 2 ? 0 : frames.at(-1)!.publishedMs - frames[0]!.publishedMs
      return {
        framesProcessed,
        framesPerSecond: spanMs > 0 ? ((frames.length - 1) * 1000) / spanMs : null,
        averageLatencyMs: mean(frames.map((frame) => frame.latencyMs)),
      }
    },
  }
}
