/**
 * What all WebSocket edges do alike: find out who is gone, and send everybody away in bounded time.
 */
import type { WebSocket, WebSocketServer } from "@effect/platform-node/NodeWS"
import { type Duration, Effect, type Scope } from "effect"

/** What clients have to close on their own when the server goes away. */
const closingLimit = "1 second"

/** RFC 6455: the server goes away. */
const goingAway = 1001

/** Pings every client now and then, for the scope; one that has answered nothing since the last time is cut off. */
export const pingClients = Effect.fnUntraced(function* (
  server: WebSocketServer,
  interval: Duration.Input,
): Effect.fn.Return<{ readonly joined: (webSocket: WebSocket) => void }, never, Scope.Scope> {
  const answering = new WeakSet<WebSocket>()
  const ping = Effect.sync(() => {
    for (const webSocket of server.clients) {
      if (!answering.delete(webSocket)) webSocket.terminate()
      else webSocket.ping()
    }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(interval), ping)))
  return {
    joined: (webSocket) => {
      answering.add(webSocket)
      webSocket.on("pong", () => answering.add(webSocket))
    },
  }
})

/** Closes every client of a server with 1001; cuts off who has not closed after a second. */
export const closeClients = (server: WebSocketServer): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const done = () => {
      if (server.clients.size === 0) resume(Effect.void)
    }
    for (const webSocket of server.clients) {
      webSocket.on("close", done)
      webSocket.close(goingAway, "the server goes away")
    }
    done()
  }).pipe(
    Effect.timeoutOrElse({ duration: closingLimit, orElse: () => Effect.void }),
    Effect.andThen(Effect.sync(() => {
      for (const webSocket of server.clients) webSocket.terminate()
    })),
  )
