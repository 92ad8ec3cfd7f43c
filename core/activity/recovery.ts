/**
 * Getting up after a fall: when a person who lay low is up again, for long enough to believe it.
 *
 * By the height of the pelvis where it is measured, else by what the person does. Sitting up on the floor is no recovery; reaching a
 * chair is.
 */
import { meanHeightM } from "./descent.ts"
import { createLatch } from "./hysteresis.ts"
import type { ActivityLabel, TrackSample } from "./sample.ts"

export interface RecoveryWatch {
  /** When the person began to be up; null while not. */
  readonly step: (sample: TrackSample, label: ActivityLabel) => number | null
}

/** The height is the mean over this time. */
const windowS = 1
/** The pelvis is this much above the height of who lies low: a low chair. */
const aboveLowM = 0.15
/** How long a person has to be up. */
const upS = 1.5

/** @param lowMMax height of the pelvis at which a person lies low (`FallThresholds`). */
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
