/**
 * The writers of frames: a trigger of the test's database notes with which connection each frame head was claimed or moved on.
 *
 * Each node has its name in the settings of its connections. An environment is owned by the node whose activation has claimed it last; before
 * its first frame, nobody has claimed it.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { HistoryFrame } from "../../../sim/cluster/checker.ts"

/** The URL with which a node of this name connects. */
export const namedUrl = (url: string, name: string): string => {
  const named = new URL(url)
  named.searchParams.set("options", `-c faults.node=${name}`)
  return named.href
}

const statements = [
  `CREATE SCHEMA IF NOT EXISTS faults`,
  `CREATE TABLE IF NOT EXISTS faults.heads (
    number bigint GENERATED ALWAYS AS IDENTITY,
    environment_id text NOT NULL,
    frame_id bigint NOT NULL,
    is_claim boolean NOT NULL,
    node text NOT NULL
  )`,
  `CREATE OR REPLACE FUNCTION faults.note_head() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' OR NEW.frame_id > OLD.frame_id THEN
      INSERT INTO faults.heads (environment_id, frame_id, is_claim, node)
      VALUES (NEW.environment_id, NEW.frame_id, false, current_setting('faults.node', true));
    ELSIF NEW.generation > OLD.generation THEN
      INSERT INTO faults.heads (environment_id, frame_id, is_claim, node)
      VALUES (NEW.environment_id, NEW.frame_id, true, current_setting('faults.node', true));
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER note_head AFTER INSERT OR UPDATE ON frame_heads FOR EACH ROW EXECUTE FUNCTION faults.note_head()`,
]

const withSql = <A>(url: string, use: (sql: PgClient.PgClient) => Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(
    Effect.flatMap(PgClient.PgClient, use).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url) }))),
  )

/** Begins to note the writers, once the database has its tables. */
export const noteWriters = (url: string): Promise<unknown> =>
  withSql(url, (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))

interface Head {
  readonly room: string
  readonly frameId: number
  readonly isClaim: boolean
  readonly node: string
}

/** Who wrote the frames. */
interface Written {
  /** Adds the writer and the owner to the frames of a room. */
  readonly frames: (room: string, frames: ReadonlyArray<HistoryFrame>) => ReadonlyArray<HistoryFrame>
  /** Ids of the newest frame at each claim of the room: it moved, or was opened again. */
  readonly claims: (room: string) => ReadonlyArray<number>
}

export const readWriters = async (url: string): Promise<Written> => {
  const heads = await withSql(url, (sql) =>
    sql<Head>`
      SELECT environment_id AS room, frame_id::float8 AS "frameId", is_claim AS "isClaim", node FROM faults.heads ORDER BY number`)
  const rooms = Map.groupBy(heads, ({ room }) => room)
  return {
    frames: (room, frames) => {
      const noted = rooms.get(room) ?? []
      let at = 0
      let owner: string | null = null
      return frames.map((frame) => {
        // A head moves over all frames of an append.
        while (at < noted.length && (noted[at]!.isClaim || noted[at]!.frameId < frame.frameId)) {
          const { isClaim, node } = noted[at++]!
          if (isClaim) owner = node
        }
        return { ...frame, writer: noted[at]?.node ?? "", owner: noted[at] === undefined ? null : owner }
      })
    },
    claims: (room) => (rooms.get(room) ?? []).filter(({ isClaim }) => isClaim).map(({ frameId }) => frameId),
  }
}

/** The rooms of which a node with a name like this has written the newest frame. */
export const roomsOf = async (url: string, name: string): Promise<ReadonlySet<string>> => {
  const rows = await withSql(url, (sql) =>
    sql<{ room: string; node: string }>`
      SELECT DISTINCT ON (environment_id) environment_id AS room, node FROM faults.heads ORDER BY environment_id, number DESC`)
  return new Set(rows.filter(({ node }) => node.startsWith(name)).map(({ room }) => room))
}
