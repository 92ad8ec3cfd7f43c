/**
 * A person at rest: nobody lies down without motion.
 *
 * Without motion the signal contains no information about the posture, and the memory of the network accumulates noise: within seconds, a
 * person who sits on a sofa is estimated to lie. So the memory is frozen `settlesUntilS` after the last motion. Before that, a descent of the
 * pelvis, or the beginning of lying, is an error of this kind, and the memory is reset to its value at the beginning of the rest. The same
 * applies if lying begins in a fidget, a motion that is too short for lying down. Other postures may change, because such changes are often
 * corrections. A person whose echoes are too weak to be detected is not at rest while most links have motion that no detection explains.
 * Boundary: motion is detected in `core/imaging`; falls (`core/activity`) are motions and change postures.
 */

/** Time without detected motion after which a person is at rest. */
const restsAfterS = 0.5
/** Time without motion during which the network may still settle. */
const settlesUntilS = 3
/** Shorter motions are fidgets: sitting and lying down take a second or more. */
const changeMinS = 1
/** Minimum descent of the pelvis: without motion it is an error, after a short motion a fall. */
const descentMinM = 0.2
/** Minimum probability of lying or falling of a low posture. */
const lowMin = 0.5

/** The memory of the network about a person after a hop, and its estimate of the posture. */
interface PostureMemory {
  readonly values: Float32Array
  readonly pelvisM: number
  /** Probability of lying or falling. */
  readonly low: number
}

export interface Rest {
  /** The state when the person came to rest; null before the first rest. */
  readonly held: PostureMemory | null
  /** Age of the track at the beginning of the current motion; null at rest. */
  readonly movesFromS: number | null
  /** Whether `held` is kept until the next motion. */
  readonly isKept: boolean
}

export const noRest: Rest = { held: null, movesFromS: null, isKept: false }

interface Moment extends PostureMemory {
  /** Time since the last detected motion. */
  readonly restsS: number
  /** Age of the track. */
  readonly ageS: number
}

interface Remembered {
  readonly rest: Rest
  /** The memory that the network gets in the next hop. */
  readonly values: Float32Array
}

const keeping = (held: PostureMemory): Remembered => ({
  rest: { held, movesFromS: null, isKept: true },
  values: held.values,
})

const beginsToLie = (held: PostureMemory, now: PostureMemory): boolean => now.low > lowMin && held.low <= lowMin
const descends = (held: PostureMemory, now: PostureMemory): boolean => held.pelvisM - now.pelvisM > descentMinM

/** The memory of a person who comes to rest after a motion. */
const comesToRest = (
  held: PostureMemory | null,
  motionS: number,
  now: PostureMemory,
  last: Float32Array,
): Remembered =>
  held !== null && motionS < changeMinS && beginsToLie(held, now) && !descends(held, now)
    ? keeping(held)
    // The network estimated this posture with the memory `last`.
    : { rest: { held: { ...now, values: last }, movesFromS: null, isKept: false }, values: now.values }

/**
 * The memory of a person after a hop.
 *
 * @param last the memory that the network got in this hop
 */
export const rememberedOf = (before: Rest, last: Float32Array, { ageS, restsS, ...current }: Moment): Remembered => {
  const { held, isKept, movesFromS } = before
  const motionEndsS = ageS - restsS
  if (restsS <= restsAfterS) {
    return { rest: { held, movesFromS: movesFromS ?? motionEndsS, isKept: false }, values: current.values }
  }
  const now = restsS > settlesUntilS ? { ...current, values: last } : current
  if (held === null || movesFromS !== null) {
    return comesToRest(held, motionEndsS - (movesFromS ?? motionEndsS), now, last)
  }
  if (isKept) return { rest: before, values: last }
  if (restsS > settlesUntilS) return keeping({ ...held, values: last })
  return beginsToLie(held, now) || descends(held, now) ? keeping(held) : { rest: before, values: now.values }
}
