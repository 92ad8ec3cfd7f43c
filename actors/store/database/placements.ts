/**
 * The loads of nodes and the moved groups, in the database.
 *
 * Invariant: rows of nodes that ended are deleted by a later report, so there are about as many as nodes.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Pin, Placements } from "../../runtime/placements.ts"

/** A node reports every ten seconds. */
const forgottenSMin = 3_600

interface LoadRow {
  readonly address: string
  readonly age: number
  readonly cores: number
  readonly groups: Readonly<Record<string, number>>
}

export const layerPlacements: Layer.Layer<Placements, never, SqlClient.SqlClient> = Layer.effect(
  Placements,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const withFallback = <A, B, E extends { readonly message: string }>(
      what: string,
      effect: Effect.Effect<A, E>,
      fallback: () => B,
    ) => Effect.catch(effect, ({ message }) => Effect.as(Effect.logDebug(`${what} at the moment`, message), fallback()))
    let known: ReadonlyArray<Pin> = []
    const readPins = sql<Pin>`
      SELECT shard_group AS "group", address, (1000 * extract(epoch FROM now() - pinned_at))::float8 AS "ageMs"
      FROM cluster_pins`.pipe(Effect.tap((pins) => Effect.sync(() => void (known = pins))))
    const readLoads = sql<LoadRow>`
      SELECT address, (1000 * extract(epoch FROM now() - reported_at))::float8 AS age, cores, groups FROM cluster_loads`
      .pipe(Effect.map((rows) =>
        rows.map(({ address, age, cores, groups }) => ({
          address,
          ageMs: age,
          cores,
          groups: new Map(Object.entries(groups)),
        }))
      ))
    return {
      pins: withFallback("moved groups cannot be read", readPins, () => known),
      loads: withFallback("loads of nodes cannot be read", readLoads, () => []),
      report: (address, { cores, groups }) => {
        const work = JSON.stringify(Object.fromEntries(groups))
        return withFallback(
          "the load of this node cannot be reported",
          Effect.asVoid(sql`
            WITH forgotten AS (
              DELETE FROM cluster_loads
              WHERE address <> ${address} AND reported_at < now() - make_interval(secs => ${forgottenSMin})
            )
            INSERT INTO cluster_loads (address, cores, groups) VALUES (${address}, ${cores}, ${work}::jsonb)
            ON CONFLICT (address) DO UPDATE
            SET reported_at = now(), cores = excluded.cores, groups = excluded.groups`),
          () => undefined,
        )
      },
      pin: (moves) =>
        withFallback(
          "groups cannot be moved",
          Effect.asVoid(sql`
            INSERT INTO cluster_pins (shard_group, address)
            SELECT * FROM jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS moved ("group" text, address text)
            ON CONFLICT (shard_group) DO UPDATE SET address = excluded.address, pinned_at = now()`),
          () => undefined,
        ),
    }
  }),
)
