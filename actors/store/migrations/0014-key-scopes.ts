/**
 * Scopes of API keys. Keys of earlier versions have all scopes of their role.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Null: all scopes of the role.
  yield* sql`ALTER TABLE api_keys ADD COLUMN scopes text[]`
})
