/**
 * The home gateway: the home-automation API over REST and WebSocket on a port of its own, as one layer.
 */
import { Context, Effect, Layer } from "effect"
import { checkedProxies } from "../access/client-address.ts"
import { type ConnectionBounds, defaultConnectionBounds, makeConnectionGuard } from "../access/connection-guard.ts"
import { aboutRoutes } from "./routes/api-info.ts"
import { eventRoutes, ListenerCounts } from "./routes/events.ts"
import { historyRoutes } from "./routes/history.ts"
import { serveHttp } from "../http/http-server.ts"
import { type CertificateSource, edgeUrl } from "../http/tls.ts"
import { plainAnswer } from "./server/answer.ts"
import { makeHomeFace } from "./server/http-face.ts"
import { type HomeRoute, publicRoute } from "./server/route.ts"
import { logbookRoutes } from "./routes/logbook.ts"
import { templateRoutes } from "./routes/template.ts"
import { streamRoutes } from "./routes/stream.ts"
import { serviceRoutes } from "./routes/services.ts"
import { callCommands } from "./socket/calls.ts"
import type { Command } from "./socket/command.ts"
import { makeHomeFeeds } from "./socket/feeds.ts"
import { queryCommands } from "./socket/queries.ts"
import { historyCommands } from "./socket/history.ts"
import { inspectionCommands } from "./socket/inspection.ts"
import { logbookCommands } from "./socket/logbook.ts"
import { templateCommands } from "./socket/templates.ts"
import { afterMs, makeHomeSocketServer, socketPath } from "./socket/server.ts"
import { subscriptionCommands } from "./socket/subscriptions.ts"
import { stateRoutes } from "./routes/states.ts"

interface HomeGatewayOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Null: HTTP without TLS. */
  readonly tls: CertificateSource | null
  /** Origins of web pages that may call; null: the usual local ones. */
  readonly origins: ReadonlyArray<string> | null
  /** Bounds of open connections; default `defaultConnectionBounds`. */
  readonly bounds?: ConnectionBounds
  /** Addresses or networks of proxies, whose connections stand for many clients; default none. */
  readonly trustedProxies?: ReadonlyArray<string>
}

/** The address of the listening gateway. */
export class HomeAddress extends Context.Service<HomeAddress, {
  readonly port: number
  /** E.g. `http://127.0.0.1:8123`. */
  readonly url: string
}>()("wavepose/gateways/HomeAddress") {}

/** All routes. A request for the WebSocket's path without an upgrade is answered with 400. */
const routes = [
  ...aboutRoutes,
  ...stateRoutes,
  ...serviceRoutes,
  ...eventRoutes,
  ...historyRoutes,
  ...logbookRoutes,
  ...streamRoutes,
  ...templateRoutes,
  publicRoute("GET", socketPath, plainAnswer(400)),
]

/** The services of the handlers of these routes or commands. */
type ServicesOf<Handled> = Handled extends HomeRoute<infer R> ? R : Handled extends Command<infer R> ? R : never

const make = Effect.fnUntraced(function* (options: HomeGatewayOptions) {
  const { host, origins, port, tls } = options
  const isTrusted = checkedProxies(options.trustedProxies)
  const guard = makeConnectionGuard(options.bounds ?? defaultConnectionBounds, isTrusted)
  const feeds = yield* makeHomeFeeds
  const commands = [
    ...queryCommands,
    ...callCommands,
    ...subscriptionCommands(feeds, afterMs),
    ...templateCommands(afterMs),
    ...historyCommands,
    ...inspectionCommands,
    ...logbookCommands,
  ]
  const sockets = yield* makeHomeSocketServer<ServicesOf<typeof commands[number]>>(
    new Map(commands.map((command) => [command.type, command])),
    guard,
  )
  const face = makeHomeFace<ServicesOf<typeof routes[number]>>({
    routes,
    origins,
    guard,
    socketPath,
    accept: sockets.accept,
  })
  const server = yield* Effect.acquireRelease(
    serveHttp({ host, port, portVariable: "WAVEPOSE_HOME_PORT", tls, guard, traffic: null, face }),
    ({ close }) => Effect.andThen(sockets.close, close),
  )
  return { port: server.port, url: edgeUrl(tls, host, server.port) }
})

export const homeGateway = (options: HomeGatewayOptions) =>
  Layer.effect(HomeAddress, make(options)).pipe(Layer.provide(ListenerCounts.layer))
