/**
 * What all WebSocket servers have in common: detection of dead connections, and a close in bounded time.
 */
import type { WebSocket, WebSocketServer } from "@effect/platform-node/NodeWS"
import { type Duration, Effect, type Scope } from "effect"

/** The time that clients have to close their connections when the server stops. */
const closingLimit = "1 second"

/** The close code of a server that stops (RFC 6455). */
const goingAway = 1001

/** Pings every client at this interval, for the scope; terminates the connection of one that has not answered the last ping. */
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

/** Closes all connections of a server with 1001; terminates those that are not closed after a second. */
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
