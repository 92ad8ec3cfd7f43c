/**
 * What the geometry alone says about a plan, at once: where the directions of the links tell places apart, and where one more node would
 * help most. Pure.
 *
 * No wall, noise or body is in it, so it has no unit: it ranks places. The simulation of the service gives errors in metres.
 *
 * A link measures the length of the path over a body. Its gradient at a place is the sum of the unit vectors from both ends; the
 * echo weakens with both distances (radar equation). The inverse of the summed information is the spread of an estimate.
 */
import type { Geometry } from "../../service/types.ts"
import type { Place } from "./draft.ts"

type Ends = ReadonlyArray<Place>

/** `good` to `blind`: how well a person can be located there. */
export const grades = ["good", "fair", "weak", "blind"] as const
type Grade = typeof grades[number]

interface Cell extends Place {
  readonly grade: Grade
}

interface CoverageMap {
  /** Edge of a cell, metres. */
  readonly cellM: number
  /** By their centres. */
  readonly cells: ReadonlyArray<Cell>
}

/** Links that determine a location; fewer show only presence nearby. */
const linksMin = 3
/** Upper bounds of the spread of the grades; 1 is the middle of a square room of 4 m with a node in each corner. */
const spreadMax = { good: 0.6, fair: 1.1, weak: 2 } as const
const unitSpread = 4 * Math.SQRT2
const spreadCap = 20
const nearestM = 0.3

const distance = (a: Place, b: Place): number => Math.max(nearestM, Math.hypot(a.x - b.x, a.y - b.y))

/** Adds what the link from `a` to `b` says about `place` to the sums of the information matrix. */
const addLink = (sums: [number, number, number], place: Place, a: Place, b: Place): void => {
  const [da, db] = [distance(a, place), distance(b, place)]
  const x = (place.x - a.x) / da + (place.x - b.x) / db
  const y = (place.y - a.y) / da + (place.y - b.y) / db
  const weight = 1 / (da * db) ** 2
  sums[0] += weight * x * x
  sums[1] += weight * x * y
  sums[2] += weight * y * y
}

/** The spread of an estimate at `place`, relative to the reference room; at most `spreadCap`. */
const spreadAt = (place: Place, ends: Ends): number => {
  const sums: [number, number, number] = [0, 0, 0]
  for (let i = 0; i < ends.length; i++) {
    for (let j = i + 1; j < ends.length; j++) addLink(sums, place, ends[i]!, ends[j]!)
  }
  const determinant = sums[0] * sums[2] - sums[1] * sums[1]
  if (determinant <= 1e-12) return spreadCap
  return Math.min(spreadCap, Math.sqrt((sums[0] + sums[2]) / determinant) / unitSpread)
}

const linkCount = (nodes: number): number => nodes * (nodes - 1) / 2

const gradeOf = (spread: number, links: number): Grade => {
  if (links < linksMin) return "blind"
  return spread <= spreadMax.good
    ? "good"
    : spread <= spreadMax.fair
    ? "fair"
    : spread <= spreadMax.weak
    ? "weak"
    : "blind"
}

const centresOf = ({ size }: Geometry, cellM: number): ReadonlyArray<Place> =>
  Array.from(
    { length: Math.max(1, Math.round(size.y / cellM)) },
    (_, row) =>
      Array.from({ length: Math.max(1, Math.round(size.x / cellM)) }, (_, column) => ({
        x: (column + 0.5) * cellM,
        y: (row + 0.5) * cellM,
      })),
  ).flat()

const endsOf = ({ nodes }: Geometry): Ends => nodes.map(({ position }) => position)

/** At most so many cells are drawn. */
const cellsMax = 1_600

export const coverageMap = (geometry: Geometry): CoverageMap => {
  const cellM = Math.max(0.25, Math.ceil(4 * Math.sqrt(geometry.size.x * geometry.size.y / cellsMax)) / 4)
  const ends = endsOf(geometry)
  const links = linkCount(ends.length)
  const cells = centresOf(geometry, cellM).map((place) => ({ ...place, grade: gradeOf(spreadAt(place, ends), links) }))
  return { cellM, cells }
}

/** The points of the walls, `stepM` apart. */
const wallsOf = ({ size: { x, y } }: Geometry, stepM: number): ReadonlyArray<Place> => {
  const along = (length: number) =>
    Array.from({ length: Math.floor(length / stepM) + 1 }, (_, step) => Math.min(length, step * stepM))
  return [
    ...along(x).flatMap((east) => [{ x: east, y: 0 }, { x: east, y }]),
    ...along(y).flatMap((north) => [{ x: 0, y: north }, { x, y: north }]),
  ]
}

/** Nodes that are this near to another would add little that is new. */
const apartM = 0.5

/** The place on the walls where one more node lowers the mean spread most; null without a node. */
export const nextNode = (geometry: Geometry): Place | null => {
  const { nodes, size } = geometry
  if (nodes.length === 0) return null
  const ends = endsOf(geometry)
  const coarse = Math.max(0.5, Math.max(size.x, size.y) / 20)
  const centres = centresOf(geometry, coarse)
  const meanWith = (place: Place): number =>
    centres.reduce((sum, centre) => sum + spreadAt(centre, [...ends, place]), 0) / centres.length
  const candidates = wallsOf(geometry, coarse)
    .filter((place) => ends.every((end) => Math.hypot(end.x - place.x, end.y - place.y) >= apartM))
    .map((place) => ({ place, mean: meanWith(place) }))
  return candidates.sort((a, b) => a.mean - b.mean)[0]?.place ?? null
}
