/**
 * Connections for COPY, beside the pool of `database.ts`: the same driver, database and user, over a `CopyStream`.
 *
 * Boundary: what is copied is `frame-copy.ts`. There are none to a database that is reached by TLS, whose bytes the driver alone reads, nor
 * to the embedded one, which takes no COPY.
 *
 * Invariants:
 * 1. At most `clientsMax` connections, made when one is wanted, and ended when none was for a while.
 * 2. A connection on which anything failed is not used again.
 */
import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Pool, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import type { NetConnectOpts } from "node:net"
import { CopyStream } from "./copy-stream.ts"

/** One for each writer of frames. */
const clientsMax = 2
const idleTimeout = "60 seconds"

/** Nothing was written by COPY; it can be written otherwise. */
export class NotCopied extends Data.TaggedError("NotCopied")<{ readonly cause: unknown }> {}

/** A connection that can copy. */
export interface CopyClient {
  readonly sql: SqlClient.SqlClient
  /**
   * Runs a `COPY ... FROM STDIN (FORMAT binary)` with these rows.
   *
   * @param messages see `CopyRows`: the memory stays as it is until the answer
   */
  readonly copy: (statement: string, messages: Uint8Array) => Effect.Effect<void, SqlError.SqlError>
}

/** Where a database listens; null where it is reached otherwise than by an open socket. The driver's rules for a URL. */
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
    // Asked again for a connection that cancels a statement of the first.
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

/** Lends connections for COPY to the database of the pool; null where there are none. */
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
