/**
 * Rates and times of an environment over a trailing window of frames, for status answers.
 */
import { meanOf } from "../../core/math/mean.ts"
import type { Source } from "../../protocols/domain/provenance.ts"

/** Frames that the averages reach back over: 10 s of hops. */
const windowFrames = 100

/** The latency of a frame; null for a replay, whose event time is not the time of day. */
export const latencyOf = (source: Source, latencyMs: number): number | null =>
  source === "replay" || latencyMs < 0 ? null : latencyMs

interface FrameStatistics {
  readonly framesProcessed: number
  /** Null while no frames come, and before two frames. */
  readonly framesPerSecond: number | null
  /** From the end of a hop to its publication; null when no frame of the window has one. */
  readonly averageLatencyMs: number | null
}

interface Frame {
  readonly publishedMs: number
  /** Null for a source whose event time is not the time of day. */
  readonly latencyMs: number | null
}

interface FrameMeter {
  readonly add: (frame: Frame) => void
  /** @param streaming whether frames come at present. */
  readonly read: (streaming: boolean) => FrameStatistics
}

export const frameMeter = (): FrameMeter => {
  const frames: Array<Frame> = []
  let framesProcessed = 0
  return {
    add: (frame) => {
      framesProcessed++
      frames.push(frame)
      if (frames.length > windowFrames) frames.shift()
    },
    read: (streaming) => {
      const spanMs = frames.length < 2 ? 0 : frames.at(-1)!.publishedMs - frames[0]!.publishedMs
      const latencies = frames.flatMap(({ latencyMs }) => latencyMs === null ? [] : [latencyMs])
      return {
        framesProcessed,
        framesPerSecond: streaming && spanMs > 0 ? ((frames.length - 1) * 1000) / spanMs : null,
        averageLatencyMs: meanOf(latencies),
      }
    },
  }
}
