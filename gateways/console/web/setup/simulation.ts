/** A simulation of coverage beside the plan that is drawn: whether it is of that plan. Pure. */
import type { Coverage, Geometry } from "../service/types.ts"
import { dateMinuteText } from "../state/time-text.ts"
import { roundedDraft, sameDraft } from "./plan/draft.ts"

export interface Simulation {
  readonly job: Coverage
  /** What was simulated; null: it was started before this page, of a plan that is not known. */
  readonly geometry: Geometry | null
}

/** As it is saved, which changes the digits of places. */
const saved = (geometry: Geometry | null) => roundedDraft({ name: "", geometry, zones: [] })

/** Whether the plan is another than the one that was simulated. */
export const isOutdated = ({ geometry }: Simulation, drawn: Geometry | null): boolean =>
  geometry !== null && !sameDraft(saved(geometry), saved(drawn))

/** What to know about the age of a simulation; null: it is of the plan that is drawn. */
export const simulationNote = (simulation: Simulation, drawn: Geometry | null): string | null => {
  if (isOutdated(simulation, drawn)) return "The plan has changed since it was simulated. Simulate it again."
  if (simulation.geometry !== null) return null
  return `Simulated ${dateMinuteText(simulation.job.started_at)}. The plan may have changed since.`
}
