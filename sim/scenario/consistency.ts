/**
 * Consistency of the parts of a scenario, beyond their types. The message of every check names the field and the change that fixes
 * it. The behaviour of persons is checked in `person-consistency.ts`.
 */
import { along, type Bed, type Place, type Rectangle } from "../rooms/floor-plan.ts"
import { radioMistake } from "../radio/tones.ts"
import { at, isInside, type Parts } from "./parts.ts"
import { personMistake } from "./person-consistency.ts"
import type { Room } from "./rooms.ts"

const nodeDistanceMMin = 0.3
/** Between a seat and a wall: half a seat. */
const wallDistanceMMin = 0.25
/** Largest thickness of a wall with a doorway, and smallest distance of a doorway from the corners. */
const wallThicknessMMax = 0.35
const doorwayHalfWidthM = 0.45
/** Tolerated overlap of rooms. */
const overlapMMax = 0.05

/** Checks that ids are unique in the home: the service identifies routers and environments by them alone. */
const repeatedId = ({ doors, rooms }: Parts): string | null => {
  const named: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["rooms: environmentId", rooms.map(({ environmentId }) => environmentId)],
    [
      "nodes: nodeId",
      rooms.flatMap(({ feedbackMonitor, nodes }) =>
        [...nodes, ...feedbackMonitor === undefined ? [] : [feedbackMonitor]].map(({ nodeId }) => nodeId)
      ),
    ],
    ["seats: seatId", rooms.flatMap(({ seats }) => seats.map(({ seatId }) => seatId))],
    ["beds: bedId", rooms.flatMap(({ beds }) => beds.map(({ bedId }) => bedId))],
    ["doors: doorId", doors.map(({ doorId }) => doorId)],
  ]
  for (const [field, ids] of named) {
    const twice = ids.find((id, i) => ids.indexOf(id) < i)
    if (twice !== undefined) return `${field} "${twice}" occurs twice; use unique ids.`
  }
  return null
}

const nodeMistake = ({ nodes, size }: Room): string | null => {
  for (const [i, { arrayAxis, nodeId, position }] of nodes.entries()) {
    if (position.some((value, axis) => value < 0 || value > size[axis]!)) {
      return `nodes: "${nodeId}" at ${at(position)} is outside the room of ${at(size)} m.`
    }
    const norm = Math.hypot(...arrayAxis)
    if (Math.abs(norm - 1) > 0.01) return `nodes: the arrayAxis of "${nodeId}" has length ${norm}; it must be 1.`
    const near = nodes.slice(0, i).find((other) =>
      Math.hypot(...position.map((value, axis) => value - other.position[axis]!)) < nodeDistanceMMin
    )
    if (near !== undefined) {
      return `nodes: "${nodeId}" is nearer than ${nodeDistanceMMin} m to "${near.nodeId}"; move one of them.`
    }
  }
  return null
}

/** Checks that a bed lies within the room; its heading must be a multiple of a quarter turn, which keeps the check simple. */
const bedMistake = ({ bedId, headingRad, lengthM, place, widthM }: Bed, size: Room["size"]): string | null => {
  const quarters = headingRad / (Math.PI / 2)
  if (Math.abs(quarters - Math.round(quarters)) > 0.01) {
    return `beds: the headingRad of "${bedId}" is ${headingRad}; it must be a multiple of a quarter turn.`
  }
  const corners = [-1, 1].flatMap((end) =>
    [-1, 1].map((side) =>
      along(along(place, headingRad, (end * lengthM) / 2), headingRad + Math.PI / 2, (side * widthM) / 2)
    )
  )
  return corners.every((corner) => isInside(corner, size, -0.01))
    ? null
    : `beds: "${bedId}" of ${lengthM} x ${widthM} m at ${at(place)} extends beyond the room of ${at(size)} m.`
}

const obstacleMistake = ({ high, low }: Rectangle, i: number, size: Room["size"]): string | null => {
  if (!(low[0] < high[0] && low[1] < high[1])) return `obstacles[${i}]: low must be less than high.`
  return isInside(low, size, 0) && isInside(high, size, 0)
    ? null
    : `obstacles[${i}]: it extends beyond the room of ${at(size)} m.`
}

const furnishingMistake = ({ beds, doorLeaves, fans, obstacles, pets, seats, size }: Room): string | null => {
  const seat = seats.find(({ place }) => !isInside(place, size, wallDistanceMMin))
  if (seat !== undefined) {
    return `seats: "${seat.seatId}" at ${at(seat.place)} is not ${wallDistanceMMin} m inside the room of ${at(size)} m.`
  }
  const fan = fans.findIndex(({ position: [x, y, z], radiusM }) =>
    !isInside([x, y], size, radiusM) || z < 0 || z > size[2]
  )
  if (fan >= 0) return `fans[${fan}]: its blades extend beyond the room; move it or reduce radiusM.`
  const pet = pets.findIndex(({ area: [xFrom, xTo, yFrom, yTo] }) =>
    xFrom > xTo || yFrom > yTo || !isInside([xFrom, yFrom], size, 0) || !isInside([xTo, yTo], size, 0)
  )
  if (pet >= 0) return `pets[${pet}].area: it must be [x from, x to, y from, y to] within the room of ${at(size)} m.`
  const leaf = doorLeaves.findIndex(({ movesS }) => movesS.some((timeS, i) => i > 0 && timeS < movesS[i - 1]!))
  if (leaf >= 0) return `doorLeaves[${leaf}].movesS: times must not decrease.`
  for (const bed of beds) {
    const mistake = bedMistake(bed, size)
    if (mistake !== null) return mistake
  }
  for (const [i, obstacle] of obstacles.entries()) {
    const mistake = obstacleMistake(obstacle, i, size)
    if (mistake !== null) return mistake
  }
  return null
}

const monitorMistake = ({ feedbackMonitor, nodes, radio }: Room): string | null => {
  if (feedbackMonitor === undefined) return null
  const { accessPointId } = feedbackMonitor
  if (!nodes.some(({ nodeId }) => nodeId === accessPointId)) {
    return `feedbackMonitor.accessPointId: the room has no node "${accessPointId}".`
  }
  return radio.receiveAntennas > 1
    ? null
    : "feedbackMonitor: a report of one antenna is constant; set radio.receiveAntennas to 2 or more."
}

const roomMistake = (room: Room): string | null => {
  const radio = radioMistake(room.radio)
  return nodeMistake(room) ?? monitorMistake(room) ?? furnishingMistake(room) ??
    (radio === null ? null : `radio: ${radio}`)
}

const overlap = ({ rooms }: Parts): string | null => {
  for (const [i, a] of rooms.entries()) {
    const b = rooms.slice(0, i).find((other) =>
      [0, 1].every((axis) =>
        Math.min(a.origin[axis]! + a.size[axis]!, other.origin[axis]! + other.size[axis]!) -
            Math.max(a.origin[axis]!, other.origin[axis]!) > overlapMMax
      )
    )
    if (b !== undefined) return `rooms: "${a.environmentId}" overlaps "${b.environmentId}"; move an origin.`
  }
  return null
}

/** Whether a place of the home lies in a wall of a room, far enough from its corners for a doorway. */
const isInWall = (place: Place, { origin, size }: Room): boolean =>
  ([[0, 1], [1, 0]] as const).some(([across, along]) => {
    const offset = place[across] - origin[across]
    const way = place[along] - origin[along]
    const isAtWall = Math.min(Math.abs(offset), Math.abs(offset - size[across]!)) <= wallThicknessMMax
    return isAtWall && way >= doorwayHalfWidthM && way <= size[along]! - doorwayHalfWidthM
  })

const doorMistake = ({ doors, rooms }: Parts): string | null => {
  for (const { doorId, place, rooms: joined } of doors) {
    const field = `doors "${doorId}"`
    if (joined[0] === joined[1]) return `${field}.rooms: it joins "${joined[0]}" with itself.`
    for (const side of joined) {
      if (side === null) continue
      const room = rooms.find(({ environmentId }) => environmentId === side)
      if (room === undefined) return `${field}.rooms: there is no room "${side}"; name a room, or null for outside.`
      if (!isInWall(place, room)) {
        return `${field}.place: ${at(place)} is not in a wall of "${side}", ${doorwayHalfWidthM} m from its corners.`
      }
    }
  }
  return null
}

/** The first inconsistency of a scenario; null when it is consistent. */
export const inconsistency = (parts: Parts): string | null => {
  const common = repeatedId(parts) ?? overlap(parts)
  if (common !== null) return common
  for (const room of parts.rooms) {
    const mistake = roomMistake(room)
    if (mistake !== null) return `rooms "${room.environmentId}".${mistake}`
  }
  return doorMistake(parts) ?? personMistake(parts)
}
