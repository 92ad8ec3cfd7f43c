/**
 * The source of a value and its certainty. Every frame, record, event and alert has one.
 */
import { Schema } from "effect"

export const Source = Schema.Literals(["live", "replay", "simulated"])
export type Source = typeof Source.Type

/** Origin of a frame. Its age is computed when it is answered, from `PoseFrame.timestampMs`. */
export const Provenance = Schema.Struct({
  source: Source,
  /** The static response of every link used comes from a timed calibration of the empty room. */
  calibrated: Schema.Boolean,
  /** Names the estimator; `mean-skeleton` if only the location is measured and the pose is the mean body. */
  modelVersion: Schema.String,
  linksUsed: Schema.Int,
  /**
   * Add this to event time to get the service's time: the source's clock is behind by so much. Absent: 0. Only
   * lateness uses it (`lateness.ts`).
   */
  clockOffsetMs: Schema.optionalKey(Schema.Number),
})
export type Provenance = typeof Provenance.Type

/** It as JSON, where no age is stated. */
export const provenanceJson = ({ calibrated, linksUsed, modelVersion, source }: Provenance) => ({
  source,
  calibrated,
  model_version: modelVersion,
  links_used: linksUsed,
})

/** Whether a person is present. `present` is null if the signal does not support a decision, with the reason beside it. */
export const Presence = Schema.Struct({
  present: Schema.NullOr(Schema.Boolean),
  confidence: Schema.Number,
  reason: Schema.NullOr(Schema.String),
})
export type Presence = typeof Presence.Type
