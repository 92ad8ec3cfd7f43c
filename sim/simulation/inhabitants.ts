/**
 * The persons of a simulation, as movers for the radios of the rooms and as ground truth.
 *
 * Owns the positions of persons over time. The home is empty until the empty phase is over; each person's own time then begins,
 * delayed by `awaySeconds`. Persons whose time begins after the start of the simulation enter through a door; the others are in
 * the home at once. Boundary: behaviour is in `sim/bodies`.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { scatterers } from "../bodies/body.ts"
import { type FloorPlan, type FloorRoom, isWithin, type Place } from "../rooms/floor-plan.ts"
import { createOccupancy, type Occupancy } from "../people/occupancy.ts"
import { createPerson, type Person, type PersonDescription, type PersonState } from "../people/person.ts"
import { createAspect } from "../radio/aspect.ts"
import type { Mover } from "../radio/mover.ts"
import { createRandom, type Random } from "../randomness/random.ts"
import type { Room } from "../scenario/rooms.ts"
import type { Scenario } from "../scenario/scenario.ts"
import { type BodyMover, createBodyMover } from "./body-mover.ts"
import { drawCrossSection } from "./body-solids.ts"
import { floorPlanOf } from "./home.ts"
import type { PersonTruth } from "./truth.ts"

export interface Inhabitants {
  /** Moves everyone to a time, seconds of the simulation; times never decrease. */
  readonly moveTo: (timeS: number) => void
  /** The persons in the home or at its doors, as the radio of a room sees them; valid until the next call for that room. */
  readonly moversIn: (room: number) => ReadonlyArray<Mover>
  readonly truth: () => ReadonlyArray<PersonTruth>
}

interface Inhabitant {
  readonly person: Person
  /** Beginning of the person's own time, seconds of the simulation. */
  readonly comesS: number
  /** The body in each room's frame. */
  readonly movers: ReadonlyArray<BodyMover>
  /** Null before the person's time begins. */
  state: PersonState | null
}

/** A person in a doorway counts as in a room within this distance. */
const doorwayM = 0.2
/** Rooms within this distance share a wall. */
const sharedWallM = 0.4
/** Additional loss of a leg to a room that shares no wall with the radio's room, beyond the loss of that room's own walls. */
const furtherWallsDb = 8

/** A home without free places until it is opened: a person who is created before has to enter from outside. */
const createClosedHome = (home: Occupancy): { readonly occupancy: Occupancy; readonly open: () => void } => {
  let closed = true
  return {
    occupancy: { ...home, isTaken: (...place) => closed || home.isTaken(...place) },
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
    const crossSectionM2 = drawCrossSection(createRandom(scenario.seed, `cross section ${i}`))
    return {
      ...createInhabitant(scenario, description, floor, home, createRandom(scenario.seed, `person ${i}`)),
      movers: scenario.rooms.map(({ origin }) => createBodyMover(description.girth, aspect, crossSectionM2, origin)),
      state: null,
    }
  })
}

/** Index of the room that a place of the home belongs to; null outside. */
const roomIndexAt = (floor: FloorPlan, x: number, y: number): number | null => {
  const within = (marginM: number) => floor.rooms.findIndex((room) => isWithin([x, y], room, marginM))
  const inside = within(1e-9)
  if (inside >= 0) return inside
  const near = within(doorwayM)
  return near < 0 ? null : near
}

const gapM = (a: FloorRoom, b: FloorRoom): number =>
  Math.max(...[0, 1].map((axis) => Math.max(a.low[axis]!, b.low[axis]!) - Math.min(a.high[axis]!, b.high[axis]!)))

/** Additional attenuation beyond the receiving room's own walls: [room of the person][receiving room]. */
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
 * Advances everyone to a time, one step of one person at a time in the order of their times: the interaction of people must not
 * depend on the times at which they are observed. Times are compared as whole microseconds, to make equal times equal.
 */
const advanceTo = (inhabitants: ReadonlyArray<Inhabitant>, timeS: number): void => {
  const isDue = ({ comesS, person }: Inhabitant): boolean => timeS >= comesS && person.nowS() < timeS - comesS
  const timeUs = ({ comesS, person }: Inhabitant): number => Math.round((comesS + person.nowS()) * 1e6)
  while (inhabitants.some(isDue)) {
    inhabitants.reduce((first, each) => timeUs(each) < timeUs(first) ? each : first).person.step()
  }
}

/** All persons of a scenario. */
export const createInhabitants = (scenario: Scenario, startUs: number): Inhabitants => {
  const floor = floorPlanOf(scenario)
  const attenuation = attenuationsDb(floor)
  const inhabitants = createInhabitantList(scenario, floor)
  let movedToS = -1

  const moveTo = (timeS: number): void => {
    if (timeS === movedToS) return
    movedToS = timeS
    advanceTo(inhabitants, timeS)
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
