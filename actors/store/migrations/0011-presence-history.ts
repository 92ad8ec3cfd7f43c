/**
 * Presence and motion in columns of frames and minutes, and labels of spans of time. Frames of earlier versions have them in their
 * bodies only, which may be encrypted: for these, the columns are null and the sums 0.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE pose_frames
    -- Null: no statement.
    ADD COLUMN present boolean,
    -- 0 to 1.
    ADD COLUMN motion real`,
  `ALTER TABLE pose_minutes
    -- Frames that state presence, and absence. The others make no statement.
    ADD COLUMN frames_present integer NOT NULL DEFAULT 0,
    ADD COLUMN frames_absent integer NOT NULL DEFAULT 0,
    -- Frames with a value of motion, and its sum over them.
    ADD COLUMN motion_frames integer NOT NULL DEFAULT 0,
    ADD COLUMN motion_sum double precision NOT NULL DEFAULT 0`,
  `CREATE TABLE labels (
    label_id uuid PRIMARY KEY,
    environment_id text NOT NULL,
    begins_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL CHECK (ends_at > begins_at),
    state text NOT NULL CHECK (state IN ('empty', 'moving', 'still')),
    note text,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL
  )`,
  `CREATE INDEX labels_by_time ON labels (environment_id, begins_at)`,
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
