/**
 * The bridge's server: reads the feed into its memory, and answers from there.
 *
 * Invariant: it ends with the feed. When the privacy gate rejects a record, no request is answered any more, not even from older records.
 */
import { Clock, Effect, Stream } from "effect"
import type { Socket } from "node:net"
import { errorHintText } from "../../protocols/bridge/bridge.ts"
import { type ClassRefused, EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import {
  type ConnectionBounds,
  defaultConnectionBounds,
  makeConnectionGuard,
  retryAfterS,
} from "../access/connection-guard.ts"
import type { CorsPolicy } from "../http/cors.ts"
import { type HttpFace, serveHttp } from "../http/http-server.ts"
import { type CertificateSource, edgeUrl } from "../http/tls.ts"
import { splitTarget } from "../http/request.ts"
import { makeUuids } from "../http/uuid.ts"
import { bridgeAccess, healthPath } from "./access.ts"
import { makeMemory, type Memory } from "./memory.ts"
import { bridgeAnswer, bridgeRoutes } from "./routes.ts"

export interface BridgeOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Null: HTTP without TLS. */
  readonly tls: CertificateSource | null
  /** Null: bound to loopback, and public there. */
  readonly token: string | null
  /** Bounds of open connections; default `defaultConnectionBounds`. */
  readonly bounds?: ConnectionBounds
  /** Origins of web pages that may call; default none. */
  readonly origins?: ReadonlyArray<string>
  readonly version: string
}

const corsRules: Omit<CorsPolicy, "origins"> = {
  methods: ["GET", "HEAD", "POST", "OPTIONS"],
  requestHeaders: ["Authorization", "Content-Type", "Accept"],
  exposedHeaders: [],
}

/** How often the bridge reads which nodes are enrolled. */
const readEvery = "5 seconds"

/** Forgets the nodes that two reads in a row did not return: a node that moves to another runner is missing in one. */
const forgetRemovedNodes = Effect.fnUntraced(function* (
  feed: EdgeFeed["Service"],
  memory: Memory,
  nowMs: () => number,
): Effect.fn.Return<never, ClassRefused> {
  let missed: ReadonlySet<string> = new Set()
  while (true) {
    yield* Effect.sleep(readEvery)
    const found = yield* Effect.catchTag(feed.current("bridge"), "StoreUnavailable", () => Effect.succeed(null))
    if (found === null) continue
    const there = new Set(found.map(({ record }) => record.nodeId))
    const missing = memory.nodes(nowMs()).map(({ released }) => released.record.nodeId).filter((id) => !there.has(id))
    for (const nodeId of missing) if (missed.has(nodeId)) memory.forget(nodeId)
    missed = new Set(missing)
  }
})

/** The HTTP face of the bridge, which answers from this memory. */
const makeBridgeFace = (
  options: BridgeOptions,
  memory: Memory,
  { authenticated, nowMs, uuid }: {
    readonly authenticated: (socket: Socket) => void
    readonly nowMs: () => number
    readonly uuid: () => string
  },
): HttpFace<never> => {
  const { origins = [], token, version } = options
  const answer = bridgeRoutes(memory, version)
  const reject = bridgeAccess(token)
  return {
    answer: (request) =>
      Effect.sync(() => {
        const { method = "GET", url: target = "/" } = request
        const { authorization, host } = request.headers
        // No route reads a body; it is discarded.
        request.resume()
        const { path } = splitTarget(target)
        const rejected = reject(path, { authorization, host })
        if (rejected !== null) return rejected
        // A request for a public path proves nothing, unless the bridge has no token and all its paths are public.
        if (token === null || path !== healthPath) authenticated(request.socket)
        return answer({ method, target, nowMs: nowMs(), uuid })
      }),
    upgrade: null,
    overloaded: (_, { message }) =>
      bridgeAnswer(503, errorHintText("Too many connections are open.", message), {
        "Retry-After": String(retryAfterS),
      }),
    malformed: null,
    closing: null,
    cors: origins.length === 0 ? null : () => ({ ...corsRules, origins: new Set(origins) }),
    preflightRejected: null,
    encodings: ["br", "gzip"],
  }
}

/** Listens for the scope. Returns its URL, and an effect that ends with the bridge's feed. */
export const serveBridge = Effect.fnUntraced(function* (options: BridgeOptions) {
  const feed = yield* EdgeFeed
  const clock = yield* Clock.Clock
  const uuid = yield* makeUuids
  const memory = makeMemory()
  const nowMs = () => clock.currentTimeMillisUnsafe()
  const { host, port: wantedPort, tls } = options
  const guard = makeConnectionGuard(options.bounds ?? defaultConnectionBounds, () => false)
  const face = makeBridgeFace(options, memory, { authenticated: guard.authenticated, nowMs, uuid })
  const { port } = yield* Effect.acquireRelease(
    serveHttp({ host, port: wantedPort, portVariable: "WAVEPOSE_BRIDGE_PORT", tls, guard, traffic: null, face }),
    ({ close }) => close,
  )
  const taken = Stream.runForEach(
    feed.watch("bridge"),
    (released) => Effect.sync(() => memory.put(released, nowMs())),
  )
  const ended = Effect.raceFirst(taken, forgetRemovedNodes(feed, memory, nowMs))
  return { url: edgeUrl(tls, host, port), ended }
})
