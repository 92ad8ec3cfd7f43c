/** Vital signs as the tests need them. */
import fc from "fast-check"
import type { Vitals } from "../../core/observation/vitals.ts"

export const noVitals: Vitals = {
  breathingRateBpm: null,
  breathingConfidence: 0,
  breathingReason: "not enough data yet",
  heartRateBpm: null,
  heartReason: "not enough data yet",
}

/** A rate or a reason, never both. */
const rate = fc.oneof(
  fc.record({ rate: fc.double({ noNaN: true }), reason: fc.constant(null) }),
  fc.record({ rate: fc.constant(null), reason: fc.string() }),
)

export const vitals: fc.Arbitrary<Vitals> = fc.tuple(rate, rate, fc.double({ noNaN: true })).map((
  [breathing, heart, confidence],
) => ({
  breathingRateBpm: breathing.rate,
  breathingConfidence: confidence,
  breathingReason: breathing.reason,
  heartRateBpm: heart.rate,
  heartReason: heart.reason,
}))
