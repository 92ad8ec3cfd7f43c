/**
 * The timing of an environment: the clock of its source, and how old its newest observation and frame are by it.
 *
 * Pure except for its own state; the time is an argument.
 */
import { createSourceClock } from "../../core/signal/source-clock.ts"
import { judgedAgeMs, latenessOf } from "../../protocols/domain/lateness.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import type { Provenance, Source } from "../../protocols/domain/provenance.ts"
import type { EnvironmentStatus } from "../../protocols/domain/system.ts"

type Aged = Pick<PoseFrame, "timestampMs" | "provenance">

interface EnvironmentTiming {
  /** A hop was completed by an observation that arrived at this time. */
  readonly completed: (source: Source, timestampMs: number, arrivedMs: number) => void
  /** The provenance of a frame of now, with the offset of the source's clock where it has one. */
  readonly stamped: (provenance: Provenance) => Provenance
  /** A frame is published. Returns `stale` or `on_time` when the lateness has changed to it; else null. */
  readonly published: (frame: Aged, nowMs: number) => "stale" | "on_time" | null
  readonly reset: () => void
  /** @param newest the newest frame of the present session; null when there is none */
  readonly read: (
    newest: Aged | null,
    nowMs: number,
  ) => Pick<EnvironmentStatus, "frameAgeMs" | "observationAgeMs" | "source">
}

export const environmentTiming = (): EnvironmentTiming => {
  const clock = createSourceClock()
  /** Event time of the newest hop. */
  let newestMs: number | null = null
  /** Whether the last change was to stale. */
  let stale = false
  return {
    completed: (source, timestampMs, arrivedMs) => {
      clock.observe(source, timestampMs, arrivedMs)
      newestMs = timestampMs
    },
    stamped: (provenance) => {
      const clockOffsetMs = clock.offsetMs()
      return clockOffsetMs === 0 ? provenance : { ...provenance, clockOffsetMs }
    },
    published: (frame, nowMs) => {
      const lateness = latenessOf(frame, nowMs)
      const changed = lateness === "stale" && !stale || lateness === "on_time" && stale
      if (!changed) return null
      stale = lateness === "stale"
      return lateness
    },
    reset: () => {
      stale = false
      clock.reset()
      newestMs = null
    },
    read: (newest, nowMs) => ({
      frameAgeMs: newest === null ? null : judgedAgeMs(newest, nowMs),
      observationAgeMs: newestMs === null ? null : Math.max(0, nowMs - newestMs - clock.offsetMs()),
      source: newest?.provenance.source ?? null,
    }),
  }
}
