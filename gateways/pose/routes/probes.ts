/**
 * Handlers of the probes of an orchestrator.
 */
import { Effect } from "effect"
import { NotReady } from "../../../protocols/pose-api/edge-failures.ts"
import { live, ready } from "../../../protocols/pose-api/probes.ts"
import { route } from "../server/route.ts"
import { type DataDisk, makeReadiness } from "../telemetry/readiness.ts"

/**
 * Routes of the probes, and their aliases at the root, which the OpenAPI document does not list.
 *
 * @param dataDisk null if the node stores nothing on its own disk
 */
export const makeProbeRoutes = Effect.fnUntraced(function* (dataDisk: DataDisk | null) {
  const reasons = yield* makeReadiness(dataDisk)
  const check = Effect.flatMap(
    reasons,
    (found) => found.length === 0 ? Effect.succeed(null) : Effect.fail(new NotReady({ reasons: found })),
  )
  const probes = (atRoot: boolean) => [
    route({ ...live, atRoot }, () => Effect.succeed(null)),
    route({ ...ready, atRoot }, () => check),
  ]
  return { routes: probes(false), aliases: probes(true) }
})
