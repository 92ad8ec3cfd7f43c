/**
 * The input of reports: sums of frames, and the values that follow from sums alone.
 *
 * A value is null without frames: no frames do not mean no persons. Nor do frames of a site that cannot count them.
 */

/** Duration of a frame: the hop of the estimator. Hops that were left out have no frame, so sums of time do not contain them. */
export const frameS = 0.1

/** Sums over the frames of one environment in a range. A person-frame is a person in a frame. */
export interface FrameSums {
  /** Minutes with frames. */
  readonly minutes: number
  readonly frames: number
  readonly framesLive: number
  readonly framesReplay: number
  readonly framesSimulated: number
  readonly personFrames: number
  /** Over the person-frames. */
  readonly confidenceSum: number
  readonly walking: number
  readonly standing: number
  readonly sitting: number
  readonly lying: number
  readonly falling: number
  readonly unknown: number
  /** Frames with no, one, two, three and more persons. A frame whose persons are not counted is in none. */
  readonly frames0: number
  readonly frames1: number
  readonly frames2: number
  readonly frames3: number
  readonly frames4Plus: number
  readonly processingMsSum: number
}

export interface EnvironmentSums extends FrameSums {
  readonly environmentId: string
  /** Maximum number of persons in a frame. */
  readonly personMax: number
}

export const noFrames: FrameSums = {
  minutes: 0,
  frames: 0,
  framesLive: 0,
  framesReplay: 0,
  framesSimulated: 0,
  personFrames: 0,
  confidenceSum: 0,
  walking: 0,
  standing: 0,
  sitting: 0,
  lying: 0,
  falling: 0,
  unknown: 0,
  frames0: 0,
  frames1: 0,
  frames2: 0,
  frames3: 0,
  frames4Plus: 0,
  processingMsSum: 0,
}

const names = Object.keys(noFrames) as ReadonlyArray<keyof FrameSums>

/** Adds the sums of several environments. */
export const together = (environments: ReadonlyArray<FrameSums>): FrameSums =>
  Object.fromEntries(
    names.map((name) => [name, environments.reduce((sum, of) => sum + of[name], 0)]),
  ) as Record<keyof FrameSums, number>

/** Share of a part in a whole; null if the whole is 0. */
export const ratio = (part: number, whole: number): number | null => whole === 0 ? null : part / whole

/** Frames whose persons are counted. */
export const countedFrames = ({ frames0, frames1, frames2, frames3, frames4Plus }: FrameSums): number =>
  frames0 + frames1 + frames2 + frames3 + frames4Plus

/** Mean number of persons: the sum over the environments of each one's mean over its own frames that count persons. */
export const averageOccupancy = (environments: ReadonlyArray<FrameSums>): number | null => {
  const counting = environments.filter((sums) => countedFrames(sums) > 0)
  return counting.length === 0 ? null : counting.reduce((sum, of) => sum + of.personFrames / countedFrames(of), 0)
}

/** The sources of a report's frames, and the share of each; null without frames. */
export interface Origins {
  readonly frames: number
  readonly live: number | null
  readonly replay: number | null
  readonly simulated: number | null
}

export const originsOf = ({ frames, framesLive, framesReplay, framesSimulated }: FrameSums): Origins => ({
  frames,
  live: ratio(framesLive, frames),
  replay: ratio(framesReplay, frames),
  simulated: ratio(framesSimulated, frames),
})

/** Duration of person-frames, minutes. */
export const personMinutes = (personFrames: number): number => personFrames * frameS / 60
