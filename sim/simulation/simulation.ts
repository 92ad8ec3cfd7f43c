/**
 * A running simulation: hop by hop, CSI batches of every router and the truth about the persons.
 *
 * Owns simulated time: rounds of all rooms in time order, hops of 100 ms. Boundary: `simulation/room-radio.ts` makes the packets of
 * a room; persons are in `sim/bodies`, fans and pets in `sim/simulation/fixtures.ts`.
 *
 * Invariants:
 * 1. The same scenario, seed and start give the same bytes; random draws of the radio never change what persons do.
 * 2. The times given to persons and fixtures never decrease.
 * 3. Frames of a batch are in time order.
 */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { hopUs } from "../../core/observation/observation.ts"
import type { Mover } from "../radio/mover.ts"
import { createRandom } from "../randomness/random.ts"
import { createDoorLeaf, createFan, createPet, type Fixture } from "./fixtures.ts"
import type { Room } from "../scenario/rooms.ts"
import type { Scenario } from "../scenario/scenario.ts"
import { createFeedbackMonitor } from "./feedback-monitor.ts"
import { createInhabitants, type Inhabitants } from "./inhabitants.ts"
import { createRoomRadio, type RoomRadio } from "./room-radio.ts"
import type { PersonTruth } from "./truth.ts"

export type { PersonTruth } from "./truth.ts"

export interface SimulatedHop {
  /** End of the hop: `truth` describes this moment. */
  readonly endUs: number
  /** One batch per router, in the scenario's order of rooms and nodes, a room's monitor last; a router that received nothing has none. */
  readonly batches: ReadonlyArray<CsiBatch>
  /** Every person of the scenario, in its order, at home or out. */
  readonly truth: ReadonlyArray<PersonTruth>
}

interface Simulation {
  /** Simulates the next hop of 100 ms, or the next ones as one. */
  readonly next: (hops?: number) => SimulatedHop
  /** Lets hops pass: persons go on with their lives, and no packet is sent. */
  readonly skip: (hops: number) => void
  /** From now on one round in this many is simulated, or more if that would leave fewer than two in a hop. The other rounds have no packets. */
  readonly thin: (oneIn: number) => void
}

interface SimulationOptions {
  /** Microseconds since the Unix epoch at which the simulation starts; a multiple of 100,000 aligns its hops. */
  readonly startUs: number
  /** Replaces the scenario's own seed. */
  readonly seed?: number
  /** Node ids of the routers whose packets are made, default all; the packets of a router do not depend on this choice. */
  readonly receiverIds?: ReadonlySet<string>
}

/** A room with its moving fixtures. */
interface RoomModel {
  /** One round in this many is two in a hop. */
  readonly oneInMax: number
  /** The batches of the packets before `endUs` since the beginning. */
  readonly take: (endUs: number) => ReadonlyArray<CsiBatch>
  readonly radio: RoomRadio
  readonly fixtures: ReadonlyArray<Fixture>
  readonly fixtureMovers: ReadonlyArray<Mover>
}

/** Rounds of a hop that thinning leaves. */
const roundsMin = 2

const fixturesOf = ({ doorLeaves, environmentId, fans, pets }: Room, seed: number): ReadonlyArray<Fixture> => [
  ...fans.map(createFan),
  ...pets.map((pet, i) => createPet(pet, createRandom(seed, `pet ${environmentId} ${i}`))),
  ...doorLeaves.map(createDoorLeaf),
]

const createRooms = (
  scenario: Scenario,
  startUs: number,
  receiverIds: ReadonlySet<string> | null,
): ReadonlyArray<RoomModel> =>
  scenario.rooms.map((room) => {
    const fixtures = fixturesOf(room, scenario.seed)
    const radio = createRoomRadio(scenario, room, startUs, receiverIds)
    const monitor = createFeedbackMonitor(room)
    return {
      oneInMax: Math.max(1, Math.floor(room.radio.packetRateHz * hopUs / 1e6 / roundsMin)),
      radio,
      take: (endUs) => {
        const batches = radio.take(endUs)
        const feedback = monitor?.(batches) ?? null
        return feedback === null ? batches : [...batches, feedback]
      },
      fixtures,
      fixtureMovers: fixtures.map(({ mover }) => mover),
    }
  })

/** Runs the next round of one room. */
const runRound = ({ fixtureMovers, fixtures, radio }: RoomModel, index: number, inhabitants: Inhabitants): void => {
  const timeS = radio.nextRoundS()
  inhabitants.moveTo(timeS)
  for (const fixture of fixtures) fixture.at(timeS)
  const persons = inhabitants.moversIn(index)
  radio.round(fixtureMovers.length === 0 ? persons : [...fixtureMovers, ...persons])
}

/** Starts a simulation of a decoded scenario. */
export const createSimulation = (given: Scenario, { receiverIds, seed, startUs }: SimulationOptions): Simulation => {
  const scenario = seed === undefined ? given : { ...given, seed }
  const rooms = createRooms(scenario, startUs, receiverIds ?? null)
  const inhabitants = createInhabitants(scenario, startUs)

  /** Index of the room with the next round. */
  const upcoming = (): number => {
    let next = 0
    for (let i = 1; i < rooms.length; i++) {
      if (rooms[i]!.radio.nextRoundS() < rooms[next]!.radio.nextRoundS()) next = i
    }
    return next
  }

  let hop = 0
  let oneIn = 1
  const next = (hops = 1): SimulatedHop => {
    hop += hops
    const elapsedUs = hop * hopUs
    const endS = elapsedUs / 1e6
    for (let i = upcoming(); rooms[i]!.radio.nextRoundS() < endS; i = upcoming()) {
      const room = rooms[i]!
      if (room.radio.rounds() % Math.min(oneIn, room.oneInMax) === 0) runRound(room, i, inhabitants)
      else room.radio.leaveOut()
    }
    inhabitants.moveTo(endS)
    return {
      endUs: startUs + elapsedUs,
      batches: rooms.flatMap(({ take }) => take(elapsedUs)),
      truth: inhabitants.truth(),
    }
  }
  const skip = (hops: number): void => {
    hop += hops
    const endS = hop * hopUs / 1e6
    for (const { radio } of rooms) radio.skipTo(endS)
    inhabitants.moveTo(endS)
  }
  const thin = (to: number): void => {
    oneIn = to
  }
  return { next, skip, thin }
}
