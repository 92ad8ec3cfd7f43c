/**
 * Handler of the stream of events: server-sent events, for clients without WebSocket.
 */
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { eventText, eventTypeOf } from "../../../protocols/home-api/home-json.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { securityHeaders } from "../../http/answer-writer.ts"
import { type HomeCall, route } from "../server/route.ts"
import { ListenerCounts, matchAll } from "./events.ts"

const pingInterval = "50 seconds"
/** The most bytes buffered for a client; the connection of a slower one is closed. */
const waitingBytesMax = 4 * 1024 * 1024

const write = (response: ServerResponse, text: string): void => {
  if (response.writableLength > waitingBytesMax) return void response.destroy()
  response.write(`data: ${text}\n\n`)
}

/** The types that a client asks for; null: all. */
const restrictionOf = (query: URLSearchParams): ReadonlySet<string> | null => {
  const restrict = query.get("restrict")
  return restrict === null ? null : new Set(restrict.split(","))
}

/** Writes events until the client disconnects or its token ends. */
const stream = Effect.fnUntraced(function* ({ query, response, user }: HomeCall) {
  const replica = yield* (yield* HomeRuntime).replica
  const counts = yield* ListenerCounts
  const { ended } = yield* HomeTokens
  const types = restrictionOf(query)
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache", ...securityHeaders })
  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      const leaves = [...types ?? [matchAll]].map(counts.enter)
      const leave = replica.listen((entries) => {
        for (const entry of entries) {
          const wanted = types === null ? entry.kind !== "reported" : types.has(eventTypeOf(entry))
          if (wanted) write(response, eventText(entry))
        }
      })
      return [leave, ...leaves]
    }),
    (leaves) => Effect.sync(() => leaves.forEach((leave) => leave())),
  )
  const pings = Effect.forever(Effect.andThen(Effect.sync(() => write(response, "ping")), Effect.sleep(pingInterval)))
  const gone = Effect.callback<void>((resume) => void response.on("close", () => resume(Effect.void)))
  yield* Effect.scoped(Effect.andThen(listen, Effect.raceAllFirst([pings, gone, ended(user)])))
  if (!response.destroyed) response.end()
  return null
})

export const streamRoutes = [route("GET", "/api/stream", stream)]
