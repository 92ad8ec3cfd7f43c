/** Reads the message `wavepose.internal.v1.Vitals` or `wavepose.v1.EdgeVitals`, which are the same. */
import type { Vitals } from "../../core/observation/vitals.ts"
import type { wavepose } from "./generated/wavepose.js"

/** The vital signs of a message. A stored frame without vital signs gives no rates. */
export const vitalsOf = (
  message: wavepose.internal.v1.Vitals.$Properties | wavepose.v1.EdgeVitals.$Properties | null | undefined,
): Vitals => ({
  breathingRateBpm: message?.breathingRateBpm ?? null,
  breathingConfidence: message?.breathingConfidence ?? 0,
  breathingReason: message?.breathingReason ?? (message?.breathingRateBpm == null ? "not measured" : null),
  heartRateBpm: message?.heartRateBpm ?? null,
  heartReason: message?.heartReason ?? (message?.heartRateBpm == null ? "not measured" : null),
})
