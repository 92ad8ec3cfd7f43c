/**
 * The persons of a simulation, as the rooms' radios see them and as they are in truth.
 *
 * Owns who is where. Nobody is there before the empty phase is over; then each person's own time begins, later by what the person
 * stays away. Whose time begins later than the simulation comes in through a door; the others are somewhere in the home at once.
 * Boundary: what persons do is in `sim/bodies`.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { scatterers } from "../bodies/body.ts"
import { type FloorPlan, type FloorRoom, isWithin, type Place } from "../bodies/floor-plan.ts"
import { createOccupancy, type Occupancy } from "../bodies/occupancy.ts"
import { createPerson, type Person, type PersonDescription, type PersonState } from "../bodies/person.ts"
import { createAspect } from "../radio/aspect.ts"
import type { Mover } from "../radio/mover.ts"
import { createRandom, type Random } from "../random.ts"
import type { Room } from "../scenario/rooms.ts"
import type { Scenario } from "../scenario.ts"
import { type BodyMover, createBodyMover } from "./body-mover.ts"
import { floorPlanOf } from "./home.ts"
import type { PersonTruth } from "./truth.ts"

export interface Inhabitants {
  /** Moves everyone to a time, seconds of the simulation; it never decreases. */
  readonly moveTo: (timeS: number) => void
  /** Those who are in the home or at its door, as the radio of a room sees them; valid until the next call for that room. */
  readonly moversIn: (room: number) => ReadonlyArray<Mover>
  readonly truth: () => ReadonlyArray<PersonTruth>
}

interface Inhabitant {
  readonly person: Person
  /** When its own time begins, seconds of the simulation. */
  readonly comesS: number
  /** The body in each room's frame. */
  readonly movers: ReadonlyArray<BodyMover>
  /** Null before it comes. */
  state: PersonState | null
}

/** Who stands in a doorway still counts to a room so near. */
const doorwayM = 0.2
/** Rooms no further apart than this share a wall. */
const sharedWallM = 0.4
/** What one leg loses beside the walls of the radio's own room, on its way to a room that is no neighbour. */
const furtherWallsDb = 8

/** A home in which nobody finds a place until it is opened: who is born then has to come in from outside. */
const createClosedHome = (home: Occupancy): { readonly occupancy: Occupancy; readonly open: () => void } => {
  let closed = true
  return {
    occupancy: { ...home, isTaken: (...asked) => closed || home.isTaken(...asked) },
    open: () => {
      closed = false
    },
  }
}

const createInhabitant = (
  scenario: Scenario,
  description: PersonDescription & { readonly awaySeconds: number },
  floor: FloorPlan,
  home: Occupancy,
  random: Random,
): { readonly person: Person; readonly comesS: number } => {
  const comesS = scenario.emptySeconds + description.awaySeconds
  const { occupancy, open } = createClosedHome(home)
  if (comesS === 0) open()
  const person = createPerson(description, floor, random, occupancy)
  open()
  return { person, comesS }
}

const createInhabitantList = (scenario: Scenario, floor: FloorPlan): ReadonlyArray<Inhabitant> => {
  const home = createOccupancy()
  return scenario.persons.map((description, i) => {
    const aspect = createAspect(scatterers.length, createRandom(scenario.seed, `aspect ${i}`))
    return {
      ...createInhabitant(scenario, description, floor, home, createRandom(scenario.seed, `person ${i}`)),
      movers: scenario.rooms.map(({ origin }) => createBodyMover(description.girth, aspect, origin)),
      state: null,
    }
  })
}

/** The room that a place of the home counts to, as an index; null outside. */
const roomIndexAt = (floor: FloorPlan, x: number, y: number): number | null => {
  const within = (marginM: number) => floor.rooms.findIndex((room) => isWithin([x, y], room, marginM))
  const inside = within(1e-9)
  if (inside >= 0) return inside
  const near = within(doorwayM)
  return near < 0 ? null : near
}

const gapM = (a: FloorRoom, b: FloorRoom): number =>
  Math.max(...[0, 1].map((axis) => Math.max(a.low[axis]!, b.low[axis]!) - Math.min(a.high[axis]!, b.high[axis]!)))

/** Attenuation, beside the listening room's own walls, by the room where somebody is: [room where][room that listens]. */
const attenuationsDb = ({ rooms }: FloorPlan): ReadonlyArray<ReadonlyArray<number>> =>
  rooms.map((there) => rooms.map((here) => here === there || gapM(here, there) <= sharedWallM ? 0 : furtherWallsDb))

const keypointsIn = (keypoints: Float64Array, [originX, originY]: Place): ReadonlyArray<Vector3> =>
  Array.from(
    { length: keypoints.length / 3 },
    (_, i): Vector3 => [keypoints[3 * i]! - originX, keypoints[3 * i + 1]! - originY, keypoints[3 * i + 2]!],
  )

const absent = (person: number): PersonTruth => ({
  person,
  environmentId: null,
  activity: null,
  location: null,
  headingRad: 0,
  speedMps: 0,
  keypoints: [],
  fallImpactUs: null,
  breathingBpm: null,
  heartBpm: null,
})

const presentTruth = (
  index: number,
  { comesS, person }: Inhabitant,
  state: PersonState,
  { environmentId, origin }: Room,
  startUs: number,
): PersonTruth => ({
  person: index,
  environmentId,
  activity: state.activity,
  location: [state.x - origin[0], state.y - origin[1]],
  headingRad: state.headingRad,
  speedMps: state.speedMps,
  keypoints: keypointsIn(person.posture.keypoints, origin),
  fallImpactUs: state.fallImpactS === null ? null : startUs + Math.round((comesS + state.fallImpactS) * 1e6),
  breathingBpm: state.breathingBpm,
  heartBpm: state.heartBpm,
})

/**
 * Lets everyone live to a time, one step of one person after the other in the order of their times: what people do about each
 * other must not depend on how often they are looked at. Times are compared as whole microseconds, so that equal ones are.
 */
const liveTo = (inhabitants: ReadonlyArray<Inhabitant>, timeS: number): void => {
  const isDue = ({ comesS, person }: Inhabitant): boolean => timeS >= comesS && person.nowS() < timeS - comesS
  const timeUs = ({ comesS, person }: Inhabitant): number => Math.round((comesS + person.nowS()) * 1e6)
  while (inhabitants.some(isDue)) {
    inhabitants.reduce((first, each) => timeUs(each) < timeUs(first) ? each : first).person.step()
  }
}

/** Everyone who lives in a scenario. */
export const createInhabitants = (scenario: Scenario, startUs: number): Inhabitants => {
  const floor = floorPlanOf(scenario)
  const attenuation = attenuationsDb(floor)
  const inhabitants = createInhabitantList(scenario, floor)
  let movedToS = -1

  const moveTo = (timeS: number): void => {
    if (timeS === movedToS) return
    movedToS = timeS
    liveTo(inhabitants, timeS)
    for (const inhabitant of inhabitants) {
      if (timeS >= inhabitant.comesS) inhabitant.state = inhabitant.person.at(timeS - inhabitant.comesS)
    }
  }
  const moversIn = (room: number): ReadonlyArray<Mover> => {
    const seen: Array<Mover> = []
    for (const { movers, person, state } of inhabitants) {
      if (state === null || !state.present) continue
      const there = roomIndexAt(floor, state.x, state.y)
      const { follow, mover } = movers[room]!
      follow(person.posture, state.headingRad, there === null ? 0 : attenuation[there]![room]!)
      seen.push(mover)
    }
    return seen
  }
  const truth = (): ReadonlyArray<PersonTruth> =>
    inhabitants.map((inhabitant, i) => {
      const { state } = inhabitant
      const room = state === null || !state.present ? null : roomIndexAt(floor, state.x, state.y)
      return state === null || room === null
        ? absent(i)
        : presentTruth(i, inhabitant, state, scenario.rooms[room]!, startUs)
    })
  return { moveTo, moversIn, truth }
}
