/**
 * Movements of one person as series of track samples: the height of the pelvis over time, with the noise of an estimator.
 *
 * Times and heights of the movements are those of the simulator's plan: a fall takes 0.45 to 1.0 s and accelerates to
 * the impact; deliberate movements start and end gently.
 */
import type { ActivityProbabilities, ActivityState, TrackSample } from "../../../core/activity/sample.ts"
import { activityStates } from "../../../core/activity/sample.ts"
import { createRandom } from "../../../sim/randomness/random.ts"

/** A part of a story: the activity, its duration, and the change of the pelvis' height. */
export interface Part {
  readonly seconds: number
  readonly state: ActivityState
  readonly toM: number
  /** Smooth by default; a fall accelerates, a jump is ballistic. */
  readonly how?: "gently" | "falling" | "jump"
  readonly speedMps?: number
}

const uprightM = 0.93
const hopS = 0.1
const circleM = 0.7

const heightAt = ({ how = "gently", toM }: Part, fromM: number, share: number): number => {
  if (how === "falling") return fromM + (toM - fromM) * share * share
  if (how === "jump") return fromM + 4 * 0.3 * share * (1 - share) + (toM - fromM) * share
  // Minimum jerk.
  return fromM + (toM - fromM) * (10 * share ** 3 - 15 * share ** 4 + 6 * share ** 5)
}

const probabilitiesOf = (state: ActivityState, sure: number): ActivityProbabilities =>
  Object.fromEntries(
    activityStates.map((each) => [each, each === state ? sure : (1 - sure) / (activityStates.length - 1)]),
  ) as unknown as ActivityProbabilities

export interface NoiseOptions {
  readonly seed: number
  /** Of the height, independent from hop to hop. */
  readonly heightSigmaM?: number
  /** Confidence of the estimator's activities; null: it reports none. */
  readonly sure?: number | null
  /** Whether heights are measured. */
  readonly heights?: boolean
  readonly trackId?: number
  readonly startS?: number
}

/** One sample in this many, as if the hops between them were left out. */
export const everyNth = <A>(samples: ReadonlyArray<A>, n: number): ReadonlyArray<A> =>
  samples.filter((_, i) => i % n === 0)

/** The samples of a story, ten a second. */
export const samplesOf = (parts: ReadonlyArray<Part>, options: NoiseOptions): ReadonlyArray<TrackSample> => {
  const { heightSigmaM = 0.08, heights = true, seed, startS = 0, sure = null, trackId = 1 } = options
  const random = createRandom(seed, "movement")
  const samples: Array<TrackSample> = []
  let fromM = parts[0]?.toM ?? uprightM
  let timeS = startS
  /** A walker moves on a small circle. */
  let turnRad = 0
  for (const part of parts) {
    const hops = Math.round(part.seconds / hopS)
    for (let hop = 1; hop <= hops; hop++) {
      timeS += hopS
      turnRad += (hopS * (part.speedMps ?? 0)) / circleM
      const heightM = heightAt(part, fromM, hop / hops) + heightSigmaM * random.normal()
      samples.push({
        trackId,
        timeS,
        place: {
          x: 2 + circleM * Math.cos(turnRad) + 0.05 * random.normal(),
          y: 3 + circleM * Math.sin(turnRad) + 0.05 * random.normal(),
        },
        placeSigmaM: 0.2,
        speedMps: Math.abs((part.speedMps ?? 0) + 0.1 * random.normal()),
        speedSigmaMps: 0.15,
        pelvis: heights ? { heightM, sigmaM: heightSigmaM } : null,
        vertical: null,
        activity: sure === null ? null : probabilitiesOf(part.state, sure),
        breathingSeen: null,
        existence: 0.95,
        left: false,
      })
    }
    fromM = part.toM
  }
  return samples
}

export const standing = (seconds: number): Part => ({ seconds, state: "standing", toM: uprightM })
export const walking = (seconds: number): Part => ({ seconds, state: "walking", toM: uprightM, speedMps: 1 })
export const lyingOnFloor = (seconds: number): Part => ({ seconds, state: "lying", toM: 0.15 })
export const fallOf = (seconds: number): Part => ({ seconds, state: "falling", toM: 0.15, how: "falling" })
export const getUp: Part = { seconds: 3, state: "standing", toM: uprightM }

/** Movements that are not falls, each after standing and with its continuation. */
export const hardNegatives: Record<string, ReadonlyArray<Part>> = {
  "sits down fast": [{ seconds: 0.9, state: "sitting", toM: 0.47 }, { seconds: 8, state: "sitting", toM: 0.47 }],
  "drops into a chair": [
    { seconds: 0.5, state: "sitting", toM: 0.47, how: "falling" },
    { seconds: 8, state: "sitting", toM: 0.47 },
  ],
  "lies down on the floor on purpose": [
    { seconds: 1.8, state: "lying", toM: 0.15 },
    { seconds: 8, state: "lying", toM: 0.15 },
  ],
  "picks something up": [
    { seconds: 0.8, state: "standing", toM: 0.4 },
    { seconds: 0.5, state: "standing", toM: 0.4 },
    { seconds: 0.9, state: "standing", toM: uprightM },
    standing(6),
  ],
  "kneels down": [{ seconds: 0.9, state: "sitting", toM: 0.45 }, { seconds: 8, state: "sitting", toM: 0.45 }],
  "jumps": [
    { seconds: 0.5, state: "standing", toM: uprightM, how: "jump" },
    { seconds: 0.3, state: "standing", toM: 0.75 },
    { seconds: 0.4, state: "standing", toM: uprightM },
    standing(6),
  ],
  "drops low and jumps up again": [
    { seconds: 0.5, state: "standing", toM: 0.25, how: "falling" },
    { seconds: 0.4, state: "standing", toM: 0.25 },
    { seconds: 0.5, state: "standing", toM: uprightM },
    standing(6),
  ],
  "lies down in bed": [{ seconds: 1.2, state: "lying", toM: 0.55 }, { seconds: 8, state: "lying", toM: 0.55 }],
}
