/**
 * Identities of sensing nodes in the database: implements the ports of operators and of listeners.
 *
 * Invariants: a key is stored encrypted. It leaves this file once towards the operator, when it is created, and towards the listeners of
 * this service. A node has at most two keys. The position of a key never decreases, whichever listener reports it. A key that cannot be
 * opened here is left out of the allowlist.
 */
import { Clock, Context, Effect, Exit, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { keyBytes } from "../../../core/identity/signed-datagram.ts"
import {
  effectiveStanding,
  type IdentityPolicy,
  networkIdentity,
  type NodeIdentity,
  nodesMax,
  type NodeStanding,
} from "../../../protocols/domain/node-identity.ts"
import {
  type KeyObservation,
  type NodeAllowlist,
  NodeAllowlists,
  NodeIdentities,
  type NodeKey,
  type NodeObservation,
  NodeRegistry,
} from "../../../protocols/ports/node-identities.ts"
import { booleans, integers, numbers, texts } from "../sql/columns.ts"
import { orStoreUnavailable } from "../database/database.ts"
import type { EncryptionKeys } from "../encryption/encryption-keys.ts"
import { makeLeaveOut } from "../encryption/left-out.ts"
import { sealRowsAnew } from "../encryption/rotation.ts"
import { openSealed, sealAll } from "../encryption/sealing.ts"

/** The encryption context of a key. */
const keyContext = (nodeId: string): string => `node key ${nodeId}`

/** A node without a decision is deleted after this silence, if another node needs the place. */
const silentDaysMax = 30

/** The maximum age of an answer of `NodeRegistry`. */
const staleMsMax = 1_000

const epochMs = (column: string, name: string): string => `(extract(epoch FROM ${column}) * 1000)::float8 AS "${name}"`

const columns = [
  `node_id AS "nodeId"`,
  "standing",
  "reason",
  epochMs("first_seen_at", "firstSeenMs"),
  epochMs("last_seen_at", "lastSeenMs"),
  `last_signed AS "lastSigned"`,
  epochMs("decided_at", "decidedMs"),
  `decided_by AS "decidedBy"`,
  `ARRAY(SELECT key_number FROM node_keys k WHERE k.node_id = sensing_nodes.node_id ORDER BY key_number DESC) AS "keyNumbers"`,
].join(", ")

interface KeyRow {
  readonly keyNumber: number
  readonly nodeId: string
  readonly sealingKeyId: number
  readonly sealed: Uint8Array
  readonly epoch: number | null
  readonly sequence: number | null
}

const leftOutText = ({ keyNumber, nodeId }: KeyRow): string =>
  `key ${keyNumber} of ${nodeId} is left out, its datagrams are rejected; enrol the node again if the encryption key is lost`

type Needs = EncryptionKeys | SecureRandom.SecureRandom | SqlClient.SqlClient

const makeIdentities = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const context = yield* Effect.context<EncryptionKeys | SecureRandom.SecureRandom>()
  const shown = sql.literal(columns)
  yield* sealRowsAnew({
    table: "node_keys",
    id: "key_number",
    keyId: "sealing_key_id",
    body: "sealed",
    context: { of: "node_id", text: keyContext },
  })

  const one = (nodeId: string) =>
    Effect.map(sql<NodeIdentity>`SELECT ${shown} FROM sensing_nodes WHERE node_id = ${nodeId}`, ([node]) => node!)

  /** Writes a decision about a node, which may be new. */
  const decide = Effect.fnUntraced(
    function* (nodeId: string, standing: NodeStanding, reason: string | null, by: string) {
      const nowS = (yield* Clock.currentTimeMillis) / 1000
      yield* sql`
      INSERT INTO sensing_nodes (node_id, standing, reason, decided_at, decided_by)
      VALUES (${nodeId}, ${standing}, ${reason}, to_timestamp(${nowS}::float8), ${by})
      ON CONFLICT (node_id) DO UPDATE SET standing = excluded.standing, reason = excluded.reason,
        decided_at = excluded.decided_at, decided_by = excluded.decided_by`
      return nowS
    },
  )

  const enrol: NodeIdentities["Service"]["enrol"] = Effect.fnUntraced(function* (nodeId, by) {
    const key = yield* random.randomBytes(keyBytes)
    const [sealed] = yield* sealAll([key], keyContext(nodeId)).pipe(Effect.provide(context))
    return yield* orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
      const nowS = yield* decide(nodeId, "enrolled", null, by)
      yield* sql`DELETE FROM node_keys WHERE node_id = ${nodeId}
        AND key_number < (SELECT max(key_number) FROM node_keys WHERE node_id = ${nodeId})`
      const [row] = yield* sql<{ keyNumber: number }>`
        INSERT INTO node_keys (node_id, sealing_key_id, sealed, created_at, created_by)
        VALUES (${nodeId}, ${sealed!.keyId}, ${sealed!.body}, to_timestamp(${nowS}::float8), ${by})
        RETURNING key_number AS "keyNumber"`
      return { node: yield* one(nodeId), keyNumber: row!.keyNumber, key }
    })))
  })

  return NodeIdentities.of({
    all: orStoreUnavailable(sql<NodeIdentity>`SELECT ${shown} FROM sensing_nodes ORDER BY node_id`),
    enrol,
    quarantine: (nodeId, reason, by) =>
      orStoreUnavailable(Effect.andThen(decide(nodeId, "quarantined", reason, by), one(nodeId))),
    release: Effect.fnUntraced(function* (nodeId, by) {
      const nowS = (yield* Clock.currentTimeMillis) / 1000
      const released = yield* orStoreUnavailable(sql`
        UPDATE sensing_nodes SET reason = NULL, decided_at = to_timestamp(${nowS}::float8), decided_by = ${by},
          standing = CASE WHEN EXISTS (SELECT 1 FROM node_keys k WHERE k.node_id = sensing_nodes.node_id)
            THEN 'enrolled' ELSE 'released' END
        WHERE node_id = ${nodeId} AND standing <> 'revoked' RETURNING 1`)
      return released.length === 0 ? null : yield* orStoreUnavailable(one(nodeId))
    }),
    revoke: (nodeId, reason, by) =>
      orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
        const known = yield* sql`SELECT 1 FROM sensing_nodes WHERE node_id = ${nodeId} FOR UPDATE`
        if (known.length === 0) return false
        yield* decide(nodeId, "revoked", reason, by)
        yield* sql`DELETE FROM node_keys WHERE node_id = ${nodeId}`
        return true
      }))),
  })
})

const makeAllowlists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const context = yield* Effect.context<EncryptionKeys>()
  /** Decrypted keys by number. A number's key never changes. Deleted keys are dropped at each read. */
  let opened: ReadonlyMap<number, Uint8Array> = new Map()
  const leaveOut = makeLeaveOut()

  const keyOf = Effect.fnUntraced(function* ({ epoch, keyNumber, nodeId, sealed, sealingKeyId, sequence }: KeyRow) {
    const key = opened.get(keyNumber) ??
      (yield* openSealed({ keyId: sealingKeyId, body: sealed }, keyContext(nodeId)).pipe(Effect.provide(context)))
    const position = epoch === null || sequence === null ? null : { epoch, sequence }
    return { keyNumber, nodeId, key, position } satisfies NodeKey
  })

  const current = Effect.gen(function* () {
    const nodes = yield* orStoreUnavailable(
      sql<{ nodeId: string; standing: NodeStanding }>`SELECT node_id AS "nodeId", standing FROM sensing_nodes`,
    )
    const rows = yield* orStoreUnavailable(sql<KeyRow>`
      SELECT key_number AS "keyNumber", node_id AS "nodeId", sealing_key_id AS "sealingKeyId", sealed,
        epoch::float8, sequence::float8 FROM node_keys`)
    const keys = (yield* Effect.forEach(rows, (row) => leaveOut(`${row.keyNumber}`, leftOutText(row), keyOf(row))))
      .flat()
    opened = new Map(keys.map(({ key, keyNumber }) => [keyNumber, key]))
    return { standings: new Map(nodes.map(({ nodeId, standing }) => [nodeId, standing])), keys } satisfies NodeAllowlist
  })

  const storeNodes = Effect.fnUntraced(function* (observed: ReadonlyArray<NodeObservation>) {
    // All listeners use the same order, so that they cannot deadlock.
    const nodes = observed.toSorted((a, b) => a.nodeId < b.nodeId ? -1 : 1)
    const added = yield* sql`
        INSERT INTO sensing_nodes AS kept (node_id, standing, first_seen_at, last_seen_at, last_signed)
        SELECT node_id, 'seen', to_timestamp(at_s), to_timestamp(at_s), signed FROM unnest(
          ${texts(nodes.map(({ nodeId }) => nodeId))}, ${numbers(nodes.map(({ atMs }) => atMs / 1000))},
          ${booleans(nodes.map(({ signed }) => signed))}) AS observed (node_id, at_s, signed)
        WHERE (SELECT count(*) FROM sensing_nodes) < ${nodesMax}
          OR EXISTS (SELECT 1 FROM sensing_nodes known WHERE known.node_id = observed.node_id)
        ON CONFLICT (node_id) DO UPDATE SET
          first_seen_at = coalesce(kept.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at), last_signed = excluded.last_signed
        RETURNING 1`
    if (added.length === nodes.length) return
    // The table is full: delete nodes that have been silent for long.
    yield* sql`DELETE FROM sensing_nodes WHERE standing = 'seen'
        AND last_seen_at < to_timestamp(${nodes[0]!.atMs / 1000}::float8) - make_interval(days => ${silentDaysMax})`
  })

  const storeKeys = Effect.fnUntraced(function* (observed: ReadonlyArray<KeyObservation>) {
    const keys = observed.toSorted((a, b) => a.keyNumber - b.keyNumber)
    const keyNumbers = integers(keys.map(({ keyNumber }) => keyNumber))
    yield* sql`
        UPDATE node_keys SET epoch = reported.epoch::bigint, sequence = reported.sequence::bigint FROM unnest(
          ${keyNumbers}, ${numbers(keys.map(({ epoch }) => epoch))}, ${numbers(keys.map(({ sequence }) => sequence))}
        ) AS reported (key_number, epoch, sequence)
        WHERE node_keys.key_number = reported.key_number
          AND (node_keys.epoch IS NULL OR (node_keys.epoch, node_keys.sequence) < (reported.epoch, reported.sequence))`
    yield* sql`DELETE FROM node_keys old USING node_keys used
        WHERE used.key_number = ANY(${keyNumbers}) AND old.node_id = used.node_id AND old.key_number < used.key_number`
  })

  return NodeAllowlists.of({
    current,
    report: (nodes, keys) =>
      orStoreUnavailable(Effect.andThen(
        nodes.length === 0 ? Effect.void : storeNodes(nodes),
        keys.length === 0 ? Effect.void : storeKeys(keys),
      )),
  })
})

export const layerNodeIdentities: Layer.Layer<NodeIdentities | NodeAllowlists, never, Needs> = Layer.effectContext(
  Effect.gen(function* () {
    return Context.make(NodeIdentities, yield* makeIdentities).pipe(Context.add(NodeAllowlists, yield* makeAllowlists))
  }),
)

const neverSeen = { standing: "seen", lastSigned: null } as const

/** @param policy the service's policy, under which a standing is judged */
export const layerNodeRegistry = (policy: IdentityPolicy): Layer.Layer<NodeRegistry, never, NodeIdentities> =>
  Layer.effect(
    NodeRegistry,
    Effect.gen(function* () {
      const read = Effect.map((yield* NodeIdentities).all, (nodes) => ({
        byId: new Map(nodes.map((node) => [node.nodeId, node])),
        network: networkIdentity(nodes, policy),
      }))
      const [known] = yield* Effect.cachedInvalidateWithTTL(read, (exit) => Exit.isSuccess(exit) ? staleMsMax : 0)
      return {
        standingOf: (nodeId) =>
          Effect.map(known, ({ byId }) => {
            const { lastSigned, standing } = byId.get(nodeId) ?? neverSeen
            // A node without datagrams sends over gRPC, where its API key authenticates it.
            return {
              standing: lastSigned === null ? standing : effectiveStanding(standing, policy),
              signed: lastSigned,
            }
          }),
        network: Effect.map(known, ({ network }) => network),
      }
    }),
  )
