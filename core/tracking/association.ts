/**
 * Association: assigns detections to tracks.
 *
 * Owns the gate and the optimal assignment. Boundary: distances are in `kalman.ts`.
 */
import { mahalanobis, type Measurement, type MotionState, velocityDistance } from "./kalman.ts"

/** Gate on the squared Mahalanobis distance: 99 % of chi-squared with two degrees of freedom. */
const gate = 9.21

/** Maximum cost of a velocity: it separates persons who meet, but a limb may be faster than its person. */
const velocityCostMax = 4

interface Association {
  /** Index of the detection of each track; null for none. */
  readonly detectionOfTrack: ReadonlyArray<number | null>
  /** Detections without a track. */
  readonly newDetections: ReadonlyArray<number>
}

/**
 * Columns of minimum total cost, one for each row, each column at most once (the Hungarian method by shortest
 * augmenting paths, O(rows^2 columns)). Needs at least as many columns as rows.
 */
const assign = (cost: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => {
  const rows = cost.length
  const columns = cost[0]?.length ?? 0
  // Index 0 is a sentinel in all four arrays; rows and columns count from 1.
  const rowPotential = new Float64Array(rows + 1)
  const columnPotential = new Float64Array(columns + 1)
  const rowOfColumn = new Int32Array(columns + 1)
  for (let row = 1; row <= rows; row++) {
    const least = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY)
    const before = new Int32Array(columns + 1)
    const visited = new Uint8Array(columns + 1)
    let column = 0
    rowOfColumn[0] = row
    do {
      visited[column] = 1
      const current = rowOfColumn[column]!
      let delta = Number.POSITIVE_INFINITY
      let next = 0
      for (let j = 1; j <= columns; j++) {
        if (visited[j] === 1) continue
        const reduced = cost[current - 1]![j - 1]! - rowPotential[current]! - columnPotential[j]!
        if (reduced < least[j]!) {
          least[j] = reduced
          before[j] = column
        }
        if (least[j]! < delta) {
          delta = least[j]!
          next = j
        }
      }
      for (let j = 0; j <= columns; j++) {
        if (visited[j] === 1) {
          rowPotential[rowOfColumn[j]!] = rowPotential[rowOfColumn[j]!]! + delta
          columnPotential[j] = columnPotential[j]! - delta
        } else {
          least[j] = least[j]! - delta
        }
      }
      column = next
    } while (rowOfColumn[column] !== 0)
    while (column !== 0) {
      const previous = before[column]!
      rowOfColumn[column] = rowOfColumn[previous]!
      column = previous
    }
  }
  const columnOfRow = new Array<number>(rows).fill(-1)
  for (let j = 1; j <= columns; j++) if (rowOfColumn[j] !== 0) columnOfRow[rowOfColumn[j]! - 1] = j - 1
  return columnOfRow
}

/** Cost of assigning a detection to a track: their distance in place and in velocity. */
export const costOf = (track: MotionState, detection: Measurement): number =>
  mahalanobis(track, detection) + Math.min(velocityCostMax, velocityDistance(track, detection))

/**
 * The assignment of minimum total cost among those within the gate. `tracks` are predicted to the detections' hop. A
 * track may stay without a detection, at the maximum cost of one.
 */
export const associate = (
  tracks: ReadonlyArray<MotionState>,
  detections: ReadonlyArray<Measurement>,
): Association => {
  const alone = gate + velocityCostMax
  const tooFar = 2 * alone * (tracks.length + 1)
  // Each track has a column of its own for "no detection".
  const cost = tracks.map((track, row) => [
    ...detections.map((detection) => {
      const cost = mahalanobis(track, detection) <= gate ? costOf(track, detection) : tooFar
      // A cost that is not a number would never be the least, and the assignment would not end.
      return cost < tooFar ? cost : tooFar
    }),
    ...tracks.map((_, other) => other === row ? alone : tooFar),
  ])
  const columns = assign(cost)
  const detectionOfTrack = columns.map((column) => (column < detections.length ? column : null))
  const taken = new Set(detectionOfTrack)
  return { detectionOfTrack, newDetections: detections.map((_, i) => i).filter((i) => !taken.has(i)) }
}
