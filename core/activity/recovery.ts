/**
 * Recovery from a fall: detects when a person who lay low is up again for a minimum time.
 *
 * By the height of the pelvis where it is measured, else by the activity. Sitting up on the floor is not a recovery;
 * reaching a chair is.
 */
import { meanHeightM } from "./descent.ts"
import { createLatch } from "./hysteresis.ts"
import type { ActivityLabel, TrackSample } from "./sample.ts"

export interface RecoveryWatch {
  /** When the person got up; null before that. */
  readonly step: (sample: TrackSample, label: ActivityLabel) => number | null
}

/** The height is the mean over this time. */
const windowS = 1
/** Height of the pelvis above that of a low-lying person: a low chair. */
const aboveLowM = 0.15
/** Minimum time that a person is up. */
const upS = 1.5

/** @param lowMMax height of the pelvis at which a person lies low (`FallThresholds`) */
export const createRecoveryWatch = (lowMMax: number): RecoveryWatch => {
  const latch = createLatch({ onS: upS, offS: upS })
  let recent: ReadonlyArray<TrackSample> = []
  return {
    step: (sample, label) => {
      recent = [...recent.filter(({ timeS }) => sample.timeS - timeS <= windowS), sample]
      const heightM = meanHeightM(recent)
      const up = heightM === null ? label === "walking" || label === "standing" : heightM >= lowMMax + aboveLowM
      const { on, sinceS } = latch.step(sample.timeS, up)
      return on ? sinceS : null
    },
  }
}
