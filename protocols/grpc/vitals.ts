/** Reads the message `wavepose.v1.Vitals`. */
import type { Vitals } from "../../core/observation/vitals.ts"
import type { wavepose } from "./generated/wavepose.js"

/** The vital signs of a message. A stored frame without vital signs gives no rates. */
export const vitalsOf = (message: wavepose.v1.Vitals.$Properties | null | undefined): Vitals => ({
  breathingRateBpm: message?.breathingRateBpm ?? null,
  breathingConfidence: message?.breathingConfidence ?? 0,
  breathingReason: message?.breathingReason ?? (message?.breathingRateBpm == null ? "not measured" : null),
  heartRateBpm: message?.heartRateBpm ?? null,
  heartReason: message?.heartReason ?? (message?.heartRateBpm == null ? "not measured" : null),
})
