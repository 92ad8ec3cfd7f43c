/** The scale of a chart's bars. Pure. */

/** Marks above zero. */
const steps = 4

interface Mark {
  /** Height as a share of the chart, 0 to 1. */
  readonly share: number
  /** Empty if no bar has a value. */
  readonly text: string
}

interface Scale {
  /** The value at the top. */
  readonly max: number
  readonly marks: ReadonlyArray<Mark>
}

/** The smallest of 1, 2 and 5 times a power of ten that is not below a positive value. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value)!
}

/** Marks from zero to a round value that no bar exceeds; to 1 if no bar is above zero. */
export const scaleOf = (values: ReadonlyArray<number | null>): Scale => {
  const known = values.filter((value) => value !== null)
  const largest = Math.max(0, ...known)
  const max = largest > 0 ? roundUp(largest) : 1
  const marks = Array.from({ length: steps + 1 }, (_, step) => ({
    share: step / steps,
    // A round value has one digit, so its quarters have three at most.
    text: known.length === 0 ? "" : String(Number((max * step / steps).toPrecision(3))),
  }))
  return { max, marks }
}
