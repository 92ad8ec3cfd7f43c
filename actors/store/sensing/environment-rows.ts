/**
 * Rows of environments.
 *
 * An invalid row is logged and omitted, so that the others are still returned.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Environment } from "../../../protocols/domain/site.ts"

const decodeEnvironment = Schema.decodeUnknownEffect(Environment)

/** The JSON text of a column; null if there is no value. */
export const jsonOf = (value: unknown): string | null => value == null ? null : JSON.stringify(value)

/** A row of an environment. Rows without zones omit them. */
const environmentOf = ({ zones, ...row }: { readonly zones: unknown }): unknown =>
  zones === null ? row : { ...row, zones }

/** The valid rows, decoded. */
export const decodeRows = Effect.fnUntraced(function* <A>(
  rows: ReadonlyArray<unknown>,
  decode: (row: unknown) => Effect.Effect<A, Schema.SchemaError>,
) {
  const decoded: Array<A> = []
  for (const row of rows) {
    yield* Effect.matchEffect(decode(row), {
      onSuccess: (value) => Effect.sync(() => void decoded.push(value)),
      onFailure: (error) => Effect.logWarning("a row of the directory is left out", row, error.message),
    })
  }
  return decoded
})

export const columnsOf = (sql: SqlClient.SqlClient) =>
  sql.literal(`environments.environment_id AS "environmentId", name, geometry, zones`)

export const environmentRows = (rows: ReadonlyArray<{ readonly zones: unknown }>) =>
  decodeRows(rows.map(environmentOf), decodeEnvironment)
