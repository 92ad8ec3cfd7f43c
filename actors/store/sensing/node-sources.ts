/**
 * The sources of the running nodes: these rows decide which environments are active.
 *
 * A node's row has the kind of its source and the environments that its start named. An environment is active if any running node
 * names it. So all nodes give the same answer, whatever the order of their starts: a node can add active environments and
 * never removes one. A row is renewed while its node runs and deleted when it stops, and it
 * expires `expiryS` after the last renewal. A node's own row always counts for the node itself: an outage of the database or a
 * suspended machine must not end the node's own environments.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { Source } from "../../../protocols/domain/provenance.ts"

/** The start of a node. */
export interface StartedWith {
  /** `live`: it waits for routers. */
  readonly source: Source
  /** Environments of its site files and of its source. */
  readonly environmentIds: ReadonlyArray<string>
  /** All enrolled environments are active, whatever their origin. */
  readonly keepsAll: boolean
  /** There is no other node on this database: rows of earlier starts are stale. */
  readonly alone: boolean
}

const renewEvery = "10 seconds"
/** A row expires this long after its last renewal, seconds. */
export const expiryS = 45
/** Expired rows are deleted after this time, seconds. */
const forgottenS = 86_400

/** The start of this node. A store without one has all of its environments active. */
export class NodeSource extends Context.Service<NodeSource, {
  readonly startId: string
}>()("wavepose/actors/NodeSource") {}

/** Registers the start of the node while it runs. */
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
