/**
 * Fixtures: moving objects that are not persons: fans, pets and door leaves.
 *
 * Each writes the scatterers of a mover for the radio. All motion is continuous in time; times never decrease. Boundary: persons are
 * in `sim/bodies`.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import type { Mover } from "../radio/mover.ts"
import { type Random, uniformIn } from "../randomness/random.ts"

export interface Fixture {
  readonly mover: Mover
  /** Moves to `timeS` and writes the mover's points. */
  readonly at: (timeS: number) => void
}

/** A mover of equal scatterers that shadows nothing. */
const createMover = (points: number, rcsM2: number): Mover => ({
  rcsM2: new Float64Array(points).fill(rcsM2 / points),
  points: new Float64Array(3 * points),
  shadow: null,
  aspect: null,
  headingRad: 0,
  solids: null,
  attenuationDb: 0,
})

interface FanDescription {
  readonly position: Vector3
  /** `ceiling`: blades turn in a horizontal circle. `standing`: in a vertical circle that faces `headingRad`. */
  readonly kind: "ceiling" | "standing"
  readonly radiusM: number
  readonly blades: number
  readonly turnsPerSecond: number
  readonly headingRad: number
  /** Swing of a standing fan to each side (0: none), and the period of a swing. */
  readonly swingRad: number
  readonly swingSeconds: number
  /** All blades together, on average over a turn. */
  readonly rcsM2: number
}

/** Scatterers along a blade, as fractions of its length. */
const alongBlade = [0.5, 0.95] as const
/** Largest bend of a blade out of the plane, and largest difference in strength from the mean (Np of power). */
const bendM = 0.008
const unlikeNp = 0.3
/** Mains and friction make the rate of a fan wander by half a percent: periods in seconds, and the share of each. */
const wander = [{ periodS: 7.3, share: 0.004 }, { periodS: 11.9, share: 0.004 }, { periodS: 29, share: 0.004 }] as const
/** Echo amplitude of a blade over its angle, and the mean of its square over a turn. */
const flash = (angle: number): number => 0.3 + 0.7 * Math.cos(angle) ** 4
const flashMean = 0.3 ** 2 + 2 * 0.3 * 0.7 * (3 / 8) + 0.7 ** 2 * (35 / 128)
/** Initial phase of blades and wander, derived from the position so that fans differ. */
const ownPhase = ([x, y, z]: Vector3): number => 2 * Math.PI * (x * 7.31 + y * 11.07 + z * 3.77)

/** A fan. Blades differ, each flashes as it turns, and the rate wanders, which gives realistic lines in a spectrum. */
export const createFan = (fan: FanDescription): Fixture => {
  const mover = createMover(fan.blades * alongBlade.length, fan.rcsM2)
  const own = ownPhase(fan.position)
  const turnsAt = (timeS: number): number =>
    fan.turnsPerSecond * wander.reduce(
      (sum, { periodS, share }) =>
        sum + share * (periodS / (2 * Math.PI)) * Math.sin((2 * Math.PI * timeS) / periodS + own * periodS),
      timeS,
    )
  const at = (timeS: number): void => {
    const swing = fan.swingRad > 0 ? fan.swingRad * Math.sin((2 * Math.PI * timeS) / fan.swingSeconds) : 0
    const heading = fan.headingRad + swing
    const level = fan.kind === "ceiling"
    const turns = turnsAt(timeS)
    for (let blade = 0, point = 0; blade < fan.blades; blade++) {
      const angle = 2 * Math.PI * (turns + blade / fan.blades)
      const bend = bendM * Math.sin(own + 2.4 * blade)
      const strength = Math.exp(unlikeNp * Math.cos(own + 2.4 * blade)) * flash(angle - own) ** 2 / flashMean
      for (const part of alongBlade) {
        const aside = part * fan.radiusM * Math.cos(angle)
        const other = part * fan.radiusM * Math.sin(angle)
        mover.rcsM2[point] = (strength * fan.rcsM2) / mover.rcsM2.length
        mover.points[3 * point] = fan.position[0] +
          (level ? aside : bend * Math.cos(heading) - aside * Math.sin(heading))
        mover.points[3 * point + 1] = fan.position[1] +
          (level ? other : bend * Math.sin(heading) + aside * Math.cos(heading))
        mover.points[3 * point + 2] = fan.position[2] + (level ? bend : other)
        point++
      }
    }
  }
  at(0)
  return { mover, at }
}

/** 10 t^3 - 15 t^4 + 6 t^5: the motion of minimum jerk from rest at 0 to rest at 1. */
const minimumJerk = (t: number): number => t * t * t * (10 - 15 * t + 6 * t * t)

interface DoorLeafDescription {
  /** Hinge on the floor plan, and direction of the closed leaf from it. */
  readonly hinge: readonly [x: number, y: number]
  readonly closedRad: number
  /** Angle from closed to open; negative opens clockwise. */
  readonly openRad: number
  readonly widthM: number
  readonly heightM: number
  readonly rcsM2: number
  /** Times at which the door begins to open or close, ascending; initially closed. Each move takes `moveSeconds`. */
  readonly movesS: ReadonlyArray<number>
  readonly moveSeconds: number
}

/** Scatterers on a leaf, as fractions of its width and height. */
const onLeaf = [[0.3, 0.3], [0.3, 0.75], [0.8, 0.3], [0.8, 0.75]] as const

export const createDoorLeaf = (door: DoorLeafDescription): Fixture => {
  const mover = createMover(onLeaf.length, door.rcsM2)
  const at = (timeS: number): void => {
    let open = 0
    door.movesS.forEach((startS, move) => {
      const done = minimumJerk(Math.min(1, Math.max(0, (timeS - startS) / door.moveSeconds)))
      open += move % 2 === 0 ? done : -done
    })
    const angle = door.closedRad + open * door.openRad
    onLeaf.forEach(([across, up], i) => {
      mover.points[3 * i] = door.hinge[0] + across * door.widthM * Math.cos(angle)
      mover.points[3 * i + 1] = door.hinge[1] + across * door.widthM * Math.sin(angle)
      mover.points[3 * i + 2] = up * door.heightM
    })
  }
  at(0)
  return { mover, at }
}

interface PetDescription {
  /** Floor area of the pet: x from, x to, y from, y to. */
  readonly area: readonly [xFrom: number, xTo: number, yFrom: number, yTo: number]
  /** Cross section of the whole animal, 0.02 to 0.05 m^2, and its height. */
  readonly rcsM2: number
  readonly heightM: number
  readonly speedMps: number
  /** Share of the time that it lies and sleeps. */
  readonly sleepShare: number
}

/** Points of a pet: rump, shoulders and head along its heading, as fractions of its height. */
const petShape = [[-0.6, 0.7], [0.5, 0.7], [1, 1]] as const
const petBreathHz = 0.4
const petBreathM = 0.002

/** One stay and the walk to the next place. */
interface PetLeg {
  readonly startS: number
  readonly leaveS: number
  readonly arriveS: number
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly sleeps: boolean
}

/** The next stay and walk. The duration of sleeps makes the pet sleep `sleepShare` of the time on average. */
const nextPetLeg = (pet: PetDescription, before: PetLeg | null, random: Random): PetLeg => {
  const [xFrom, xTo, yFrom, yTo] = pet.area
  const place = (): readonly [number, number] => [uniformIn(random, xFrom, xTo), uniformIn(random, yFrom, yTo)]
  const from = before?.to ?? place()
  const to = place()
  const walkS = Math.max(1, Math.hypot(to[0] - from[0], to[1] - from[1]) / pet.speedMps)
  const awakeS = uniformIn(random, 0.5, 8)
  const sleeps = random.uniform() < 0.3
  // Three of ten stays are sleeps; each compensates for the average time awake.
  const share = Math.min(0.95, pet.sleepShare)
  const stayS = sleeps ? ((awakeS + walkS) * share) / (0.3 * (1 - share)) : awakeS
  const startS = before?.arriveS ?? 0
  return { startS, leaveS: startS + stayS, arriveS: startS + stayS + walkS, from, to, sleeps }
}

export const createPet = (pet: PetDescription, random: Random): Fixture => {
  const mover = createMover(petShape.length, pet.rcsM2)
  let leg = nextPetLeg(pet, null, random)
  let facingRad = 0
  const at = (timeS: number): void => {
    while (timeS >= leg.arriveS) {
      facingRad = Math.atan2(leg.to[1] - leg.from[1], leg.to[0] - leg.from[0])
      leg = nextPetLeg(pet, leg, random)
    }
    const part = (timeS - leg.leaveS) / (leg.arriveS - leg.leaveS)
    const done = minimumJerk(Math.max(0, part))
    const x = leg.from[0] + done * (leg.to[0] - leg.from[0])
    const y = leg.from[1] + done * (leg.to[1] - leg.from[1])
    // In the last second before it leaves, it turns towards its destination, the shorter way.
    const wanted = Math.atan2(leg.to[1] - leg.from[1], leg.to[0] - leg.from[0])
    const turn = wanted - facingRad - 2 * Math.PI * Math.round((wanted - facingRad) / (2 * Math.PI))
    const turnS = Math.min(1, leg.leaveS - leg.startS)
    const heading = facingRad + turn * minimumJerk(Math.min(1, Math.max(0, 1 + (timeS - leg.leaveS) / turnS)))
    const stayed = (timeS - leg.startS) / (leg.leaveS - leg.startS)
    const down = leg.sleeps && stayed < 1 ? minimumJerk(Math.min(1, 8 * stayed, 8 * (1 - stayed))) : 0
    const breath = petBreathM * Math.sin(2 * Math.PI * petBreathHz * timeS)
    petShape.forEach(([forward, up], i) => {
      mover.points[3 * i] = x + forward * pet.heightM * Math.cos(heading)
      mover.points[3 * i + 1] = y + forward * pet.heightM * Math.sin(heading)
      mover.points[3 * i + 2] = up * pet.heightM * (1 - 0.6 * down) + (i === 1 ? breath : 0)
    })
  }
  at(0)
  return { mover, at }
}
