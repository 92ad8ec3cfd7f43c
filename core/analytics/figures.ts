/**
 * What reports are made from: sums of frames, and the figures that follow from sums alone.
 *
 * A figure is null where nothing was looked at: no frames are not the same as nobody there.
 */

/** A frame stands for this time: the hop of the estimator. */
export const frameS = 0.1

/** Sums over the frames of one environment in a range. A person-frame is a person in a frame. */
export interface FrameSums {
  /** Minutes that hold frames. */
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
  readonly frames0: number
  readonly frames1: number
  readonly frames2: number
  readonly frames3: number
  readonly frames4Plus: number
  readonly processingMsSum: number
}

export interface EnvironmentSums extends FrameSums {
  readonly environmentId: string
  /** The most persons in a frame. */
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

/** The sums of several environments together. */
export const together = (environments: ReadonlyArray<FrameSums>): FrameSums =>
  Object.fromEntries(
    names.map((name) => [name, environments.reduce((sum, of) => sum + of[name], 0)]),
  ) as unknown as FrameSums

/** A part of a whole; null of nothing. */
export const ratio = (part: number, whole: number): number | null => whole === 0 ? null : part / whole

/** Mean number of persons: of each environment over its own frames, and these added up. */
export const averageOccupancy = (environments: ReadonlyArray<FrameSums>): number | null => {
  const seen = environments.filter(({ frames }) => frames > 0)
  return seen.length === 0 ? null : seen.reduce((sum, of) => sum + of.personFrames / of.frames, 0)
}

/** From which sources the frames of a report come; shares of them, null without any. */
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

/** Minutes that so many person-frames stand for. */
export const personMinutes = (personFrames: number): number => personFrames * frameS / 60
