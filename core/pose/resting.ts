/**
 * A person at rest: nobody lies down without motion.
 *
 * Without motion the signal has no news of a posture, and what the network's memory makes of noise adds up: within seconds a person on a
 * sofa becomes one who lies. So the memory stays as it is after a while. Before that, a pelvis that goes down, or lying that begins, is
 * an error of this kind, and the memory returns to what it was when the person came to rest. So it does if lying begins in a fidget, a
 * motion too short for lying down. Other postures may change: the network corrects itself by them. A person too weak to be
 * detected is not at rest while most links have motion that nobody explains. Boundary: motion is detected in `core/imaging`; the falls of
 * `core/activity` are motions, and change postures.
 */

/** Time without detected motion after which a person is at rest. */
const restsAfterS = 0.5
/** Time without motion during which the network may still settle. */
const settlesUntilS = 3
/** Shorter motions are fidgets: sitting and lying down take a second or more. */
const changeMinS = 1
/** A pelvis that is lower by this has gone down; without motion, this is an error, after a short motion, a fall. */
const descentMinM = 0.2
/** Probability of lying or falling from which a posture is low. */
const lowMin = 0.5

/** What the network remembers of a person, and what it then says of the posture. */
interface Said {
  readonly values: Float32Array
  readonly pelvisM: number
  /** Probability of lying or falling. */
  readonly low: number
}

export interface Rest {
  /** As the person came to rest; null before the first rest. */
  readonly held: Said | null
  /** Age of the track when the motion began that is not yet followed by rest; null at rest. */
  readonly movesFromS: number | null
  /** Whether `held` is kept until the next motion. */
  readonly isKept: boolean
}

export const noRest: Rest = { held: null, movesFromS: null, isKept: false }

interface Moment extends Said {
  /** Time since the last detected motion. */
  readonly restsS: number
  /** Age of the track. */
  readonly ageS: number
}

interface Remembered {
  readonly rest: Rest
  /** What the network is to remember. */
  readonly values: Float32Array
}

const keeping = (held: Said): Remembered => ({ rest: { held, movesFromS: null, isKept: true }, values: held.values })

const beginsToLie = (held: Said, now: Said): boolean => now.low > lowMin && held.low <= lowMin
const descends = (held: Said, now: Said): boolean => held.pelvisM - now.pelvisM > descentMinM

/** The memory of a person who comes to rest after a motion. */
const comesToRest = (held: Said | null, motionS: number, now: Said, last: Float32Array): Remembered =>
  held !== null && motionS < changeMinS && beginsToLie(held, now) && !descends(held, now)
    ? keeping(held)
    // The network said it with this memory.
    : { rest: { held: { ...now, values: last }, movesFromS: null, isKept: false }, values: now.values }

/**
 * What a person's memory becomes after a hop.
 *
 * @param last the memory that the network got in this hop
 */
export const rememberedOf = (before: Rest, last: Float32Array, { ageS, restsS, ...said }: Moment): Remembered => {
  const { held, isKept, movesFromS } = before
  const motionEndsS = ageS - restsS
  if (restsS <= restsAfterS) {
    return { rest: { held, movesFromS: movesFromS ?? motionEndsS, isKept: false }, values: said.values }
  }
  const now = restsS > settlesUntilS ? { ...said, values: last } : said
  if (held === null || movesFromS !== null) {
    return comesToRest(held, motionEndsS - (movesFromS ?? motionEndsS), now, last)
  }
  if (isKept) return { rest: before, values: last }
  if (restsS > settlesUntilS) return keeping({ ...held, values: last })
  return beginsToLie(held, now) || descends(held, now) ? keeping(held) : { rest: before, values: now.values }
}
