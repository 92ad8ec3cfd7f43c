/**
 * Gaps of CSI in event time. What was seen before a gap is no evidence of what goes on after it.
 *
 * Owns the two lengths that count. After a pause, evidence that must last counts anew. After a silence, nobody is reported without new evidence.
 */
import { hopUs } from "./observation.ts"

/** The longest gap over which evidence adds up: 2 s. */
const pauseHopsMax = 20
/** The longest gap that presence and tracks survive: 6 s, the time after which a track ends by default. */
export const silenceHopsMax = 60

type Gap = "none" | "pause" | "silence"

interface GapWatch {
  /** Takes the end of a hop with CSI; returns the gap before it. The time before the first hop is a silence. */
  readonly step: (timeS: number) => Gap
}

export const createGapWatch = (): GapWatch => {
  let lastS = -Infinity
  return {
    step: (timeS) => {
      const missingHops = Math.round((1e6 * (timeS - lastS)) / hopUs) - 1
      lastS = timeS
      return missingHops > silenceHopsMax ? "silence" : missingHops > pauseHopsMax ? "pause" : "none"
    },
  }
}
