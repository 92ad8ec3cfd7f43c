/**
 * What each running node was started with: the rows that decide which environments are active.
 *
 * A node's row says which kind of source it waits for or plays, and which environments its start named. Active are the environments that any
 * running node stands for, so the answer is the same on every node and does not depend on the order of their starts: a node can add
 * to what the others have active and never takes anything away. A row is renewed while its node runs, deleted when it stops, and counts
 * no more after `expiryS` without a sign of its node. A node's own row always counts for itself: a database that was away for a
 * while, or a machine that was suspended, must not end the node's own environments.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { Source } from "../../../protocols/domain/provenance.ts"

/** What a node was started with. */
export interface StartedWith {
  /** `live`: it waits for routers. */
  readonly source: Source
  /** Environments of its site files and of its source. */
  readonly environmentIds: ReadonlyArray<string>
  /** All enrolled environments are active, whatever they belong to. */
  readonly keepsAll: boolean
  /** There is no other node on this database: rows of earlier starts are of the dead. */
  readonly alone: boolean
}

const renewEvery = "10 seconds"
/** A row counts for so long after the last sign of its node, seconds. */
export const expiryS = 45
/** Rows of nodes that died are kept for so long, seconds. */
const forgottenS = 86_400

/** The start of this node; a store for itself has none, and all of its environments are active. */
export class NodeSource extends Context.Service<NodeSource, {
  readonly startId: string
}>()("wavepose/actors/NodeSource") {}

/** Stands for what the node was started with for as long as it runs. */
export const layerNodeSource = ({ alone, environmentIds, keepsAll, source }: StartedWith) =>
  Layer.effect(
    NodeSource,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const startId = yield* (yield* SecureRandom.SecureRandom).uuidV7()
      const renew = sql`
        INSERT INTO node_sources (start_id, source, environment_ids, keeps_all)
        VALUES (${startId}::uuid, ${source}, ${[...environmentIds]}::text[], ${keepsAll})
        ON CONFLICT (start_id) DO UPDATE SET seen_at = now()`
      yield* alone
        ? sql`DELETE FROM node_sources`
        : sql`DELETE FROM node_sources WHERE seen_at < now() - make_interval(secs => ${forgottenS}::int4)`
      yield* renew
      yield* Effect.addFinalizer(() => Effect.ignore(sql`DELETE FROM node_sources WHERE start_id = ${startId}::uuid`))
      yield* renew.pipe(
        Effect.catch(({ message }) => Effect.logWarning("the source of this node is recorded again later", message)),
        Effect.repeat(Schedule.spaced(renewEvery)),
        Effect.delay(renewEvery),
        Effect.forkScoped,
      )
      return { startId }
    }),
  )
