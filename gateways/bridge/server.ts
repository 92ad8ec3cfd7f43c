/**
 * The bridge's server on `node:http`: reads the feed into its memory, and answers from there.
 *
 * Invariant: it ends with the feed. When the gate refuses a record, no request is answered any more, with whatever was known before.
 */
import { Clock, Effect, Stream } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { errorHintText } from "../../protocols/bridge/bridge.ts"
import type { Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import { type ClassRefused, EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import {
  type ConnectionBounds,
  defaultConnectionBounds,
  makeConnectionGuard,
  retryAfterS,
} from "../access/connection-guard.ts"
import { closeServer, listen, serverTimeouts } from "../http/http-listener.ts"
import { makeUuids } from "../http/uuid.ts"
import { bridgeAccess, healthPath } from "./access.ts"
import { makeMemory, type Memory } from "./memory.ts"
import { type BridgeAnswer, bridgeRoutes } from "./routes.ts"

export interface BridgeOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Null: bound to loopback, and open there. */
  readonly token: string | null
  /** What the listener keeps open; default `defaultConnectionBounds`. */
  readonly bounds?: ConnectionBounds
  readonly version: string
}

/** A connection is one too many. */
const overloaded = ({ message }: Overloaded): BridgeAnswer => ({
  status: 503,
  text: errorHintText("Too many connections are open.", message),
  headers: { Connection: "close", "Retry-After": String(retryAfterS) },
})

const write = (response: ServerResponse, isHead: boolean, { headers, status, text }: BridgeAnswer): void => {
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    ...headers,
  }).end(isHead ? undefined : text)
}

/** How often the bridge asks which nodes there still are. */
const lookEvery = "5 seconds"

/** Forgets the nodes that two looks in a row have missed: one that is moving to another runner misses one. */
const keepLooking = Effect.fnUntraced(function* (
  feed: EdgeFeed["Service"],
  memory: Memory,
  nowMs: () => number,
): Effect.fn.Return<never, ClassRefused> {
  let missed: ReadonlySet<string> = new Set()
  while (true) {
    yield* Effect.sleep(lookEvery)
    const found = yield* Effect.catchTag(feed.current("bridge"), "StoreUnavailable", () => Effect.succeed(null))
    if (found === null) continue
    const there = new Set(found.map(({ record }) => record.nodeId))
    const missing = memory.nodes(nowMs()).map(({ released }) => released.record.nodeId).filter((id) => !there.has(id))
    for (const nodeId of missing) if (missed.has(nodeId)) memory.forget(nodeId)
    missed = new Set(missing)
  }
})

/** Listens for the scope, and answers the port and what ends the bridge: the end of its feed. */
export const serveBridge = Effect.fnUntraced(function* (options: BridgeOptions) {
  const feed = yield* EdgeFeed
  const clock = yield* Clock.Clock
  const uuid = yield* makeUuids
  const memory = makeMemory()
  const answer = bridgeRoutes(memory, options.version)
  const refuse = bridgeAccess(options.token)
  const guard = makeConnectionGuard(options.bounds ?? defaultConnectionBounds, () => false)

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url: target = "/" } = request
    const { authorization, host } = request.headers
    // No route reads a body; what is sent is thrown away.
    request.resume()
    const overload = guard.refusal(request.socket)
    const path = target.split("?", 1)[0]!
    const refused = overload === null ? refuse(path, { authorization, host }) : overloaded(overload)
    // Who asks for what is open to everybody has shown nothing, but where there is no token nobody has to.
    if (refused === null && (options.token === null || path !== healthPath)) guard.authenticated(request.socket)
    const nowMs = clock.currentTimeMillisUnsafe()
    write(response, method === "HEAD", refused ?? answer({ method, target, nowMs, uuid }))
  }

  const server = createServer(serverTimeouts, onRequest)
  server.on("connection", guard.joined)
  const { port } = yield* Effect.acquireRelease(
    listen(server, { host: options.host, port: options.port, variable: "WAVEPOSE_BRIDGE_PORT" }),
    () => closeServer(server),
  )
  const nowMs = () => clock.currentTimeMillisUnsafe()
  const taken = Stream.runForEach(
    feed.watch("bridge"),
    (released) => Effect.sync(() => memory.put(released, nowMs())),
  )
  const ended = Effect.raceFirst(taken, keepLooking(feed, memory, nowMs))
  return { port, ended }
})
