/**
 * The warm-up of a node before it joins a cluster: it estimates a simulated room, so that what an environment needs is compiled and loaded when
 * environments move to it. Without it their first hops take seconds, in which no node makes their frames.
 *
 * Bounds: `hops` hops, and `warmMsMax`; it rests for as long as it computes, because the machine may run other nodes. A node without peers takes
 * over nothing and does not warm up. A warm-up that fails is logged, and the node joins.
 */
import { Clock, Effect } from "effect"
import { Estimator } from "../../actors/environment/estimator.ts"
import { Kernels } from "../../actors/runtime/kernels/kernels.ts"
import { Membership } from "../../actors/runtime/membership.ts"
import { PoseModels } from "../../actors/runtime/pose/pose-models.ts"
import { hopOf, hopUs } from "../../core/observation/observation.ts"
import { forward } from "../../core/pose/network.ts"
import { createReception } from "../../sim/simulation/reception.ts"
import { createSimulation } from "../../sim/simulation/simulation.ts"
import { geometryOf } from "../../sim/scenario/scenario.ts"
import { loadScenario } from "../source/load-scenario.ts"

const scenarioName = "small-room"
const startUs = 1_700_000_000_000_000
/** Hops of the empty room, in which its routers calibrate; hops that pass until a person walks in it; and hops that follow. */
const hops = { empty: 12, skipped: 50, inhabited: 40 } as const
const warmMsMax = 10_000

const estimateRoom = Effect.fnUntraced(function* (untilMs: number) {
  const kernels = yield* Kernels
  const { own } = yield* PoseModels
  const scenario = yield* loadScenario(scenarioName)
  const { environmentId } = scenario.rooms[0]!
  const geometry = geometryOf(scenario, environmentId)
  let tracks = 0
  const estimator = new Estimator({ environmentId, name: environmentId, geometry }, own, () => ++tracks)
  const simulation = createSimulation(scenario, { startUs })
  const reception = createReception(geometry.nodes.map(({ nodeId }) => nodeId), (hops.empty - 2) * hopUs)
  for (let i = 0; i < hops.empty + hops.inhabited; i++) {
    const startMs = yield* Clock.currentTimeMillis
    if (startMs >= untilMs) return
    if (i === hops.empty) simulation.skip(hops.skipped)
    const { batches, endUs } = simulation.next()
    const observations = reception.take(batches, endUs)
    const asked = yield* kernels.compute(estimator.observe(hopOf(endUs) - 1, observations))
    const poses = asked === null || own === null ? null : yield* kernels.compute(forward(own, asked))
    estimator.estimate(poses)
    yield* Effect.sleep((yield* Clock.currentTimeMillis) - startMs)
  }
})

/** Warms up when other nodes are there, which will hand environments over. */
export const warmUp = Effect.gen(function* () {
  const { nodes } = yield* Membership
  if ((yield* nodes).length === 0) return
  const startMs = yield* Clock.currentTimeMillis
  yield* estimateRoom(startMs + warmMsMax)
  yield* Effect.logInfo(`node is warm ms=${(yield* Clock.currentTimeMillis) - startMs}`)
}).pipe(
  Effect.catch(({ message }) => Effect.logWarning(`node joins without a warm-up: ${message}`)),
)
