/**
 * The scenario of a plan's coverage: its room, bare, and one person who walks through every square of the floor.
 *
 * The radio is the simulator's: walls, noise and the errors of common hardware and of a survey with a tape measure. Furniture is not known, so
 * there is none.
 */
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { defaultSuite, randomScenario } from "../random-scenario/random-scenario.ts"
import type { Place } from "../rooms/floor-plan.ts"
import type { Scenario } from "../scenario/scenario.ts"

interface CoveragePlan extends SiteGeometry {
  /** Receive antennas of each board, 1 to 4. */
  readonly antennas: number
}

/** Approximate number of squares of a large floor. */
const squaresMax = 80
const wallDistanceM = 0.45
const doorInsetM = 0.6
/** Walking slows down at turns and at the door. */
const slownessShare = 1.35
const enteringS = 4

/** Edge of the squares whose errors are reported separately, metres. */
export const squareM = ([wide, deep]: SiteGeometry["size"]): number =>
  Math.max(1, Math.ceil(2 * Math.sqrt(wide * deep / squaresMax)) / 2)

const centres = (length: number, edgeM: number): ReadonlyArray<number> => {
  const count = Math.max(1, Math.round(length / edgeM))
  return Array.from(
    { length: count },
    (_, index) => Math.min(length - wallDistanceM, Math.max(wallDistanceM, (index + 0.5) * length / count)),
  )
}

/** The ends of lanes, there and back: once along the one axis, once along the other. */
const lanes = (size: SiteGeometry["size"]): ReadonlyArray<Place> => {
  const edgeM = squareM(size)
  const [xs, ys] = [centres(size[0], edgeM), centres(size[1], edgeM)]
  const alternating = <A>(list: ReadonlyArray<A>, index: number): ReadonlyArray<A> =>
    index % 2 === 0 ? list : [...list].reverse()
  return [
    ...ys.flatMap((y, index) => alternating([xs[0]!, xs.at(-1)!], index).map((x): Place => [x, y])),
    ...xs.flatMap((x, index) => alternating([ys[0]!, ys.at(-1)!], index).map((y): Place => [x, y])),
  ]
}

const lengthM = (path: ReadonlyArray<Place>): number =>
  path.slice(1).reduce((sum, [x, y], index) => sum + Math.hypot(x - path[index]![0], y - path[index]![1]), 0)

/** The scenario, and the seconds after its empty phase in which every square is walked through. */
export const coverageScenario = (
  { antennas, ...room }: CoveragePlan,
  seed: number,
): { readonly scenario: Scenario; readonly seconds: number } => {
  const options = { ...defaultSuite, rooms: [room], antennas, subcarriers: 8, packetRateHz: 50 }
  const drawn = randomScenario(options, seed)
  const path = lanes(room.size)
  const [place, door] = [[doorInsetM, 0] as const, drawn.doors[0]!]
  const steps = [
    { do: "enter", door: door.doorId } as const,
    ...path.map((to) => ({ do: "walk", to }) as const),
  ]
  const person = { ...drawn.persons[0]!, awaySeconds: 0, walkingSpeedMps: 1 }
  return {
    scenario: {
      ...drawn,
      rooms: [{ ...drawn.rooms[0]!, furniture: 0, seats: [], beds: [], obstacles: [] }],
      doors: [{ ...door, place }],
      persons: [{ ...person, behaviour: { kind: "script", steps, loop: true } }],
    },
    seconds: Math.ceil(lengthM([place, ...path]) * slownessShare + enteringS),
  }
}
