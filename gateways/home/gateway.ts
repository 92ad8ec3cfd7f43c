/**
 * The home gateway: the home-automation API over REST and WebSocket on a port of its own, as one layer.
 */
import { Context, Effect, Layer } from "effect"
import type { HomeHistory } from "../../protocols/messages/home-history.ts"
import type { HomePlugins } from "../../protocols/messages/home-plugins.ts"
import type { HomeRegistries } from "../../protocols/messages/home-registries.ts"
import type { HomeRuntime } from "../../protocols/messages/home-runtime.ts"
import type { HomeServices } from "../../protocols/messages/home-services.ts"
import type { HomeTokens } from "../../protocols/messages/home-tokens.ts"
import { checkedProxies } from "../middleware/client-address.ts"
import { type ConnectionBounds, defaultConnectionBounds, makeConnectionGuard } from "../middleware/connection-guard.ts"
import type { ListenFailed } from "../middleware/http-listener.ts"
import { aboutRoutes } from "./about.ts"
import { HomeSite } from "./configuration.ts"
import { corsHeaders, defaultOrigins } from "./cors.ts"
import { eventRoutes, ListenerCounts } from "./events.ts"
import { historyRoutes } from "./history.ts"
import { serveHome } from "./http-server.ts"
import { makeRespond } from "./respond.ts"
import type { HomeRoute } from "./route.ts"
import { serviceRoutes } from "./services.ts"
import { callCommands } from "./socket/calls.ts"
import type { Command } from "./socket/command.ts"
import { makeHomeFeeds } from "./socket/feeds.ts"
import { queryCommands } from "./socket/queries.ts"
import { afterMs, makeHomeSocketServer, socketPath } from "./socket/server.ts"
import { subscriptionCommands } from "./socket/subscriptions.ts"
import { stateRoutes } from "./states.ts"
import { streamEvents, streamPath } from "./stream.ts"

export interface HomeGatewayOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Origins whose web pages may call; null: those of this machine that are usual. */
  readonly origins: ReadonlyArray<string> | null
  /** What the listener keeps open; default `defaultConnectionBounds`. */
  readonly bounds?: ConnectionBounds
  /** Addresses or networks of proxies, whose connections are those of many clients; default none. */
  readonly trustedProxies?: ReadonlyArray<string>
}

/** Where the gateway listens. */
export class HomeAddress extends Context.Service<HomeAddress, {
  readonly port: number
  /** E.g. `http://127.0.0.1:8123`. */
  readonly url: string
}>()("wavepose/gateways/HomeAddress") {}

type Ports = HomeHistory | HomePlugins | HomeRegistries | HomeRuntime | HomeServices | HomeTokens
type HandlerNeeds = Ports | HomeSite | ListenerCounts

/** Every route there is, beside the WebSocket and the stream of events. */
const routes: ReadonlyArray<HomeRoute<HandlerNeeds>> = [
  ...aboutRoutes,
  ...stateRoutes,
  ...serviceRoutes,
  ...eventRoutes,
  ...historyRoutes,
]

const make = Effect.fnUntraced(function* (options: HomeGatewayOptions) {
  const { host, origins, port } = options
  const isTrusted = checkedProxies(options.trustedProxies)
  const guard = makeConnectionGuard(options.bounds ?? defaultConnectionBounds, isTrusted)
  const feeds = yield* makeHomeFeeds
  const commands: ReadonlyArray<Command<HandlerNeeds>> = [
    ...queryCommands,
    ...callCommands,
    ...subscriptionCommands(feeds, afterMs),
  ]
  const sockets = yield* makeHomeSocketServer(new Map(commands.map((command) => [command.type, command])), guard)
  let allowed: ReadonlySet<string> = new Set()
  const server = yield* Effect.acquireRelease(
    serveHome({
      host,
      port,
      guard,
      respond: (port) => {
        allowed = new Set(origins ?? defaultOrigins(port))
        return makeRespond(routes, allowed)
      },
      socketPath,
      upgrade: sockets.accept,
      streamPath,
      stream: (request, response) =>
        streamEvents(request, response, {
          shared: corsHeaders(request.headers.origin, allowed),
          authenticated: () => guard.authenticated(request.socket),
        }),
    }),
    ({ close }) => Effect.andThen(sockets.close, close),
  )
  const shown = host.includes(":") ? `[${host}]` : host
  return { port: server.port, url: `http://${shown}:${server.port}` }
})

export const homeGateway = (
  options: HomeGatewayOptions,
): Layer.Layer<HomeAddress, ListenFailed, Ports | HomeSite> =>
  Layer.effect(HomeAddress, make(options)).pipe(Layer.provide(ListenerCounts.layer))
