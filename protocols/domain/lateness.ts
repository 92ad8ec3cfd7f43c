/**
 * Lateness: the one definition of how old the newest frame of an environment, or record of a node, may be.
 *
 * The age is the service's time minus the value's event time, and event time is first brought to the service's clock
 * (`Provenance.clockOffsetMs`, see `core/signal/source-clock.ts`). So a source whose clock is wrong is not late while it flows, and a
 * replay is judged by its own pace. All times are milliseconds.
 */
import { Schema } from "effect"
import type { Provenance } from "./provenance.ts"

/** A value older than this is late. */
export const lateAfterMs = 2_000
/** A value older than this is stale. */
export const staleAfterMs = 10_000

export const Lateness = Schema.Literals(["on_time", "late", "stale"])
export type Lateness = typeof Lateness.Type

/** The lateness of the newest value, by its age. */
export const latenessOfAge = (ageMs: number): Lateness =>
  ageMs > staleAfterMs ? "stale" : ageMs > lateAfterMs ? "late" : "on_time"

/** A value with its event time and its origin. */
export interface Timed {
  readonly timestampMs: number
  readonly provenance: Pick<Provenance, "clockOffsetMs">
}

/** Event time on the service's clock. */
export const serviceTimeMs = ({ provenance, timestampMs }: Timed): number =>
  timestampMs + (provenance.clockOffsetMs ?? 0)

/** The age by which a value is judged. */
export const judgedAgeMs = (value: Timed, nowMs: number): number => Math.max(0, nowMs - serviceTimeMs(value))

/** The lateness of the newest value at the time `nowMs`. */
export const latenessOf = (value: Timed, nowMs: number): Lateness => latenessOfAge(judgedAgeMs(value, nowMs))

/**
 * The age of what a node senses, for a reader that need not share the service's clock.
 *
 * @param seenMs when the service received the record, by the service's clock
 * @param heldMs how long the reader has had the record
 */
export const heldAgeMs = (
  { seenMs, sensing }: { readonly seenMs: number; readonly sensing: Timed | null },
  heldMs: number,
): number => heldMs + (sensing === null ? 0 : judgedAgeMs(sensing, seenMs))
