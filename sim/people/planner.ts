/**
 * A planner: ways between two places of a floor plan.
 *
 * Owns the clearances from walls and furniture, and the shortest way with them: a visibility graph over the corners of the
 * furniture and the doors. Boundary: `route.ts` turns a way into a walkable route.
 *
 * Invariant: a way leaves a room through a door only. Where furniture is too close, the clearances shrink in steps; a way never
 * crosses a wall.
 */
import {
  beyondDoor,
  type Door,
  type FloorPlan,
  type FloorRoom,
  footprints,
  isWithin,
  type Place,
  type Rectangle,
} from "../rooms/floor-plan.ts"

/** Clearance of the middle of the hips from walls and from the edges of furniture: half a body and room to cut corners. */
const wallClearanceM = 0.5
const furnitureClearanceM = 0.43
/** A way is straight for this distance before and behind a door. */
const doorstepM = 0.5
/** Shares of the clearances, tried in turn. */
const shares = [1, 0.7, 0.4, 0.15] as const

export interface Planner {
  /** The way between two places, both included, around additional obstacles `besides`; null if there is none. */
  readonly plan: (from: Place, to: Place, besides?: ReadonlyArray<Rectangle>) => ReadonlyArray<Place> | null
  /** Whether a place is inside a room with at least `share` of the usual clearances. */
  readonly isFree: (place: Place, share: number) => boolean
}

interface Node {
  readonly place: Place
  readonly room: FloorRoom
  /** Share of the clearances at this place. */
  readonly share: number
}

/** Whether the segment from a to b passes through a rectangle grown by `marginM`. */
const crosses = (a: Place, b: Place, { high, low }: Rectangle, marginM: number): boolean => {
  let enter = 0
  let leave = 1
  for (let axis = 0; axis < 2; axis++) {
    const from = a[axis]!
    const way = b[axis]! - from
    const first = low[axis]! - marginM - from
    const second = high[axis]! + marginM - from
    if (Math.abs(way) < 1e-12) {
      if (first >= 0 || second <= 0) return false
      continue
    }
    enter = Math.max(enter, Math.min(first / way, second / way))
    leave = Math.min(leave, Math.max(first / way, second / way))
  }
  return leave - enter > 1e-9
}

const length = (a: Place, b: Place): number => Math.hypot(a[0] - b[0], a[1] - b[1])

/** The shortest way from node 0 to node 1 of a graph by Dijkstra's algorithm, as indices, or null. */
const shortest = (count: number, edgeM: (i: number, j: number) => number): ReadonlyArray<number> | null => {
  const distances = new Float64Array(count).fill(Infinity)
  const before = new Int32Array(count).fill(-1)
  const done = new Uint8Array(count)
  distances[0] = 0
  for (let round = 0; round < count; round++) {
    let at = -1
    for (let i = 0; i < count; i++) if (done[i] === 0 && (at < 0 || distances[i]! < distances[at]!)) at = i
    if (at < 0 || distances[at] === Infinity) return null
    if (at === 1) break
    done[at] = 1
    for (let j = 0; j < count; j++) {
      if (done[j] === 1) continue
      const distance = distances[at]! + edgeM(at, j)
      if (distance >= distances[j]!) continue
      distances[j] = distance
      before[j] = at
    }
  }
  const way = [1]
  while (way[0] !== 0) way.unshift(before[way[0]!]!)
  return way
}

/** The parts of a floor plan that matter to a planner. */
interface Grounds {
  readonly rooms: ReadonlyArray<FloorRoom>
  readonly furniture: ReadonlyArray<Rectangle>
  /** Doors between two rooms. */
  readonly doors: ReadonlyArray<Door>
}

interface Graph {
  readonly share: number
  /** The places before and behind each door, in pairs. */
  readonly doorways: ReadonlyArray<Node>
  /** Around the furniture. */
  readonly corners: ReadonlyArray<Node>
}

const roomsOf = ({ rooms }: Grounds, place: Place): ReadonlyArray<FloorRoom> =>
  rooms.filter((room) => isWithin(place, room, 1e-9))

const isFreeIn = ({ furniture }: Grounds, place: Place, room: FloorRoom, share: number): boolean =>
  isWithin(place, room, -wallClearanceM * share + 1e-6) &&
  furniture.every((piece) => !isWithin(place, piece, furnitureClearanceM * share))

/** The place as a node of a graph with clearances of `share`; its own share may be smaller. */
const nodeAt = (grounds: Grounds, place: Place, room: FloorRoom, share: number): Node => ({
  place,
  room,
  share: shares.find((own) => own <= share && isFreeIn(grounds, place, room, own)) ?? 0,
})

const graphOf = (floor: FloorPlan, grounds: Grounds, share: number): Graph => {
  const doorways = grounds.doors.flatMap((door) =>
    ([-doorstepM, doorstepM] as const).map((beyond, i) => {
      const room = grounds.rooms.find(({ roomId }) => roomId === door.rooms[i])!
      return nodeAt(grounds, beyondDoor(floor, door, beyond), room, share)
    })
  )
  const corners = grounds.furniture.flatMap(({ high, low }) => {
    const margin = furnitureClearanceM * share + 0.005
    const places: ReadonlyArray<Place> = [
      [low[0] - margin, low[1] - margin],
      [high[0] + margin, low[1] - margin],
      [high[0] + margin, high[1] + margin],
      [low[0] - margin, high[1] + margin],
    ]
    return places.flatMap((place) =>
      roomsOf(grounds, place).filter((room) => isFreeIn(grounds, place, room, share))
        .map((room): Node => ({ place, room, share }))
    )
  })
  return { share, doorways, corners }
}

/** The shortest way through a graph, through the middle of doors, or null. */
const wayThrough = (grounds: Grounds, graph: Graph, from: Place, to: Place): ReadonlyArray<Place> | null => {
  const [start] = roomsOf(grounds, from)
  const [goal] = roomsOf(grounds, to)
  if (start === undefined || goal === undefined) return null
  const ends = [nodeAt(grounds, from, start, graph.share), nodeAt(grounds, to, goal, graph.share)]
  const nodes = [...ends, ...graph.doorways, ...graph.corners]
  const doorOf = (node: number): number => node < 2 || node >= 2 + graph.doorways.length ? -1 : (node - 2) >> 1
  const isThroughDoor = (i: number, j: number): boolean => doorOf(i) >= 0 && doorOf(i) === doorOf(j)
  const edgeM = (i: number, j: number): number => {
    const a = nodes[i]!
    const b = nodes[j]!
    if (isThroughDoor(i, j)) return length(a.place, b.place)
    if (a.room !== b.room) return Infinity
    const margin = furnitureClearanceM * Math.min(a.share, b.share)
    const isBlocked = grounds.furniture.some((piece) => crosses(a.place, b.place, piece, margin))
    return isBlocked ? Infinity : length(a.place, b.place)
  }
  return shortest(nodes.length, edgeM)?.flatMap((node, k, way) => {
    const before = way[k - 1]
    const isBehindDoor = before !== undefined && isThroughDoor(before, node)
    return isBehindDoor ? [grounds.doors[doorOf(node)]!.place, nodes[node]!.place] : [nodes[node]!.place]
  }) ?? null
}

export const createPlanner = (floor: FloorPlan): Planner => {
  const known = new Set<string | null>(floor.rooms.map(({ roomId }) => roomId))
  const grounds: Grounds = {
    rooms: floor.rooms,
    furniture: footprints(floor),
    doors: floor.doors.filter(({ rooms }) => rooms.every((roomId) => known.has(roomId))),
  }
  const graphs = shares.map((share) => graphOf(floor, grounds, share))
  return {
    isFree: (place, share) => roomsOf(grounds, place).some((room) => isFreeIn(grounds, place, room, share)),
    plan: (from, to, besides = []) => {
      const crowded = { ...grounds, furniture: [...grounds.furniture, ...besides] }
      for (const [i, share] of shares.entries()) {
        const graph = besides.length === 0 ? graphs[i]! : graphOf(floor, crowded, share)
        const way = wayThrough(crowded, graph, from, to)
        if (way !== null) return way
      }
      return null
    },
  }
}
