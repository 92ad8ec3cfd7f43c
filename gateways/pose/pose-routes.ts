/**
 * The operations of the pose API: every endpoint with its handler. REST serves them by their paths, and gRPC by their methods.
 */
import { Context, Effect, Layer } from "effect"
import type { WebhookTargets } from "../../protocols/domain/webhook.ts"
import { analyticsRoutes } from "./routes/analytics/routes.ts"
import { authRoutes } from "./routes/auth.ts"
import { consoleSessionRoutes } from "./routes/console-session.ts"
import { calibrationRoutes } from "./routes/calibration.ts"
import { alertRoutes } from "./routes/alerts.ts"
import { coverageRoutes } from "./routes/coverage.ts"
import { configurationRoutes } from "./routes/configuration.ts"
import { makeDiagnosticsRoutes } from "./routes/diagnostics.ts"
import { inventoryRoutes } from "./routes/inventory.ts"
import { environmentRoutes } from "./routes/environments.ts"
import { makeHealthRoutes } from "./routes/health.ts"
import { historyRoutes } from "./routes/history.ts"
import { homeTokenRoutes } from "./routes/home-tokens.ts"
import { makeMetricsRoutes } from "./routes/metrics.ts"
import { poseQueryRoutes } from "./routes/pose-query.ts"
import { poseRoutes } from "./routes/poses.ts"
import { makeProbeRoutes } from "./routes/probes.ts"
import { labelRoutes } from "./routes/labels.ts"
import { processRoutes } from "./routes/process.ts"
import { systemRoutes } from "./routes/system.ts"
import { trackingRoutes } from "./routes/tracking.ts"
import { sensingNodeRoutes } from "./routes/sensing-nodes.ts"
import { makeWebhookRoutes } from "./routes/webhooks.ts"
import { userRoutes } from "./routes/users.ts"
import type { Route } from "./server/route.ts"
import { Inventory } from "./telemetry/inventory.ts"
import { LoadSampler } from "./telemetry/load-sampler.ts"
import { NodeMeasures } from "./telemetry/node-measures.ts"
import type { DataDisk } from "./telemetry/readiness.ts"
import { SystemReporter } from "./telemetry/system-report.ts"

export interface PoseRoutesOptions {
  /** The service's version, as health and status report it. */
  readonly version: string
  /** A path on the disk whose use is reported, e.g. the data folder. */
  readonly diskPath: string
  /** The disk of the embedded database, which must have space for the node to be ready; null: PostgreSQL. */
  readonly dataDisk: DataDisk | null
  /** Where webhooks may be sent; default: to public addresses. */
  readonly webhookTargets?: WebhookTargets
  /** Time between the two examinations of `/system/findings`; default 3 s. */
  readonly examinationGapMs?: number
  /** Longest delay of this node's event loop in the last ten seconds; measured by default. */
  readonly loopLagMs?: Effect.Effect<number>
}

/** Thirty hops. */
const examinationGapMsDefault = 3_000

/** The services of the handlers of these routes. */
type ServicesOf<AnyRoute> = AnyRoute extends Route<infer R> ? R : never

/** All operations. A new one is an endpoint in `protocols/pose-api` and a handler in `routes`. */
const make = Effect.fnUntraced(function* (
  { dataDisk, examinationGapMs = examinationGapMsDefault, version, webhookTargets = "public" }: PoseRoutesOptions,
) {
  const { httpCounters } = yield* LoadSampler
  const probes = yield* makeProbeRoutes(dataDisk)
  const routes = [
    ...(yield* makeHealthRoutes(version, dataDisk)),
    ...probes.routes,
    ...authRoutes,
    ...consoleSessionRoutes,
    ...userRoutes,
    ...poseRoutes,
    ...historyRoutes,
    ...poseQueryRoutes,
    ...processRoutes,
    ...trackingRoutes,
    ...systemRoutes,
    ...calibrationRoutes,
    ...configurationRoutes,
    ...makeDiagnosticsRoutes(examinationGapMs),
    ...inventoryRoutes,
    ...environmentRoutes,
    ...coverageRoutes,
    ...alertRoutes,
    ...labelRoutes,
    ...homeTokenRoutes,
    ...makeWebhookRoutes(webhookTargets),
    ...sensingNodeRoutes,
    ...analyticsRoutes(httpCounters),
    ...(yield* makeMetricsRoutes(version)),
  ]
  const all: ReadonlyArray<Route<ServicesOf<typeof routes[number]>>> = routes
  return { routes: all, aliases: probes.aliases }
})

type Made = Effect.Success<ReturnType<typeof make>>

/** The services of all handlers. */
export type RouteServices = ServicesOf<Made["routes"][number]>

export class PoseRoutes extends Context.Service<PoseRoutes, Made>()("wavepose/gateways/PoseRoutes") {}

/** The operations, and the measurements that some of them report. */
export const layerPoseRoutes = (options: PoseRoutesOptions) =>
  Layer.effect(PoseRoutes, make(options)).pipe(
    Layer.provideMerge(NodeMeasures.layer(options.version)),
    Layer.provideMerge(LoadSampler.layer),
    Layer.provideMerge(SystemReporter.layer(options)),
    Layer.provideMerge(Inventory.layer),
  )

/** The operations with the services of their handlers, for edges that do not know them. */
export class Operations extends Context.Service<Operations, ReadonlyArray<Route<never>>>()(
  "wavepose/gateways/Operations",
) {
  /** These operations, with the services of their handlers from the context. */
  static readonly layerOf = <R>(routes: ReadonlyArray<Route<R>>): Layer.Layer<Operations, never, R> =>
    Layer.effect(
      Operations,
      Effect.map(
        Effect.context<R>(),
        (services) =>
          routes.map((route) => ({ ...route, handle: (call) => Effect.provide(route.handle(call), services) })),
      ),
    )

  static readonly layer = Layer.unwrap(Effect.map(PoseRoutes, ({ routes }) => Operations.layerOf(routes)))
}
