/**
 * Events as a stream of server-sent events, for clients that know no WebSocket.
 */
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { eventText, eventTypeOf } from "../../../protocols/home-api/home-json.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { type Answer, type Headers, plainAnswer } from "../server/answer.ts"
import { ListenerCounts, matchAll } from "./events.ts"
import { userOf } from "../server/respond.ts"

export const streamPath = "/api/stream"

const pingInterval = "50 seconds"
/** Bytes that may wait for a client; one that reads slower is cut off. */
const waitingBytesMax = 4 * 1024 * 1024

const write = (response: ServerResponse, text: string): void => {
  if (response.writableLength > waitingBytesMax) return void response.destroy()
  response.write(`data: ${text}\n\n`)
}

/** The types that a client asks for; null: all. */
const restrictionOf = (target: string): ReadonlySet<string> | null => {
  const restrict = new URL(target, "http://host").searchParams.get("restrict")
  return restrict === null ? null : new Set(restrict.split(","))
}

interface StreamOptions {
  /** Headers that every answer has. */
  readonly shared: Headers
  /** To be called once the token is valid. */
  readonly authenticated: () => void
}

/** Tells events until the client goes; null then, or the answer of who may not listen. */
const stream = Effect.fnUntraced(function* (
  request: IncomingMessage,
  response: ServerResponse,
  { authenticated, shared }: StreamOptions,
) {
  if ((yield* userOf(request.headers.authorization)) === null) return plainAnswer(401)
  authenticated()
  const replica = yield* (yield* HomeRuntime).replica
  const counts = yield* ListenerCounts
  const types = restrictionOf(request.url!)
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache", ...shared })
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
  const ping = Effect.sync(() => write(response, "ping"))
  const gone = Effect.callback<void>((resume) => void response.on("close", () => resume(Effect.void)))
  yield* Effect.scoped(Effect.andThen(
    listen,
    Effect.raceFirst(Effect.forever(Effect.andThen(ping, Effect.sleep(pingInterval))), gone),
  ))
  return null
})

export const streamEvents = (request: IncomingMessage, response: ServerResponse, options: StreamOptions) =>
  Effect.catchCause(
    stream(request, response, options),
    (cause): Effect.Effect<Answer> =>
      Effect.as(Effect.logWarning("a stream of events could not be opened", cause), plainAnswer(503)),
  )
