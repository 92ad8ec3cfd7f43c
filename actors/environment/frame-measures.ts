/**
 * What is measured of an environment's frames: their rate, latency and lateness.
 *
 * Boundary: the rate and latency are `statistics.ts`, the lateness `timing.ts`; this joins them at the publication of a frame.
 */
import { Clock, Effect } from "effect"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import type { EnvironmentStatus } from "../../protocols/domain/system.ts"
import { logLateness } from "./environment-log.ts"
import { frameMeter, latencyOf } from "./statistics.ts"
import { environmentTiming } from "./timing.ts"

type Aged = Pick<PoseFrame, "timestampMs" | "provenance">

export const makeFrameMeasures = (environmentId: string) => {
  const meter = frameMeter()
  const { completed, published, read, reset, stamped } = environmentTiming()
  return {
    completed,
    reset,
    stamped,
    /**
     * Measures a frame that was published, and reports a change of its lateness if it belongs to the present session.
     *
     * @param newest the newest published frame
     */
    published: Effect.fnUntraced(function* (frame: Aged, ofSession: boolean, newest: Aged | null) {
      const nowMs = yield* Clock.currentTimeMillis
      meter.add({ publishedMs: nowMs, latencyMs: latencyOf(frame.provenance.source, nowMs - frame.timestampMs) })
      if (!ofSession) return
      const turned = published(frame, nowMs)
      if (turned !== null) yield* logLateness(environmentId, turned, read(newest, nowMs))
    }),
    /** @param newest the newest frame of the present session; null when there is none */
    read: (
      streams: boolean,
      newest: Aged | null,
      nowMs: number,
    ): Pick<
      EnvironmentStatus,
      | "averageLatencyMs"
      | "frameAgeMs"
      | "framesPerSecond"
      | "framesProcessed"
      | "observationAgeMs"
      | "source"
    > => ({ ...meter.read(streams), ...read(newest, nowMs) }),
  }
}
