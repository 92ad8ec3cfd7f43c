/**
 * The summary of a frame: what is asked of stored frames without reading them. It is made once, by whoever makes the frame, and kept in
 * columns beside the encoded frame.
 */
import { Schema } from "effect"
import { Activity, type PoseFrame } from "./pose.ts"
import { Source } from "./provenance.ts"

/** What persons can do, in the order in which it is stored. */
export const activities = Activity.literals

export const FrameSummary = Schema.Struct({
  personCount: Schema.Int,
  /** Mean over the persons, 0..1; null without persons. */
  confidence: Schema.NullOr(Schema.Number),
  /** Persons by what they do. */
  activities: Schema.Record(Activity, Schema.Int),
  processingMs: Schema.Number,
  source: Source,
})
export type FrameSummary = typeof FrameSummary.Type

/** What a summary is made of. */
type Summarised = Pick<PoseFrame, "persons" | "processingTimeMs" | "provenance">

export const summaryOf = ({ persons, processingTimeMs, provenance }: Summarised): FrameSummary => {
  const counts: Record<Activity, number> = { walking: 0, standing: 0, sitting: 0, lying: 0, falling: 0, unknown: 0 }
  for (const { activity } of persons) counts[activity]++
  return {
    personCount: persons.length,
    confidence: persons.length === 0
      ? null
      : persons.reduce((sum, { confidence }) => sum + confidence, 0) / persons.length,
    activities: counts,
    processingMs: processingTimeMs,
    source: provenance.source,
  }
}
