/** Rows in the binary COPY format: PostgreSQL reads from them what it reads from values given otherwise. */
import type { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { integers, numbers, texts } from "../../../../actors/store/sql/columns.ts"
import { type CopyClient, endpointOf, makeCopyClients } from "../../../../actors/store/sql/copy-clients.ts"
import { CopyRows, messagesBytesMax, timestampUsOf, unixMsOf } from "../../../../actors/store/sql/copy-rows.ts"
import { layerConnections } from "../../../../actors/store/database/database.ts"
import { linkTo } from "../../../harness/database-link.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../../../harness/postgres.ts"

interface Row {
  readonly text: string
  readonly ms: number
  readonly big: number
  readonly small: number | null
  readonly real: number | null
  readonly bytes: Uint8Array
}

const real = fc.oneof(
  fc.float({ noNaN: true }),
  fc.double({ min: -1e30, max: 1e30, noNaN: true }).filter((value) => value === 0 || Math.abs(value) > 1e-30),
  fc.constantFrom(NaN, Infinity, -Infinity, -0, 3.4028234663852886e38),
)

const row: fc.Arbitrary<Row> = fc.record({
  text: fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !value.includes("\0")),
  ms: fc.oneof(
    // Halves of a microsecond on both sides of PostgreSQL's epoch, where rounding shows.
    fc.integer({ min: -2_000_000, max: 2_000_000 }).map((halves) => 946_684_800_000 + halves / 2_000),
    fc.double({ min: 1e-9, max: 4e12, noNaN: true }),
    fc.double({ min: -1e12, max: -1e-9, noNaN: true }),
    fc.integer({ min: 0, max: 4_102_444_800_000 }),
  ),
  big: fc.maxSafeInteger(),
  small: fc.option(fc.integer({ min: -32_768, max: 32_767 })),
  real: fc.option(real),
  bytes: fc.uint8Array({ maxLength: 2_000, size: "max" }),
})

const utf8 = new TextEncoder()

const written = (rows: ReadonlyArray<Row>): Uint8Array => {
  const bytes = rows.reduce((sum, row) => sum + 64 + utf8.encode(row.text).length + row.bytes.length, 0)
  const copy = new CopyRows(new Uint8Array(messagesBytesMax(rows.length, bytes)))
  for (const { big, bytes, ms, real, small, text } of rows) {
    copy.row(6)
    copy.bytes(utf8.encode(text))
    copy.moment(ms)
    copy.bigint(big)
    if (small === null) copy.null()
    else copy.smallint(small)
    if (real === null) copy.null()
    else copy.real(real)
    copy.bytes(bytes)
  }
  return copy.end()
}

/** The rows as parameters, converted by the server. */
const given = (sql: SqlClient.SqlClient, rows: ReadonlyArray<Row>) =>
  sql`SELECT t, to_timestamp(ms / 1000) AS ts, hi::int8 * 4294967296 + lo::int8 AS big, small::int2 AS small, r::float4 AS r, decode(hex, 'hex') AS b
    FROM unnest(${texts(rows.map(({ text }) => text))}::text[], ${numbers(rows.map(({ ms }) => ms))}::float8[],
      ${numbers(rows.map(({ big }) => Math.floor(big / 2 ** 32)))}::float8[],
      ${numbers(rows.map(({ big }) => big >>> 0))}::float8[], ${integers(rows.map(({ small }) => small))}::int4[],
      ${numbers(rows.map(({ real }) => real))}::float8[],
      ${texts(rows.map(({ bytes }) => Buffer.from(bytes).toString("hex")))}::text[]
    ) AS given (t, ms, hi, lo, small, r, hex)`

const table =
  "CREATE TABLE copied (t text, ts timestamptz, big bigint, small smallint, r real, b bytea, UNIQUE (big, t))"
const statement = "COPY copied FROM STDIN (FORMAT binary)"

const copying = Effect.map(makeCopyClients, (use) => use!)

describe.skipIf(!await hasPostgres())("COPY", () => {
  let postgres: TestPostgres
  let runtime: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient | PgClient.PgClient, unknown>
  const run = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | PgClient.PgClient>) => runtime.runPromise(effect)
  const copy = (rows: ReadonlyArray<Row>) =>
    Effect.scoped(Effect.flatMap(copying, (use) => use((client) => client.copy(statement, written(rows)))))

  beforeAll(async () => {
    postgres = (await startPostgres())!
    runtime = ManagedRuntime.make(layerConnections({ url: postgres.url }))
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(table)))
  }, 60_000)
  afterAll(async () => {
    await runtime.dispose()
    await postgres.stop()
  })

  it("stores of every type what the server makes of the same value", () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = fc.sample(row, { seed: 8, numRuns: 1_000 })
      const keys = new Set<string>()
      const rows = all.filter(({ big, text }) => keys.size < keys.add(`${big} ${text}`).size)
      expect(written(rows).length).toBeGreaterThan(5 * 65_536)
      yield* copy(rows)
      const [counts] = yield* sql`
        WITH given AS (${given(sql, rows)})
        SELECT count(*)::int4 AS n, count(g.big)::int4 AS same FROM copied c LEFT JOIN given g ON
          c.t = g.t AND c.ts = g.ts AND c.big = g.big AND c.small IS NOT DISTINCT FROM g.small AND c.b = g.b
          AND float4send(c.r) IS NOT DISTINCT FROM float4send(g.r)`
      expect(counts).toEqual({ n: rows.length, same: rows.length })
    })))

  it("counts time as the server does, and back", () => {
    expect(timestampUsOf(946_684_800_000)).toBe(0)
    expect(timestampUsOf(946_684_800_001.5)).toBe(1_500)
    expect([timestampUsOf(unixMsOf(-60_000_000)), unixMsOf(0)]).toEqual([-60_000_000, 946_684_800_000])
  })

  it("refuses what a type cannot hold", () => {
    const rows = new CopyRows(new Uint8Array(1_000))
    for (const bad of [32_768, -32_769, 1.5, NaN]) expect(() => rows.smallint(bad)).toThrow(RangeError)
    for (const bad of [2 ** 53, 0.5, Infinity]) expect(() => rows.bigint(bad)).toThrow(RangeError)
    for (const bad of [1e39, -1e39, 1e-60]) expect(() => rows.real(bad)).toThrow(RangeError)
    for (const bad of [NaN, Infinity]) expect(() => rows.moment(bad)).toThrow(RangeError)
    expect(() => rows.bytes(new Uint8Array(1_001))).toThrow(RangeError)
  })

  it("continues on the same connection after rejected statements and copies, however the answers are split", async () => {
    const link = await linkTo(postgres.url, { pieceBytes: 1 })
    const linked = ManagedRuntime.make(layerConnections({ url: link.url }))
    const rows = fc.sample(row, { seed: 9, numRuns: 100 }).map((row, i) => ({ ...row, big: -i, text: "refused" }))
    const work = ({ copy, sql }: CopyClient) =>
      Effect.gen(function* () {
        const count = Effect.map(
          sql<{ n: number }>`SELECT count(*)::int4 AS n FROM copied WHERE t = 'refused'`,
          ([row]) => row!.n,
        )
        const twice = yield* Effect.flip(copy(statement, written([...rows, rows[0]!])))
        expect(twice.reason._tag).toBe("UniqueViolation")
        const nowhere = yield* Effect.flip(copy("COPY nowhere FROM STDIN (FORMAT binary)", written(rows)))
        expect(nowhere.reason._tag).toBe("SqlSyntaxError")
        expect(yield* count).toBe(0)
        yield* Effect.flip(sql.withTransaction(Effect.andThen(copy(statement, written(rows)), Effect.fail("undone"))))
        expect(yield* count).toBe(0)
        yield* copy(statement, written(rows))
        expect(yield* count).toBe(rows.length)
      })
    await linked.runPromise(Effect.scoped(Effect.flatMap(copying, (use) => use(work))))
    expect(link.links).toHaveLength(1)
    await linked.dispose()
    await link.stop()
  })
})

describe("the endpoint of a database", () => {
  it("is what the driver makes of a URL", () => {
    expect(endpointOf("postgres://me:pw@db.example:6000/x")).toEqual({ host: "db.example", port: 6000, noDelay: true })
    expect(endpointOf("postgresql://[::1]/x?sslmode=disable")).toEqual({ host: "::1", port: 5432, noDelay: true })
    expect(endpointOf("postgres:///x?host=/run/postgresql&port=5433")).toEqual({
      path: "/run/postgresql/.s.PGSQL.5433",
    })
    expect(endpointOf("postgres://%2Frun%2Fpg/x")).toEqual({ path: "/run/pg/.s.PGSQL.5432" })
  })

  it("is none where the connection is encrypted, or the URL is none", () => {
    for (const mode of ["prefer", "require", "verify-full", "allow"]) {
      expect(endpointOf(`postgres://db.example/x?sslmode=${mode}`)).toBeNull()
    }
    expect(endpointOf("host=db.example dbname=x")).toBeNull()
  })
})
