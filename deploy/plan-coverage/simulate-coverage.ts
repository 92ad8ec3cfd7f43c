/**
 * Simulates the coverage of a plan: a person walks through the room of the simulator, the service's own estimator locates the person, and the
 * errors are returned by square.
 *
 * The estimator runs without the pose network, which adds nothing to the location. The same request gives the same figures.
 */
import { Effect } from "effect"
import type { RadioNode } from "../../core/imaging/geometry.ts"
import type { CoverageFigures, CoverageRequest, CoverageResult } from "../../protocols/ports/coverage-simulations.ts"
import { coverageScenario } from "../../sim/plan-coverage/coverage-scenario.ts"
import { createCoverageTally } from "../../sim/plan-coverage/coverage-tally.ts"
import { hopS } from "../../sim/evaluation/record.ts"
import { playScenario } from "../../sim/evaluation/scene.ts"
import { decodeScenario } from "../../sim/scenario/scenario.ts"
import { estimatorsOf } from "../estimation/estimators.ts"
import { openKernels } from "../estimation/kernels.ts"
import { playScene } from "../estimation/sequence.ts"

const seed = 1

/** The node at a candidate's place; its antennas are along the nearest wall. */
const candidateNode = ({ geometry: { size } }: CoverageRequest, position: RadioNode["position"]): RadioNode => {
  const isSide = Math.min(position[0], size[0] - position[0]) < Math.min(position[1], size[1] - position[1])
  return { nodeId: "one-more-node", position, arrayAxis: isSide ? [0, 1, 0] : [1, 0, 0] }
}

const simulate = async (
  { antennas, geometry, receivers }: CoverageRequest,
  compute: Awaited<ReturnType<typeof openKernels>>,
  progressed: (share: number) => void,
): Promise<CoverageFigures> => {
  const { scenario, seconds } = coverageScenario({ ...geometry, antennas }, seed)
  await Effect.runPromise(decodeScenario(scenario))
  const scene = playScenario(scenario)
  const hopsMax = (scene.emptySeconds + seconds) / hopS
  let hops = 0
  const next = () => {
    const hop = scene.next()
    progressed(Math.min(1, ++hops / hopsMax))
    return { ...hop, batches: hop.batches.filter(({ routerId }) => receivers.includes(routerId)) }
  }
  const { physics_only } = estimatorsOf(null, null)
  if (typeof physics_only !== "function") throw new Error(physics_only.reason)
  const [record] = await playScene({ ...scene, next }, seconds, [physics_only], compute)
  const tally = createCoverageTally(geometry)
  for (const { estimate, truth } of record!.hops) tally.add(truth, estimate)
  return tally.figures()
}

/** The request with ids that every scenario accepts. */
const renamed = (request: CoverageRequest): CoverageRequest => {
  const { nodes } = request.geometry
  const idOf = (nodeId: string) => `node-${nodes.findIndex((node) => node.nodeId === nodeId)}`
  return {
    ...request,
    geometry: { ...request.geometry, nodes: nodes.map((node) => ({ ...node, nodeId: idOf(node.nodeId) })) },
    receivers: request.receivers.map(idOf),
  }
}

/** Simulates a plan as it is, then with one more node at each candidate. */
export const simulateCoverage = async (
  asked: CoverageRequest,
  progressed: (share: number) => void,
): Promise<CoverageResult> => {
  const request = renamed(asked)
  const compute = await openKernels("wasm")
  const { candidates, geometry, receivers } = request
  const parts = candidates.length + 1
  const part = (index: number) => (share: number) => progressed((index + share) / parts)
  const figures = await simulate(request, compute, part(0))
  const judged: Array<CoverageResult["candidates"][number]> = []
  for (const [index, position] of candidates.entries()) {
    const node = candidateNode(request, position)
    const extended = {
      ...request,
      geometry: { ...geometry, nodes: [...geometry.nodes, node] },
      receivers: [...receivers, node.nodeId],
    }
    const { errorM, missedShare } = await simulate(extended, compute, part(index + 1))
    judged.push({ position, errorM, missedShare })
  }
  return { ...figures, candidates: judged }
}
