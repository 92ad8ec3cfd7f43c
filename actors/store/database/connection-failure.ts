/**
 * Describes a failed database connection: the address, the cause and the remedy. The password is never included.
 */
import { Schema } from "effect"
import { SqlError } from "effect/sql"
import type { DatabaseLocation } from "./database-location.ts"

/** The database cannot be reached. The message has the address, the cause and the remedy. */
class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  message: Schema.String,
}) {}

const urlForm = "postgres://user:password@host:port/database"

/** Host, port and database of a PostgreSQL URL. Null for any other text. */
const placeOf = (raw: string): string | null => {
  if (!URL.canParse(raw)) return null
  const url = new URL(raw)
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") return null
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  const port = url.searchParams.get("port") ?? (url.port || "5432")
  const user = decodeURIComponent(url.username) || "postgres"
  const name = url.searchParams.get("dbname") ?? (decodeURIComponent(url.pathname.slice(1)) || user)
  return `${host === "" ? "localhost" : host}:${port}, database "${name}"`
}

/** The innermost cause. A host with several addresses has one cause per address. */
export const whyOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return [...new Set(cause.errors.map(whyOf))].join(", ")
  const { cause: inner, message } = cause as { readonly cause?: unknown; readonly message?: string }
  return inner instanceof Error ? whyOf(inner) : message || String(cause)
}

/** Converts a connection failure to one with a readable message. Other failures are returned unchanged. */
export const orUnreachable = (location: DatabaseLocation) => <E>(failure: E): E | DatabaseUnreachable => {
  if (!SqlError.isSqlError(failure)) return failure
  if (failure.reason.operation !== "connect" && failure.reason._tag !== "ConnectionError") return failure
  const why = whyOf(failure.reason.cause)
  if (!("url" in location)) {
    return new DatabaseUnreachable({ message: `The embedded database does not answer: ${why}. Start wavepose again.` })
  }
  const place = placeOf(location.url)
  return new DatabaseUnreachable({
    message: place === null
      ? `DATABASE_URL cannot be read. Write it as ${urlForm}.`
      : `There is no connection to PostgreSQL at ${place}: ${why}. ` +
        `Check that it runs there and accepts this user, and that DATABASE_URL (${urlForm}) is right.`,
  })
}
