/**
 * Frames whose persons are not counted have no number of persons, and are in none of the sums `frames_0` to `frames_4_plus`. Frames of
 * earlier versions keep their 0.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE pose_frames ALTER COLUMN person_count DROP NOT NULL`
})
