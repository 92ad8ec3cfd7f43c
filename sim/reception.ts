/**
 * The routers of a simulated room as the service has them: one reducer each, calibrated while the room is empty.
 *
 * For whatever needs observations faster than a service makes them: training, evaluation, tests.
 */
import type { CsiBatch } from "../core/formats/csi-batch.ts"
import type { Observation } from "../core/observation/observation.ts"
import { Reducer } from "../core/reduction/reduce.ts"

export interface Reception {
  /** The observations that end with a hop; batches of other routers are not heard. */
  readonly take: (batches: ReadonlyArray<CsiBatch>, endUs: number) => ReadonlyArray<Observation>
}

/** @param calibrationUs how long, from its first packet, a router takes the room for empty */
export const createReception = (routerIds: ReadonlyArray<string>, calibrationUs: number): Reception => {
  const reducers = new Map(routerIds.map((routerId) => [routerId, new Reducer(routerId)]))
  for (const reducer of reducers.values()) reducer.startCalibration("empty", calibrationUs)
  return {
    take: (batches, endUs) => {
      const observations = batches.flatMap((batch) => reducers.get(batch.routerId)?.push(batch) ?? [])
      for (const reducer of reducers.values()) observations.push(...reducer.flush(endUs))
      return observations
    },
  }
}
