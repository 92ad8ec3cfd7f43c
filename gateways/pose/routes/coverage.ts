/**
 * Handlers of the coverage of a plan.
 */
import { Effect } from "effect"
import { readCoverage, simulateCoverage, simulatedNodes } from "../../../protocols/pose-api/coverage.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { geometryErrors, geometryOf } from "../../../protocols/pose-api/environment-changes.ts"
import { CoverageSimulations } from "../../../protocols/ports/coverage-simulations.ts"
import { Enrolments } from "../../../protocols/ports/enrolments.ts"
import { route } from "../server/route.ts"

const antennasDefault = 3

export const coverageRoutes = [
  route(simulateCoverage, ({ body, params: { environment_id: environmentId } }) =>
    Effect.gen(function* () {
      const { antennas = antennasDefault, candidates = [], geometry: drawn } = body ?? {}
      const errors = drawn === undefined ? [] : geometryErrors(drawn)
      if (errors.length > 0) return yield* new InvalidRequest({ errors })
      const { environment, routerIds } = yield* (yield* Enrolments).one(environmentId)
      const geometry = drawn === undefined ? environment.geometry : geometryOf(drawn)
      if (geometry === null) return yield* InvalidRequest.of("geometry", "is missing, and the environment has none")
      const { nodes } = geometry
      const { maximum, minimum } = simulatedNodes
      if (nodes.length < minimum || nodes.length > maximum) {
        const message = `must have from ${minimum} to ${maximum} nodes to be simulated`
        return yield* InvalidRequest.of("geometry.nodes", message, nodes.length)
      }
      const placed = nodes.map(({ nodeId }) => nodeId)
      const routers = placed.filter((nodeId) => routerIds.includes(nodeId))
      return yield* (yield* CoverageSimulations).start({
        environmentId,
        geometry,
        // A plan before its boards are adopted: all of them receive.
        receivers: routers.length === 0 ? placed : routers,
        antennas,
        candidates: candidates.map(({ x, y, z }) => [x, y, z] as const),
      })
    })),

  route(readCoverage, ({ params: { environment_id: environmentId } }) =>
    Effect.gen(function* () {
      const job = yield* (yield* CoverageSimulations).newest(environmentId)
      if (job !== null) return job
      return yield* new ResourceNotFound({
        resource: "coverage",
        message: `No coverage of "${environmentId}" was simulated on this node. POST to this path starts a simulation.`,
      })
    })),
]
