/**
 * States of entities and their history in the database.
 *
 * Invariant: only the newest activation of the bus can write. Each activation begins a new generation, and a statement of an older
 * generation writes nothing. The row of the generation is locked during a write, so this holds across nodes.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { BusEntry, EntityState } from "../../../protocols/domain/home.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { numbers, texts } from "../sql/columns.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"
import { orNextStart } from "../encryption/rotation.ts"
import { openState, sealStateAnew, sealStates } from "./home-encryption.ts"

/** A stored entity. The bus assigns sequence numbers. */
export interface KeptState {
  readonly state: EntityState
  readonly sequence: number
  /** The sequence of its creation, which orders all states. */
  readonly createdSequence: number
}

/** A change or a report, with its sequence. */
export interface KeptEntry {
  readonly entry: Exclude<BusEntry, { readonly kind: "fired" }>
  readonly sequence: number
  readonly createdSequence: number
}

export class HomeStateStore extends Context.Service<HomeStateStore, {
  /** Begins a generation and returns all states in their order. Later writes of older generations have no effect. */
  readonly open: Effect.Effect<
    { readonly generation: number; readonly states: ReadonlyArray<KeptState> },
    StoreUnavailable
  >
  /** Stores entries in one commit. False: a newer generation has begun, and nothing was stored. */
  readonly keep: (generation: number, entries: ReadonlyArray<KeptEntry>) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/actors/HomeStateStore") {
  static readonly layer: Layer.Layer<HomeStateStore, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
    HomeStateStore,
    Effect.suspend(() => make),
  )
}

/** The last entry of each entity. */
const lastOf = (entries: ReadonlyArray<KeptEntry>): ReadonlyArray<KeptEntry> => [
  ...new Map(entries.map((kept) => [kept.entry.entityId, kept])).values(),
]

const atUs = ({ entry }: KeptEntry): number =>
  entry.kind === "changed" ? entry.timeFiredUs : entry.newState.lastReportedUs

/** Seals rows anew that are not sealed under the first key, unless they were written meanwhile. */
const sealAnew = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  bodies: FrameBodies["Service"],
  rows: ReadonlyArray<{ readonly id: string; readonly body: string }>,
) {
  const sealed = yield* Effect.forEach(rows, ({ body }) => sealStateAnew(bodies, body))
  const changed = rows.flatMap(({ body, id }, i) => sealed[i] == null ? [] : [{ id, body, anew: sealed[i] }])
  if (changed.length === 0) return
  yield* sql`
    UPDATE home_states SET body = changed.anew
    FROM unnest(
      ${texts(changed.map(({ id }) => id))}::text[],
      ${texts(changed.map(({ body }) => body))}::text[],
      ${texts(changed.map(({ anew }) => anew))}::text[]
    ) AS changed (id, body, anew)
    WHERE home_states.entity_id = changed.id AND home_states.body = changed.body`
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bodies = yield* FrameBodies
  const scope = yield* Effect.scope

  /** The texts of the entries' new states; empty for a removal. */
  const textsOf = Effect.fnUntraced(function* (entries: ReadonlyArray<KeptEntry>) {
    const present = entries.filter(({ entry }) => entry.newState !== null)
    const sealed = yield* sealStates(bodies, present.map(({ entry }) => entry.newState!))
    const byEntry = new Map(present.map((kept, i) => [kept, sealed[i]!]))
    return new Map(entries.map((kept) => [kept, byEntry.get(kept) ?? ""]))
  })

  return HomeStateStore.of({
    open: Effect.gen(function* () {
      const [row] = yield* orStoreUnavailable(sql<{ generation: number }>`
        UPDATE home_bus SET generation = generation + 1 RETURNING generation`)
      const rows = yield* orStoreUnavailable(sql<{ id: string; sequence: number; created: number; body: string }>`
        SELECT entity_id AS id, sequence::float8, created_sequence::float8 AS created, body FROM home_states ORDER BY created_sequence`)
      const states: Array<KeptState> = []
      for (const { body, created, sequence } of rows) {
        const state = yield* openState(bodies, body)
        if (state !== null) states.push({ state, sequence, createdSequence: created })
      }
      // The home does not wait for this.
      yield* Effect.forkIn(orNextStart("home_states", sealAnew(sql, bodies, rows)), scope)
      return { generation: row!.generation, states }
    }),
    keep: Effect.fnUntraced(function* (generation, entries) {
      const text = yield* textsOf(entries)
      const last = lastOf(entries)
      const changes = entries.filter(({ entry }) => entry.kind === "changed")
      const rows = yield* orStoreUnavailable(sql`
        WITH fence AS (SELECT generation FROM home_bus WHERE generation = ${generation} FOR UPDATE),
        latest AS (
          SELECT latest.* FROM fence, unnest(
            ${texts(last.map(({ entry }) => entry.entityId))}::text[],
            ${numbers(last.map(({ sequence }) => sequence))}::float8[],
            ${numbers(last.map(({ createdSequence }) => createdSequence))}::float8[],
            ${texts(last.map((kept) => text.get(kept)!))}::text[]
          ) AS latest (entity_id, sequence, created, body)
        ), kept AS (
          INSERT INTO home_states (entity_id, sequence, created_sequence, body)
          SELECT entity_id, sequence::bigint, created::bigint, body FROM latest WHERE body <> ''
          ON CONFLICT (entity_id) DO UPDATE SET
            sequence = excluded.sequence, created_sequence = excluded.created_sequence, body = excluded.body
        ), gone AS (
          DELETE FROM home_states USING latest WHERE home_states.entity_id = latest.entity_id AND latest.body = ''
        ), recorded AS (
          INSERT INTO home_history (entity_id, sequence, at, body)
          SELECT entity_id, sequence::bigint, to_timestamp(at_us / 1000000), nullif(body, '')
          FROM fence, unnest(
            ${texts(changes.map(({ entry }) => entry.entityId))}::text[],
            ${numbers(changes.map(({ sequence }) => sequence))}::float8[],
            ${numbers(changes.map(atUs))}::float8[],
            ${texts(changes.map((kept) => text.get(kept)!))}::text[]
          ) AS change (entity_id, sequence, at_us, body)
        )
        SELECT generation FROM fence`)
      return rows.length > 0
    }),
  })
})
