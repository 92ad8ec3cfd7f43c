/**
 * The routers of a simulated room as the service runs them: one reducer each, calibrated while the room is empty.
 *
 * For training, evaluation and tests, which need observations faster than a service makes them.
 */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { Observation } from "../../core/observation/observation.ts"
import { Reducer } from "../../core/reduction/reduce.ts"

interface Reception {
  /** The observations that end with a hop; batches of other routers are ignored. */
  readonly take: (batches: ReadonlyArray<CsiBatch>, endUs: number) => ReadonlyArray<Observation>
}

/** @param calibrationUs how long a router assumes an empty room, from its first packet */
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
