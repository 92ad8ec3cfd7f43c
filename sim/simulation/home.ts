/**
 * The home of a scenario as bodies and radio see it: one floor plan in the home's frame, and one box per room in the room's frame.
 */
import type { FloorPlan, Place } from "../rooms/floor-plan.ts"
import { createRandom } from "../randomness/random.ts"
import { furnish, type Opening, type RoomDescription } from "../rooms/room.ts"
import type { Door, Room } from "../scenario/rooms.ts"
import type { Scenario } from "../scenario/scenario.ts"

/** A doorway of a home. */
const doorway = { widthM: 0.9, heightM: 2 } as const

const toHome = ([x, y]: Place, [originX, originY]: Place): Place => [x + originX, y + originY]

/** All rooms of a scenario as one floor. */
export const floorPlanOf = ({ doors, rooms }: Scenario): FloorPlan => ({
  rooms: rooms.map(({ environmentId, origin, size }) => ({
    roomId: environmentId,
    low: origin,
    high: [origin[0] + size[0], origin[1] + size[1]],
  })),
  doors,
  seats: rooms.flatMap(({ origin, seats }) => seats.map((seat) => ({ ...seat, place: toHome(seat.place, origin) }))),
  beds: rooms.flatMap(({ beds, origin }) => beds.map((bed) => ({ ...bed, place: toHome(bed.place, origin) }))),
  obstacles: rooms.flatMap(({ obstacles, origin }) =>
    obstacles.map(({ high, low }) => ({ low: toHome(low, origin), high: toHome(high, origin) }))
  ),
})

/** The opening that a door makes in the nearest wall of a room. */
const openingOf = ({ place }: Door, { origin, size }: Room): Opening => {
  const x = place[0] - origin[0]
  const y = place[1] - origin[1]
  const sides = [
    { surface: "west", offsetM: Math.abs(x), wayM: y },
    { surface: "east", offsetM: Math.abs(x - size[0]), wayM: y },
    { surface: "south", offsetM: Math.abs(y), wayM: x },
    { surface: "north", offsetM: Math.abs(y - size[1]), wayM: x },
  ] as const
  const { surface, wayM } = sides.reduce((best, side) => side.offsetM < best.offsetM ? side : best)
  const half = doorway.widthM / 2
  return { surface, fromM: wayM - half, toM: wayM + half, heightM: Math.min(doorway.heightM, size[2]) }
}

/** A room of a scenario as waves see it, with furniture at places drawn from the seed. */
export const roomDescriptionOf = (scenario: Scenario, room: Room): RoomDescription => {
  const { environmentId, furniture, size, surfaces } = room
  const doors = scenario.doors.filter(({ rooms }) => rooms.includes(environmentId))
  return {
    size,
    surfaces,
    openings: doors.map((door) => openingOf(door, room)),
    furniture: furnish(size, furniture, createRandom(scenario.seed, `furniture ${environmentId}`)),
  }
}
