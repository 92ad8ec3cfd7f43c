/**
 * Rotation of the encryption key for values without retention: the store of a table encrypts them again under the first key when it
 * starts, so that older keys can be removed.
 *
 * Boundary: frames, events and histories stay under the key that they were written with until their retention ends.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EncryptionKeys } from "./encryption-keys.ts"
import { sealAnew } from "./sealing.ts"

/** The columns of a table that hold a sealed value. */
interface SealedColumns {
  readonly table: string
  readonly id: string
  /** The id of the key, and what it seals. */
  readonly keyId: string
  readonly body: string
  /** The encryption context of a row, of which `of` is a column as text. */
  readonly context: { readonly of: string; readonly text: (value: string) => string }
}

interface Row {
  readonly id: string
  readonly of: string
  readonly keyId: number
  readonly body: Uint8Array
}

/** Values that cannot be sealed now stay under their key. */
export const orNextStart = <R>(table: string, sealing: Effect.Effect<unknown, { readonly message: string }, R>) =>
  Effect.catch(
    sealing,
    ({ message }) => Effect.logWarning(`${table}: values are sealed anew at the next start`, message),
  )

/** Seals the rows of a table anew that are not sealed under the first key. Rows that this node cannot open stay as they are. */
export const sealRowsAnew = Effect.fnUntraced(
  function* ({ body, context, id, keyId, table }: SealedColumns) {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* EncryptionKeys
    const known = (yield* sql<{ keyId: number }>`SELECT DISTINCT ${sql(keyId)} AS "keyId" FROM ${sql(table)}`)
      .filter((row) => keys.byId(row.keyId) !== undefined)
    if (known.length === 0) return
    const first = yield* keys.sealing
    const rows = yield* sql<Row>`
      SELECT ${sql(id)}::text AS id, ${sql(context.of)}::text AS "of", ${sql(keyId)} AS "keyId", ${sql(body)} AS body
      FROM ${sql(table)} WHERE ${sql(keyId)} <> ${first.id}`
    for (const row of rows) {
      const anew = yield* sealAnew(row, context.text(row.of))
      if (anew === null) continue
      // Unless another node has written it meanwhile.
      yield* sql`UPDATE ${sql(table)} SET ${sql(keyId)} = ${anew.keyId}, ${sql(body)} = ${anew.body}
        WHERE ${sql(id)}::text = ${row.id} AND ${sql(body)} = ${row.body}`
    }
  },
  (sealing, { table }) => orNextStart(table, sealing),
)
