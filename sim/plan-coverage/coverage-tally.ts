/** Errors of the location, square by square of the floor. Pure. */
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import type { CoverageFigures } from "../../protocols/ports/coverage-simulations.ts"
import { floorDistanceM, pelvisOf } from "../evaluation/record.ts"
import { squareM } from "./coverage-scenario.ts"

interface Persons {
  readonly persons: ReadonlyArray<{ readonly keypoints: ArrayLike<number> }>
}

/** A person further from every estimate is missed. */
const missedM = 1.5
/** Minimum number of estimates in a square for a statement about it. */
const estimatesMin = 3

const median = (values: ReadonlyArray<number>): number | null =>
  values.length < estimatesMin ? null : [...values].sort((a, b) => a - b)[values.length >> 1]!

interface CoverageTally {
  /** Takes the truth and the estimate of one moment. */
  readonly add: (truth: Persons["persons"], estimate: Persons) => void
  readonly figures: () => CoverageFigures
}

export const createCoverageTally = ({ size: [wide, deep] }: Pick<SiteGeometry, "size">): CoverageTally => {
  const edgeM = squareM([wide, deep, 0])
  const [columns, rows] = [Math.max(1, Math.round(wide / edgeM)), Math.max(1, Math.round(deep / edgeM))]
  const errorsM = Array.from({ length: columns * rows }, () => [] as Array<number>)
  const moments = new Array<number>(columns * rows).fill(0)
  const indexOf = (at: number, length: number, count: number): number =>
    Math.min(count - 1, Math.max(0, Math.floor(at / length * count)))
  return {
    add: (truth, { persons }) => {
      for (const { keypoints } of truth) {
        const pelvis = pelvisOf(keypoints)
        const square = indexOf(pelvis[1]!, deep, rows) * columns + indexOf(pelvis[0]!, wide, columns)
        moments[square]!++
        const error = Math.min(missedM, ...persons.map((person) => floorDistanceM(person.keypoints, keypoints)))
        if (error < missedM) errorsM[square]!.push(error)
      }
    },
    figures: () => {
      const total = moments.reduce((sum, count) => sum + count, 0)
      return {
        squareM: edgeM,
        squares: errorsM.map((errors, index) => ({
          x: (index % columns + 0.5) * wide / columns,
          y: (Math.floor(index / columns) + 0.5) * deep / rows,
          errorM: median(errors),
          missedShare: moments[index] === 0 ? null : 1 - errors.length / moments[index]!,
          moments: moments[index]!,
        })),
        errorM: median(errorsM.flat()),
        missedShare: total === 0 ? null : 1 - errorsM.flat().length / total,
        moments: total,
      }
    },
  }
}
