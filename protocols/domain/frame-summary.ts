/**
 * The summary of a frame: the values that queries need without decoding stored frames. It is computed once, with the frame, and stored in
 * columns beside the encoded frame.
 */
import { Schema } from "effect"
import { Activity, type PoseFrame } from "./pose.ts"
import { Source } from "./provenance.ts"

/** The activities, in the order of the stored columns. */
export const activities = Activity.literals

export const FrameSummary = Schema.Struct({
  /** Null: the site did not support counting persons, which is not the same as 0. */
  personCount: Schema.NullOr(Schema.Int),
  /** Mean over the persons, 0..1; null without persons. */
  confidence: Schema.NullOr(Schema.Number),
  /** Number of persons by activity. */
  activities: Schema.Record(Activity, Schema.Int),
  /** Whether somebody is present; null: no statement. */
  present: Schema.NullOr(Schema.Boolean),
  /** 0..1; null if the signal does not support it. */
  motion: Schema.NullOr(Schema.Number),
  processingMs: Schema.Number,
  source: Source,
})
export type FrameSummary = typeof FrameSummary.Type

/** The fields of a frame that a summary uses. */
type Summarised = Pick<
  PoseFrame,
  "capabilities" | "motion" | "persons" | "presence" | "processingTimeMs" | "provenance"
>

export const summaryOf = (frame: Summarised): FrameSummary => {
  const { capabilities, motion, persons, presence, processingTimeMs, provenance } = frame
  const counts: Record<Activity, number> = { walking: 0, standing: 0, sitting: 0, lying: 0, falling: 0, unknown: 0 }
  for (const { activity } of persons) counts[activity]++
  return {
    personCount: persons.length > 0 || capabilities.includes("count") ? persons.length : null,
    confidence: persons.length === 0
      ? null
      : persons.reduce((sum, { confidence }) => sum + confidence, 0) / persons.length,
    activities: counts,
    present: presence.present,
    motion,
    processingMs: processingTimeMs,
    source: provenance.source,
  }
}
