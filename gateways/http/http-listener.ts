/**
 * How an edge on `node:http` begins to listen, and how it closes in bounded time.
 */
import { Data, Effect } from "effect"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { bind } from "./listen-on.ts"

/** The address is taken, not allowed or not ours. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly message: string }> {}

/** Milliseconds that a client has for its headers, and for its whole request. */
export const serverTimeouts = { headersTimeout: 10_000, requestTimeout: 60_000 } as const

/** What requests under way have to end when the server stops. */
const closingLimit = "1 second"

/** Listens; `variable` is what a user sets to have another port. A port of 0 takes a free one. */
export const listen = (
  server: Server,
  { host, port, variable }: { readonly host: string; readonly port: number; readonly variable: string },
): Effect.Effect<AddressInfo, ListenFailed> =>
  Effect.mapError(
    bind(server, { host, port }),
    (error) =>
      new ListenFailed({
        message: `Cannot listen on ${host}:${port}: ${error.message}. Stop what listens there, or set ${variable}.`,
      }),
  )

/** Lets requests under way end, and cuts off those that take longer than a second. */
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
