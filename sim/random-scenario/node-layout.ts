/**
 * Positions of the nodes of a random room: near its walls, all around it, with arrays in any direction.
 */
import type { RadioNode, Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import { distanceM } from "../rooms/points.ts"
import { chance, rounded } from "./draws.ts"

const wallDistanceM = [0.05, 0.5] as const
const heightM = [0.3, 2.3] as const
/** Smallest distance between nodes, and the one accepted in a crowded room after `attemptsMax`. */
const apartM = 0.6
const apartMMin = 0.31
const attemptsMax = 60
/** Share of the arrays that are upright, and share of the others that are parallel to their wall. */
const verticalShare = 0.2
const alongWallShare = 0.5

/** A place near a wall, `part` (0..1) of the way around the room, and the direction of that wall. */
const placeAround = ([width, depth, height]: Vector3, part: number, random: Random): readonly [Vector3, Vector3] => {
  const inset = uniformIn(random, ...wallDistanceM)
  const up = uniformIn(random, heightM[0], Math.min(heightM[1], height - 0.1))
  let way = part * 2 * (width + depth)
  const corner = (along: number, length: number): number => Math.min(length - 0.3, Math.max(0.3, along))
  if (way < width) return [[corner(way, width), inset, up], [1, 0, 0]]
  way -= width
  if (way < depth) return [[width - inset, corner(way, depth), up], [0, 1, 0]]
  way -= depth
  if (way < width) return [[corner(width - way, width), depth - inset, up], [1, 0, 0]]
  return [[inset, corner(depth - (way - width), depth), up], [0, 1, 0]]
}

const drawAxis = (wall: Vector3, random: Random): Vector3 => {
  if (chance(random, verticalShare)) return [0, 0, 1]
  if (chance(random, alongWallShare)) return wall
  const bearing = uniformIn(random, 0, Math.PI)
  return [Math.cos(bearing), Math.sin(bearing), 0]
}

/** `count` nodes around a room, in the order of the walls, at roughly even distances. */
export const drawNodes = (size: Vector3, count: number, random: Random): ReadonlyArray<RadioNode> => {
  const nodes: Array<RadioNode> = []
  const turn = random.uniform()
  for (let i = 0; i < count; i++) {
    for (let attempt = 0;; attempt++) {
      const part = (turn + (i + uniformIn(random, -0.4, 0.4)) / count + 1) % 1
      const [place, wall] = placeAround(size, part, random)
      const position: Vector3 = [rounded(place[0]), rounded(place[1]), rounded(place[2])]
      const nearest = Math.min(Infinity, ...nodes.map((node) => distanceM(node.position, position)))
      const wanted = attempt < attemptsMax ? apartM : apartMMin
      if (nearest < wanted && attempt < 2 * attemptsMax) continue
      nodes.push({ nodeId: `random-${i + 1}`, position, arrayAxis: drawAxis(wall, random) })
      break
    }
  }
  return nodes
}
