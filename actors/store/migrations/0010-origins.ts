/**
 * The origin of an environment, and the sources of the running nodes.
 *
 * Environments of earlier versions have no origin. If all stored frames of one are simulated, or all replayed, its origin is that source. The
 * same applies to one without frames whose name a scenario or a replay assigns. All others are live: an environment that was ever measured
 * stays active.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE environments
    ADD COLUMN origin_source text NOT NULL DEFAULT 'live' CHECK (origin_source IN ('live', 'replay', 'simulated')),
    -- The site file, the recordings or the scenario; null when it was not recorded.
    ADD COLUMN origin_name text`,
  `WITH stored AS (
    SELECT environment_id, sum(frames_live) AS live, sum(frames_replay) AS replay, sum(frames_simulated) AS simulated
    FROM pose_minutes GROUP BY environment_id
  )
  UPDATE environments SET origin_source = CASE
      WHEN environments.environment_id LIKE 'replay%' THEN 'replay' WHEN stored.replay > 0 THEN 'replay' ELSE 'simulated' END
    FROM stored WHERE stored.environment_id = environments.environment_id
      AND stored.live = 0 AND stored.replay + stored.simulated > 0`,
  `UPDATE environments SET origin_source = CASE WHEN name LIKE 'Replay of %' THEN 'replay' ELSE 'simulated' END
    WHERE (name LIKE 'Simulation of %' OR name LIKE 'Replay of %')
      AND NOT EXISTS (SELECT FROM pose_minutes WHERE pose_minutes.environment_id = environments.environment_id)`,
  `CREATE TABLE node_sources (
    start_id uuid PRIMARY KEY,
    source text NOT NULL CHECK (source IN ('live', 'replay', 'simulated')),
    -- Environments that the start itself named.
    environment_ids text[] NOT NULL,
    -- Whether all environments are active beside them.
    keeps_all boolean NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now()
  )`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
