/**
 * The registries of the home-automation runtime in the database: one row of JSON per entry.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  entryId,
  registryEntries,
  type RegistryEntry,
  type RegistryName,
} from "../../../protocols/domain/home-registry.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { Registered } from "../../../protocols/ports/home-registries.ts"
import { texts } from "../sql/columns.ts"
import { orStoreUnavailable } from "../database/database.ts"

/** The outcome for an entry. */
export interface RegistryChange {
  readonly id: string
  readonly action: "create" | "update" | "remove"
}

export class HomeRegistryStore extends Context.Service<HomeRegistryStore, {
  readonly list: <Name extends RegistryName>(
    name: Name,
  ) => Effect.Effect<ReadonlyArray<Registered<Name>>, StoreUnavailable>
  /** Writes entries. Returns those that are new or changed. */
  readonly put: <Name extends RegistryName>(
    name: Name,
    entries: ReadonlyArray<RegistryEntry<Name>>,
  ) => Effect.Effect<ReadonlyArray<RegistryChange>, StoreUnavailable>
  readonly remove: (
    name: RegistryName,
    ids: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<RegistryChange>, StoreUnavailable>
}>()("wavepose/actors/HomeRegistryStore") {
  static readonly layer: Layer.Layer<HomeRegistryStore, never, SqlClient.SqlClient> = Layer.effect(
    HomeRegistryStore,
    Effect.suspend(() => make),
  )
}

const epochUs = (column: string, name: string): string =>
  `round(extract(epoch FROM ${column}) * 1000000)::float8 AS "${name}"`
const columns = `body, ${epochUs("created_at", "createdAtUs")}, ${epochUs("modified_at", "modifiedAtUs")}`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** The entries of rows. An unreadable entry is logged and omitted. */
  const read = Effect.fnUntraced(function* <Name extends RegistryName>(
    name: Name,
    rows: ReadonlyArray<{ body: string; createdAtUs: number; modifiedAtUs: number }>,
  ) {
    const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(registryEntries[name] as Schema.Codec<unknown>))
    const list: Array<Registered<Name>> = []
    for (const { body, createdAtUs, modifiedAtUs } of rows) {
      yield* Effect.matchEffect(decode(body), {
        onSuccess: (entry) =>
          Effect.sync(() => void list.push({ entry: entry as RegistryEntry<Name>, createdAtUs, modifiedAtUs })),
        onFailure: (error) => Effect.logWarning(`an entry of the registry ${name} is left out`, error.message),
      })
    }
    return list
  })

  return HomeRegistryStore.of({
    list: (name) =>
      Effect.flatMap(
        orStoreUnavailable(sql<{ body: string; createdAtUs: number; modifiedAtUs: number }>`
          SELECT ${sql.literal(columns)} FROM home_registry WHERE registry = ${name} ORDER BY position`),
        (rows) => read(name, rows),
      ),
    put: Effect.fnUntraced(function* (name, entries) {
      if (entries.length === 0) return []
      const nowS = (yield* Clock.currentTimeMillis) / 1000
      const byId = new Map(entries.map((entry) => [entryId(name, entry), JSON.stringify(entry)]))
      return yield* orStoreUnavailable(sql<RegistryChange>`
        INSERT INTO home_registry AS kept (registry, entry_id, created_at, modified_at, body)
        SELECT ${name}, entry.id, to_timestamp(${nowS}::float8), to_timestamp(${nowS}::float8), entry.body
        FROM unnest(${texts([...byId.keys()])}::text[], ${texts([...byId.values()])}::text[])
          WITH ORDINALITY AS entry (id, body, place)
        ORDER BY place
        ON CONFLICT (registry, entry_id) DO UPDATE SET body = excluded.body, modified_at = excluded.modified_at
        WHERE kept.body <> excluded.body
        RETURNING entry_id AS id, CASE WHEN xmax = 0 THEN 'create' ELSE 'update' END AS action`)
    }),
    remove: (name, ids) =>
      orStoreUnavailable(sql<RegistryChange>`
        DELETE FROM home_registry WHERE registry = ${name} AND entry_id = ANY(${texts(ids)}::text[])
        RETURNING entry_id AS id, 'remove' AS action`),
  })
})
