/**
 * How an HTTP server starts to listen, the limits that it has for every request, and how it closes in bounded time.
 */
import { Data, Effect } from "effect"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { bind } from "./listen-on.ts"

/** The address is in use, not permitted, or not of this machine. */
class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly message: string }> {}

/** Milliseconds that a client has for its headers and for its whole request, and bytes of its request line and headers together. */
export const serverLimits = { headersTimeout: 10_000, requestTimeout: 60_000, maxHeaderSize: 16_384 } as const

/** The time that requests under way have to end when the server stops. */
const closingLimit = "1 second"

/** Listens; `portVariable` is the setting that changes the port. Port 0 selects a free one. */
export const listen = (
  server: Server,
  { host, port, portVariable }: { readonly host: string; readonly port: number; readonly portVariable: string },
): Effect.Effect<AddressInfo, ListenFailed> =>
  Effect.mapError(
    bind(server, { host, port }),
    (error) =>
      new ListenFailed({
        message: `Cannot listen on ${host}:${port}: ${error.message}. Stop what listens there, or set ${portVariable}.`,
      }),
  )

/** Stops listening; requests under way have a second to end before their connections are closed. */
export const closeServer = (server: Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
  }).pipe(
    Effect.timeoutOrElse({
      duration: closingLimit,
      orElse: () => Effect.sync(() => server.closeAllConnections()),
    }),
  )
