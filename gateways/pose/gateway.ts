/**
 * The pose gateway: REST under `/api/v1` and the WebSocket `/ws/pose` on one port, as one layer.
 */
import { Clock, Context, Effect, Layer, Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { SwitchedOff } from "../../protocols/domain/failure.ts"
import type { WebhookTargets } from "../../protocols/domain/webhook.ts"
import { type Form, forms } from "../../protocols/pose-api/forms.ts"
import { openApi, openApiDocument, openApiOfForm } from "../../protocols/pose-api/openapi.ts"
import { docs, docsStyle } from "../../protocols/pose-api/docs.ts"
import { ruleOfCaller, type Rules, unroutedCategory } from "../../protocols/domain/rate-limit.ts"
import type { Accounts } from "../../protocols/ports/accounts.ts"
import type { ConfigurationHistory } from "../../protocols/ports/configuration.ts"
import type { Analytics } from "../../protocols/ports/analytics.ts"
import type { DatabaseHealth } from "../../protocols/ports/database-health.ts"
import type { Directory } from "../../protocols/ports/directory.ts"
import type { Enrolments } from "../../protocols/ports/enrolments.ts"
import type { FrameHistory } from "../../protocols/ports/frame-history.ts"
import type { FrameSummaries } from "../../protocols/ports/frame-summaries.ts"
import type { TrackHistory } from "../../protocols/ports/track-history.ts"
import type { HomeTokens } from "../../protocols/ports/home-tokens.ts"
import type { UnavailableActors } from "../../protocols/messages/unavailable-actors.ts"
import type { KernelReports } from "../../protocols/ports/kernel-report.ts"
import type { NodeIdentities } from "../../protocols/ports/node-identities.ts"
import type { EgressStates } from "../../protocols/ports/egress.ts"
import type { Webhooks } from "../../protocols/ports/webhooks.ts"
import type { RateCounts } from "../../protocols/ports/rate-counts.ts"
import type { RouterDoors } from "../../protocols/messages/router.ts"
import type { SignInAttempts } from "../../protocols/ports/sign-in-attempts.ts"
import type { UserSessions } from "../../protocols/ports/user-sessions.ts"
import type { Users } from "../../protocols/ports/users.ts"
import { socketPath } from "../../protocols/pose-api/socket-messages.ts"
import type { Admission } from "../datagrams/admission.ts"
import type { DatagramListener } from "../datagrams/listener.ts"
import type { EnrolledEnvironments } from "../frames/enrolled-environments.ts"
import type { FrameHub } from "../frames/frame-hub.ts"
import type { Authenticator } from "../access/authenticator.ts"
import { StreamingSwitches } from "../calls/streaming-switches.ts"
import { checkedProxies } from "../access/client-address.ts"
import { type ConnectionBounds, defaultConnectionBounds, makeConnectionGuard } from "../access/connection-guard.ts"
import type { ListenFailed } from "../http/http-listener.ts"
import type { KeyRing } from "../access/signing-key-cache.ts"
import { limitHeaders, makeRateLimiter } from "../access/rate-limiter.ts"
import type { Standing } from "../access/credential-status.ts"
import type { Tokens } from "../access/tokens.ts"
import { makeUuids } from "../http/uuid.ts"
import { analyticsRoutes } from "./routes/analytics/routes.ts"
import { authRoutes } from "./routes/auth.ts"
import { calibrationRoutes } from "./routes/calibration.ts"
import { configurationRoutes } from "./routes/configuration.ts"
import type { ConnectionLimits } from "./socket/connection-limits.ts"
import { diagnosticsRoutes } from "./routes/diagnostics.ts"
import { environmentRoutes } from "./routes/environments.ts"
import { docsPage } from "./docs/docs-page.ts"
import { styleSheet } from "./docs/docs-style.ts"
import { makeHealthRoutes } from "./routes/health.ts"
import { serveHttp } from "./server/http-server.ts"
import { historyRoutes } from "./routes/history.ts"
import { homeTokenRoutes } from "./routes/home-tokens.ts"
import { makeMetricsRoutes } from "./routes/metrics.ts"
import { poseQueryRoutes } from "./routes/pose-query.ts"
import { poseRoutes } from "./routes/poses.ts"
import { processRoutes } from "./routes/process.ts"
import { LoadSampler } from "./telemetry/load-sampler.ts"
import { makeRespond } from "./server/respond.ts"
import { type Route, route, routeTable } from "./server/route.ts"
import { makeSocketServer } from "./socket/socket-server.ts"
import { systemRoutes } from "./routes/system.ts"
import { SystemReporter } from "./telemetry/system-report.ts"
import { trackingRoutes } from "./routes/tracking.ts"
import { sensingNodeRoutes } from "./routes/sensing-nodes.ts"
import { makeWebhookRoutes } from "./routes/webhooks.ts"
import { userRoutes } from "./routes/users.ts"

export interface PoseGatewayOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly defaultForm: Form
  /** Of the service, as health and status report it. */
  readonly version: string
  /** A path on the disk whose use is reported, e.g. the data folder. */
  readonly diskPath: string
  /** Addresses or networks of proxies whose `X-Forwarded-For` is believed; default none. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Where webhooks may be; default: at public addresses. */
  readonly webhookTargets?: WebhookTargets
  /** How many requests a caller may send, and connections open; null: as many as it likes. */
  readonly limits: { readonly rules: Rules; readonly connections: ConnectionLimits } | null
  /** What the listener keeps open; default `defaultConnectionBounds`. */
  readonly bounds?: ConnectionBounds
  /** Longest delay of this node's event loop in the last ten seconds; measured by default. */
  readonly loopLagMs?: Effect.Effect<number>
}

/** Where the gateway listens. */
export class PoseAddress extends Context.Service<PoseAddress, {
  readonly host: string
  readonly port: number
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
}>()("wavepose/gateways/PoseAddress") {}

/** What the handlers need. */
type HandlerNeeds =
  | Accounts
  | Admission
  | ConfigurationHistory
  | Analytics
  | DatagramListener
  | Directory
  | Enrolments
  | EnrolledEnvironments
  | FrameHistory
  | FrameHub
  | FrameSummaries
  | HomeTokens
  | KernelReports
  | KeyRing
  | NodeIdentities
  | RouterDoors
  | Sharding.Sharding
  | SignInAttempts
  | Standing
  | SystemReporter
  | Tokens
  | TrackHistory
  | Webhooks
  | Users
  | UserSessions

/** Every route of the pose API. A new route is an endpoint in `protocols/pose-api` and a handler in `routes`. */
const makeRoutes = Effect.fnUntraced(function* (
  { version, webhookTargets = "public" }: Pick<PoseGatewayOptions, "version" | "webhookTargets">,
) {
  const { httpCounters } = yield* LoadSampler
  const routes: ReadonlyArray<Route<HandlerNeeds>> = [
    ...(yield* makeHealthRoutes(version)),
    ...authRoutes,
    ...userRoutes,
    ...poseRoutes,
    ...historyRoutes,
    ...poseQueryRoutes,
    ...processRoutes,
    ...trackingRoutes,
    ...systemRoutes,
    ...calibrationRoutes,
    ...configurationRoutes,
    ...diagnosticsRoutes,
    ...environmentRoutes,
    ...homeTokenRoutes,
    ...makeWebhookRoutes(webhookTargets),
    ...sensingNodeRoutes,
    ...analyticsRoutes(httpCounters),
    ...(yield* makeMetricsRoutes(version)),
  ]
  const endpoints = [
    ...routes.map(({ endpoint }) => endpoint),
    ...[openApi, openApiOfForm.bare, openApiOfForm.envelope, docs, docsStyle],
  ]
  const document = openApiDocument(endpoints, version)
  const page = docsPage(document)
  const text = JSON.stringify(document)
  const textOf = (form: Form) => JSON.stringify(openApiDocument(endpoints, version, [form]))
  const texts = { bare: textOf("bare"), envelope: textOf("envelope") }
  return [
    ...routes,
    route(openApi, () => Effect.succeed(text)),
    ...forms.map((form) => route(openApiOfForm[form], () => Effect.succeed(texts[form]))),
    route(docs, () => Effect.succeed(page)),
    route(docsStyle, () => Effect.succeed(styleSheet)),
  ]
})

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const webSocketOff = SwitchedOff.of("The WebSocket", "streaming.websocket_enabled")

const serve = Effect.fnUntraced(function* (options: PoseGatewayOptions) {
  const { host, defaultForm } = options
  const clock = yield* Clock.Clock
  const uuid = yield* makeUuids
  const { httpCounters } = yield* LoadSampler
  const table = routeTable(yield* makeRoutes(options))
  // Requests and connections have a scope of their own, which closes after they had time to finish.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const isTrusted = checkedProxies(options.trustedProxies)
  const connections = options.limits?.connections ?? null
  const guard = makeConnectionGuard(options.bounds ?? defaultConnectionBounds, isTrusted)
  const sockets = yield* makeSocketServer({ defaultForm, trustedProxies: isTrusted, guard, connections }).pipe(
    Scope.provide(scope),
  )
  const switches = yield* StreamingSwitches
  yield* switches.turnedOff("websocketEnabled").pipe(
    Stream.runForEach(() => Effect.sync(() => sockets.disconnectAll("the WebSocket is switched off"))),
    Effect.forkIn(scope),
  )
  const limiter = yield* makeRateLimiter(options.limits?.rules ?? null).pipe(Scope.provide(scope))
  const server = yield* serveHttp({
    host,
    port: options.port,
    defaultForm,
    respond: makeRespond(table, defaultForm, limiter),
    guard,
    trustedProxies: isTrusted,
    limitHeaders: (address) => {
      const verdict = limiter.ofAddress(ruleOfCaller(defaultForm, unroutedCategory), address)
      return verdict === null ? {} : limitHeaders(verdict)
    },
    upgradePath: socketPath,
    upgrade: sockets.accept,
    upgradeRefusal: () => switches.isOn("websocketEnabled") ? null : webSocketOff,
    uuid,
    nowMs: () => clock.currentTimeMillisUnsafe(),
    traffic: httpCounters,
  }).pipe(Scope.provide(scope))
  // Concurrently, because the listener waits for its sockets. Both are bounded by a second.
  yield* Effect.addFinalizer(() => Effect.all([sockets.close, server.close], { concurrency: 2, discard: true }))
  return { host, port: server.port, url: urlOf(host, server.port) }
})

type Needs =
  | Accounts
  | Admission
  | Analytics
  | Authenticator
  | ConfigurationHistory
  | DatabaseHealth
  | DatagramListener
  | Directory
  | Enrolments
  | EnrolledEnvironments
  | FrameHistory
  | FrameHub
  | FrameSummaries
  | UnavailableActors
  | KernelReports
  | HomeTokens
  | KeyRing
  | NodeIdentities
  | RateCounts
  | RouterDoors
  | Sharding.Sharding
  | StreamingSwitches
  | Tokens
  | TrackHistory
  | Webhooks
  | SignInAttempts
  | Standing
  | Tokens
  | Users
  | UserSessions
  | EgressStates

/** Serves the pose API while the layer lives. */
export const poseGateway = (options: PoseGatewayOptions): Layer.Layer<PoseAddress, ListenFailed, Needs> =>
  Layer.effect(PoseAddress, serve(options)).pipe(
    Layer.provide(LoadSampler.layer),
    Layer.provide(SystemReporter.layer(options)),
  )
