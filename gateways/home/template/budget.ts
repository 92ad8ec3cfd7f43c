/**
 * The budget of a rendering: what all of its functions take steps from. A rendering that has used it up ends with an error.
 *
 * A step is about a third of a microsecond: one node of the program, or one value of a list that is read. Work on parts of values and on texts
 * costs fractions of steps, so that the time of a rendering is bounded, whatever its functions do. A rendering is synchronous, hence one at a
 * time has the budget.
 */
import { TemplateError } from "./template-error.ts"

const stepsMax = 300_000
/** Parts of values that are compared, written or converted in the time of one step. */
const partsPerStep = 4
/** Characters or elements that are copied or searched in the time of one step. */
const copiesPerStep = 256

/** Unlimited between renderings. */
let stepsLeft = Infinity

/** Takes steps; throws when there are none left. */
export const spend = (steps: number): void => {
  stepsLeft -= steps
  if (stepsLeft < 0) throw new TemplateError("TemplateRuntimeError", `The template takes more than ${stepsMax} steps.`)
}

/** Takes the steps of a visit to parts of a value. */
export const visit = (parts = 1): void => spend(parts / partsPerStep)

/** Takes the steps of copying or reading through a text or list. */
export const copy = (length: number): void => spend(Math.floor(length / copiesPerStep))

/** Runs with a whole budget. */
export const withBudget = <A>(run: () => A): A => {
  const before = stepsLeft
  stepsLeft = stepsMax
  try {
    return run()
  } finally {
    stepsLeft = before
  }
}
