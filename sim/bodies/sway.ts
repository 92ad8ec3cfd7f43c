/**
 * The sway of a body at rest: 3 to 8 mm rms between 0.1 and 1 Hz.
 *
 * Owns the slow wandering of the hips of a standing body, and a third of it in the trunk of a sitting body. The body leans about
 * its ankles as it sways.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import { stepS } from "./phase.ts"
import { channel, type Pose } from "./pose.ts"

const waves = 6
const lowestHz = 0.1
const highestHz = 1
const ankleToHipsM = 0.9
const fadeS = 0.4
const fadePerStep = 1 - Math.exp(-stepS / fadeS)

interface Sway {
  /** Moves the shares of standing and sitting sway one step towards the given ones. */
  readonly advance: (standing: number, sitting: number) => void
  /** Adds the sway of a time to a pose. */
  readonly add: (timeS: number, pose: Pose) => void
}

export const createSway = (random: Random): Sway => {
  const rmsM = uniformIn(random, 0.0035, 0.0075)
  const draw = (): {
    readonly amplitudes: Float64Array
    readonly rates: Float64Array
    readonly phases: Float64Array
  } => {
    const rates = Float64Array.from({ length: waves }, () => lowestHz * (highestHz / lowestHz) ** random.uniform())
    // Slower waves are larger, as in measured sway.
    const raw = rates.map((rate) => rate ** -0.5)
    const scale = rmsM / Math.sqrt(raw.reduce((sum, value) => sum + (value * value) / 2, 0) * 2)
    return {
      amplitudes: raw.map((value) => value * scale),
      rates: rates.map((rate) => 2 * Math.PI * rate),
      phases: Float64Array.from({ length: waves }, () => uniformIn(random, 0, 2 * Math.PI)),
    }
  }
  const [forward, aside] = [draw(), draw()]
  let standing = 0
  let sitting = 0

  const valueOf = ({ amplitudes, phases, rates }: ReturnType<typeof draw>, timeS: number): number => {
    let sum = 0
    for (let i = 0; i < waves; i++) sum += amplitudes[i]! * Math.sin(rates[i]! * timeS + phases[i]!)
    return sum
  }

  const advance = (wantedStanding: number, wantedSitting: number): void => {
    standing += (wantedStanding - standing) * fadePerStep
    sitting += (wantedSitting - sitting) * fadePerStep
  }

  const add = (timeS: number, pose: Pose): void => {
    if (standing < 1e-4 && sitting < 1e-4) return
    const along = valueOf(forward, timeS)
    const left = valueOf(aside, timeS)
    const c = Math.cos(pose[channel.yaw])
    const s = Math.sin(pose[channel.yaw])
    pose[channel.pelvisX] += standing * (c * along - s * left)
    pose[channel.pelvisY] += standing * (s * along + c * left)
    const lean = (standing + 0.33 * sitting) / ankleToHipsM
    pose[channel.spineForward] += lean * along
    pose[channel.spineLeft] += lean * left
  }
  return { advance, add }
}
