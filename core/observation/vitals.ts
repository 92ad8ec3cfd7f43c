/** The vital signs that an observation carries for one link. Boundary: `core/vitals` estimates them. */

/** Vital signs of the person that a link senses. Of each rate and its reason exactly one is null. */
export interface Vitals {
  readonly breathingRateBpm: number | null
  /** 0..1; one half at the weakest breath that is reported, 0 without a rate. */
  readonly breathingConfidence: number
  readonly breathingReason: string | null
  readonly heartRateBpm: number | null
  readonly heartReason: string | null
}
