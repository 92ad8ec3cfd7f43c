/**
 * Connections for COPY, beside the pool of `database.ts`: the same driver, database and user, over a `CopyStream`.
 *
 * Boundary: `frame-copy.ts` decides what is copied. There are no such connections to a database that uses TLS, whose bytes only the driver
 * reads, or to the embedded one, which has no COPY.
 *
 * Invariants:
 * 1. At most `clientsMax` connections. They are opened on demand and closed when idle.
 * 2. A connection is not used again after any failure.
 */
import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Pool, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import type { NetConnectOpts } from "node:net"
import { CopyStream } from "./copy-stream.ts"

/** One per writer of frames. */
const clientsMax = 2
const idleTimeout = "60 seconds"

/** COPY wrote nothing. INSERT may succeed. */
export class NotCopied extends Data.TaggedError("NotCopied")<{ readonly cause: unknown }> {}

/** A connection that supports COPY. */
export interface CopyClient {
  readonly sql: SqlClient.SqlClient
  /**
   * Runs a `COPY ... FROM STDIN (FORMAT binary)` with these rows.
   *
   * @param messages see `CopyRows`. The memory must not change until the answer arrives.
   */
  readonly copy: (statement: string, messages: Uint8Array) => Effect.Effect<void, SqlError.SqlError>
}

/** The address of a database; null if it is not an open TCP socket. Follows the driver's rules for a URL. */
export const endpointOf = (url: string): NetConnectOpts | null => {
  if (!URL.canParse(url)) return null
  const { hostname, port, searchParams } = new URL(url)
  if ((searchParams.get("sslmode") ?? "disable") !== "disable") return null
  const host = searchParams.get("host") ?? decodeURIComponent(hostname.replace(/^\[|\]$/g, ""))
  const portNumber = Number(searchParams.get("port") ?? (port === "" ? 5432 : port))
  return host.startsWith("/")
    ? { path: `${host}/.s.PGSQL.${portNumber}` }
    : { host: host === "" ? "localhost" : host, port: portNumber, noDelay: true }
}

const makeClient = Effect.fnUntraced(function* (config: PgClient.PgClientConfig, endpoint: NetConnectOpts) {
  let stream: CopyStream | null = null
  const sql = yield* PgClient.makeClient({
    ...config,
    ssl: false,
    // The driver opens a second connection to cancel a statement of the first.
    stream: () => {
      const opened = new CopyStream(endpoint)
      stream ??= opened
      return opened
    },
  })
  const copy = (statement: string, messages: Uint8Array) =>
    Effect.suspend(() => {
      stream!.give(messages)
      return Effect.asVoid(sql.unsafe(statement))
    })
  return { sql, copy } satisfies CopyClient
})

/** Lends connections for COPY to the database of the pool; null if it does not support them. */
export const makeCopyClients = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  const endpoint = config.url === undefined ? null : endpointOf(Redacted.value(config.url))
  if (endpoint === null) return null
  const clients = yield* Pool.makeWithTTL({
    acquire: makeClient(config, endpoint).pipe(
      Effect.provide(Reactivity.layer),
      Effect.mapError((cause) => new NotCopied({ cause })),
    ),
    min: 0,
    max: clientsMax,
    timeToLive: idleTimeout,
  })
  return <A, E>(work: (client: CopyClient) => Effect.Effect<A, E>) =>
    Pool.use(clients, (client) => Effect.onError(work(client), () => Pool.invalidate(clients, client)))
})
