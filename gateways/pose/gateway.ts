/**
 * The pose gateway: REST under `/api/v1` and the WebSocket `/ws/pose` on one port, as one layer.
 */
import { Clock, Context, Effect, Layer, Scope } from "effect"
import type { Sharding } from "effect/cluster"
import type { Form } from "../../protocols/http/forms.ts"
import { openApi, openApiDocument } from "../../protocols/http/openapi.ts"
import type { Accounts } from "../../protocols/messages/accounts.ts"
import type { DatabaseHealth } from "../../protocols/messages/database-health.ts"
import type { Directory } from "../../protocols/messages/directory.ts"
import type { GivenUpActors } from "../../protocols/messages/escalations.ts"
import { socketPath } from "../../protocols/socket/pose.ts"
import type { DatagramListener } from "../datagrams/listener.ts"
import type { FrameHub } from "../frames/frame-hub.ts"
import type { Authenticator } from "../middleware/authenticator.ts"
import type { Tokens } from "../middleware/tokens.ts"
import { makeUuids } from "../middleware/uuid.ts"
import { authRoutes } from "./auth.ts"
import { calibrationRoutes } from "./calibration.ts"
import { CurrentEnvironment } from "./current-environment.ts"
import { diagnosticsRoutes } from "./diagnostics.ts"
import { makeHealthRoutes } from "./health.ts"
import { type ListenFailed, serveHttp } from "./http-server.ts"
import { poseRoutes } from "./poses.ts"
import { makeRespond } from "./respond.ts"
import { type Route, route, routeTable } from "./route.ts"
import { makeSocketServer } from "./socket-server.ts"
import { systemRoutes } from "./system.ts"
import { SystemReporter } from "./system-report.ts"
import { trackingRoutes } from "./tracking.ts"

export interface PoseGatewayOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly defaultForm: Form
  /** Of the service, as health and status report it. */
  readonly version: string
  /** A path on the disk whose use is reported, e.g. the data folder. */
  readonly diskPath: string
  /** Addresses of proxies whose `X-Forwarded-For` is believed; default none. */
  readonly trustedProxies?: ReadonlyArray<string>
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
  | CurrentEnvironment
  | DatagramListener
  | Directory
  | FrameHub
  | Sharding.Sharding
  | SystemReporter
  | Tokens

/** Every route there is; a later one is an endpoint in `protocols/http` and a handler beside these. */
const makeRoutes = Effect.fnUntraced(function* (version: string) {
  const routes: ReadonlyArray<Route<HandlerNeeds>> = [
    ...(yield* makeHealthRoutes(version)),
    ...authRoutes,
    ...poseRoutes,
    ...trackingRoutes,
    ...systemRoutes,
    ...calibrationRoutes,
    ...diagnosticsRoutes,
  ]
  const endpoints = [...routes.map(({ endpoint }) => endpoint), openApi]
  const document = JSON.stringify(openApiDocument(endpoints, version))
  return [...routes, route(openApi, () => Effect.succeed(document))]
})

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const serve = Effect.fnUntraced(function* (options: PoseGatewayOptions) {
  const { host, defaultForm } = options
  const clock = yield* Clock.Clock
  const uuid = yield* makeUuids
  const table = routeTable(yield* makeRoutes(options.version))
  // Requests and connections live in a scope of their own, which ends after they were given the time to end themselves.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const sockets = yield* makeSocketServer({ defaultForm, trustedProxies: new Set(options.trustedProxies) }).pipe(
    Scope.provide(scope),
  )
  const server = yield* serveHttp({
    host,
    port: options.port,
    defaultForm,
    respond: makeRespond(table, defaultForm),
    upgradePath: socketPath,
    upgrade: sockets.accept,
    uuid,
    nowMs: () => clock.currentTimeMillisUnsafe(),
  }).pipe(Scope.provide(scope))
  // Together, for the listener waits for its sockets: both are bounded by a second.
  yield* Effect.addFinalizer(() => Effect.all([sockets.close, server.close], { concurrency: 2, discard: true }))
  return { host, port: server.port, url: urlOf(host, server.port) }
})

type Needs =
  | Accounts
  | Authenticator
  | DatabaseHealth
  | DatagramListener
  | Directory
  | FrameHub
  | GivenUpActors
  | Sharding.Sharding
  | Tokens

/** Serves the pose API while the layer lives. */
export const poseGateway = (options: PoseGatewayOptions): Layer.Layer<PoseAddress, ListenFailed, Needs> =>
  Layer.effect(PoseAddress, serve(options)).pipe(
    Layer.provide([CurrentEnvironment.layer, SystemReporter.layer(options)]),
  )
