/**
 * The pose gateway: REST under `/api/v1` and the WebSocket `/ws/pose` on one port, as one layer.
 */
import { Clock, Context, Effect, Layer, Scope, Stream } from "effect"
import { once } from "../../core/math/once.ts"
import { SwitchedOff } from "../../protocols/domain/failure.ts"
import { type Form, forms } from "../../protocols/pose-api/forms.ts"
import { openApi, openApiDocument, openApiOfForm } from "../../protocols/pose-api/openapi.ts"
import { asyncApi, asyncApiDocument } from "../../protocols/pose-api/asyncapi.ts"
import { docs, docsScriptFile, docsStyle } from "../../protocols/pose-api/docs.ts"
import { ruleOfCaller, unroutedCategory } from "../../protocols/domain/rate-limit.ts"
import { StreamingSwitches } from "../calls/streaming-switches.ts"
import { checkedProxies } from "../access/client-address.ts"
import { type ConnectionBounds, defaultConnectionBounds, makeConnectionGuard } from "../access/connection-guard.ts"
import { CallerLimits } from "../access/caller-limits.ts"
import { limitHeaders } from "../access/rate-limiter.ts"
import { entityTagOf } from "../http/entity-tag.ts"
import { serveHttp } from "../http/http-server.ts"
import { type CertificateSource, edgeUrl } from "../http/tls.ts"
import { makeUuids } from "../http/uuid.ts"
import type { ConsoleAsset } from "../console/console-assets.ts"
import { makeConsole } from "../console/console-page.ts"
import { docsPage } from "./docs/docs-page.ts"
import { docsScript } from "./docs/docs-script.ts"
import { styleSheet } from "./docs/docs-style.ts"
import { makePoseFace } from "./server/http-face.ts"
import { PoseRoutes, type RouteServices } from "./pose-routes.ts"
import { LoadSampler } from "./telemetry/load-sampler.ts"
import { makeRespond } from "./server/respond.ts"
import { type Route, route, routeTable } from "./server/route.ts"
import { makeSocketServer } from "./socket/socket-server.ts"

export interface PoseGatewayOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Null: HTTP without TLS. */
  readonly tls: CertificateSource | null
  readonly defaultForm: Form
  /** The service's version, as health and status report it. */
  readonly version: string
  /** Addresses or networks of proxies whose `X-Forwarded-For` is trusted; default none. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Origins of web pages that may call; default none. */
  readonly origins?: ReadonlyArray<string>
  /** The files of the web console; none where it was not built. */
  readonly console: ReadonlyArray<ConsoleAsset>
  /** Whether the documents of the API are public; if not, callers must be authenticated. */
  readonly publicDocuments: boolean
  /** Bounds of open connections; default `defaultConnectionBounds`. */
  readonly bounds?: ConnectionBounds
}

/** Where the gateway listens. */
export class PoseAddress extends Context.Service<PoseAddress, {
  readonly host: string
  readonly port: number
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
}>()("wavepose/gateways/PoseAddress") {}

type DocumentEndpoint = typeof docs | typeof openApi | typeof openApiOfForm[Form]

/**
 * A document that does not change while the service runs: clients that have it are answered 304. It is made at the first request,
 * because the descriptions of all operations take a second of a cold start.
 */
const documentRoute = (endpoint: DocumentEndpoint, make: () => string) => {
  const document = once(make)
  const tag = once(() => entityTagOf(document()))
  const headers = { ...endpoint.headers, "Cache-Control": "no-cache" }
  return route({ ...endpoint, headers, etag: tag }, () => Effect.sync(document))
}

/** All routes: those of the operations, and the documents that describe them. */
const makeRoutes = Effect.fnUntraced(function* ({ publicDocuments, version }: PoseGatewayOptions) {
  const { aliases, routes } = yield* PoseRoutes
  const access = publicDocuments ? "public" : "any"
  const documents: ReadonlyArray<readonly [endpoint: DocumentEndpoint, make: () => string]> = [
    [openApi, () => JSON.stringify(document())],
    ...forms.map((form) => [openApiOfForm[form], () => textOf(form)] as const),
    [asyncApi, () => JSON.stringify(socketDocument())],
    [docs, () => docsPage(document(), socketDocument())],
    [docsStyle, () => styleSheet],
    [docsScriptFile, () => docsScript],
  ]
  const documentRoutes = documents.map(([endpoint, make]) => documentRoute({ ...endpoint, access }, make))
  const endpoints = [...routes, ...documentRoutes].map(({ endpoint }) => endpoint)
  const document = once(() => openApiDocument(endpoints, version))
  const socketDocument = once(() => asyncApiDocument(version))
  const textOf = (form: Form) => JSON.stringify(openApiDocument(endpoints, version, [form]))
  const all: ReadonlyArray<Route<RouteServices>> = [...routes, ...aliases, ...documentRoutes]
  return all
})

const webSocketOff = SwitchedOff.of("The WebSocket", "streaming.websocket_enabled")

const serve = Effect.fnUntraced(function* (options: PoseGatewayOptions) {
  const { host, defaultForm } = options
  const clock = yield* Clock.Clock
  const uuid = yield* makeUuids
  const { httpCounters } = yield* LoadSampler
  const table = routeTable(yield* makeRoutes(options))
  // Connections live in a scope of their own, which closes after they have had time to end.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const isTrusted = checkedProxies(options.trustedProxies)
  const guard = makeConnectionGuard(options.bounds ?? defaultConnectionBounds, isTrusted)
  const sockets = yield* makeSocketServer({ trustedProxies: isTrusted, guard }).pipe(
    Scope.provide(scope),
  )
  const switches = yield* StreamingSwitches
  yield* switches.turnedOff("websocketEnabled").pipe(
    Stream.runForEach(() => Effect.sync(() => sockets.disconnectAll("the WebSocket is switched off"))),
    Effect.forkIn(scope),
  )
  const { requests: limiter } = yield* CallerLimits
  const face = makePoseFace({
    defaultForm,
    origins: options.origins ?? [],
    isTls: options.tls !== null,
    console: makeConsole(options.console),
    respond: makeRespond(table, defaultForm, limiter),
    accept: sockets.accept,
    webSocketOff: () => switches.isOn("websocketEnabled") ? null : webSocketOff,
    guard,
    trustedProxies: isTrusted,
    limitHeaders: (address) => {
      const verdict = limiter.ofAddress(ruleOfCaller(defaultForm, unroutedCategory), address)
      return verdict === null ? {} : limitHeaders(verdict)
    },
    uuid,
    nowMs: () => clock.currentTimeMillisUnsafe(),
  })
  const server = yield* serveHttp({
    host,
    port: options.port,
    portVariable: "WAVEPOSE_PORT",
    tls: options.tls,
    guard,
    traffic: httpCounters,
    face,
  })
  // At the same time, because the listener waits for its sockets: both are bounded by a second.
  yield* Effect.addFinalizer(() => Effect.all([sockets.close, server.close], { concurrency: 2, discard: true }))
  return { host, port: server.port, url: edgeUrl(options.tls, host, server.port) }
})

/** Serves the pose API while the layer is in use. */
export const poseGateway = (options: PoseGatewayOptions) => Layer.effect(PoseAddress, serve(options))
