/**
 * The home gateway: the home-automation API over REST and WebSocket on a port of its own, as one layer.
 */
import { Context, Effect, Layer } from "effect"
import type { HomeHistory } from "../../protocols/ports/home-history.ts"
import type { HomePlugins } from "../../protocols/ports/home-plugins.ts"
import type { HomeRegistries } from "../../protocols/ports/home-registries.ts"
import type { HomeRuntime } from "../../protocols/ports/home-runtime.ts"
import type { HomeServices } from "../../protocols/ports/home-services.ts"
import type { HomeTokens } from "../../protocols/ports/home-tokens.ts"
import { checkedProxies } from "../access/client-address.ts"
import { type ConnectionBounds, defaultConnectionBounds, makeConnectionGuard } from "../access/connection-guard.ts"
import type { ListenFailed } from "../http/http-listener.ts"
import { aboutRoutes } from "./routes/api-info.ts"
import { HomeSite } from "./server/configuration.ts"
import { corsHeaders, defaultOrigins } from "./server/cors.ts"
import { eventRoutes, ListenerCounts } from "./routes/events.ts"
import { historyRoutes } from "./routes/history.ts"
import { serveHome } from "./server/http-server.ts"
import { makeRespond } from "./server/respond.ts"
import type { HomeRoute } from "./server/route.ts"
import { serviceRoutes } from "./routes/services.ts"
import { callCommands } from "./socket/calls.ts"
import type { Command } from "./socket/command.ts"
import { makeHomeFeeds } from "./socket/feeds.ts"
import { queryCommands } from "./socket/queries.ts"
import { afterMs, makeHomeSocketServer, socketPath } from "./socket/server.ts"
import { subscriptionCommands } from "./socket/subscriptions.ts"
import { stateRoutes } from "./routes/states.ts"
import { streamEvents, streamPath } from "./routes/stream.ts"

interface HomeGatewayOptions {
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
