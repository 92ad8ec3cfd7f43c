/**
 * What kernels of a backend cost in a whole hop: the busy room (`busy-room.ts`), imaged, tracked and posed by an estimator per backend.
 */
import { Estimator } from "../../actors/environment/estimator.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import { hopOf, type Observation } from "../../core/observation/observation.ts"
import { forward, type PoseNetwork } from "../../core/pose/network.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { geometryOf } from "../../sim/scenario/scenario.ts"
import { busyRoom, simulateHops } from "./busy-room.ts"

const persons = 4
const emptySeconds = 3

/** Runs a computation and its calls. */
type Run = <A>(computation: Computation<A>) => Promise<A>

/** The observations of a room's hops, and its geometry. */
export const observedRoom = async (seconds: number) => {
  const scenario = await busyRoom(persons, emptySeconds)
  const { environmentId, nodes } = scenario.rooms[0]!
  const reducers = new Map(nodes.map(({ nodeId }) => [nodeId, new Reducer(nodeId)]))
  for (const reducer of reducers.values()) reducer.startCalibration("empty", (emptySeconds - 1) * 1e6)
  const hops = simulateHops(scenario, 1e15, seconds).map(({ batches, endUs }) => {
    const observations: Array<Observation> = batches.flatMap((batch) => reducers.get(batch.routerId)!.push(batch))
    for (const reducer of reducers.values()) observations.push(...reducer.flush(endUs))
    return { hop: hopOf(endUs) - 1, observations }
  })
  return { site: { environmentId, name: "Bench", geometry: geometryOf(scenario, environmentId) }, hops }
}

/** Wall times of the last `counted` hops, in milliseconds, and the mean number of persons in their frames. */
export const timeHops = async (
  { hops, site }: Awaited<ReturnType<typeof observedRoom>>,
  network: PoseNetwork,
  run: Run,
  counted: number,
) => {
  let trackId = 0
  const estimator = new Estimator(site, network, () => ++trackId)
  const ms: Array<number> = []
  let found = 0
  for (const [i, { hop, observations }] of hops.entries()) {
    const began = performance.now()
    const asked = await run(estimator.observe(hop, observations))
    const { persons } = estimator.estimate(asked === null ? null : await run(forward(network, asked)))
    if (i < hops.length - counted) continue
    ms.push(performance.now() - began)
    found += persons.length
  }
  return { ms, persons: found / counted }
}
