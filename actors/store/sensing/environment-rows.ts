/**
 * Rows of environments as the files of this folder read and write them.
 *
 * A row that is not as it should be is left out and logged: one bad row must not take the others with it.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Environment } from "../../../protocols/domain/site.ts"

const decodeEnvironment = Schema.decodeUnknownEffect(Environment)

/** The JSON text of a column; null where there is no value. */
export const jsonOf = (value: unknown): string | null => value == null ? null : JSON.stringify(value)

/** A row of an environment: without zones it has none. */
const environmentOf = ({ zones, ...row }: { readonly zones: unknown }): unknown =>
  zones === null ? row : { ...row, zones }

/** The rows that decode. */
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
