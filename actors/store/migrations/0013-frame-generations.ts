/** The generation of the activation that may write the frames of an environment: one that was paused while its environment moved may not. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql.unsafe("ALTER TABLE frame_heads ADD COLUMN generation bigint NOT NULL DEFAULT 0"),
)
