/** Real processes on one PostgreSQL: a node of another version does not start beside a running one, and a running one ends when it is replaced. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { knownSchema, layerConnections } from "../../actors/store/database/database.ts"
import { guardVersion } from "../../actors/store/database/version-guard.ts"
import { runCommand } from "../harness/command.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../harness/postgres.ts"
import { freePorts, startService, type TestService } from "../harness/service.ts"

const encryptionKey = Buffer.alloc(32, 7).toString("base64")

describe.skipIf(!await hasPostgres())("a node and another version", () => {
  let postgres: TestPostgres
  let service: TestService | undefined
  beforeAll(async () => void (postgres = (await startPostgres())!), 60_000)
  afterAll(async () => {
    await service?.kill()
    await postgres?.stop()
  })
  const env = () => ({
    ...freePorts,
    WAVEPOSE_CLUSTER_PORT: "0",
    WAVEPOSE_BRIDGE: "off",
    DATABASE_URL: postgres.url,
    WAVEPOSE_ENCRYPTION_KEY: encryptionKey,
  })

  it("does not start beside it, and does not touch the database", async () => {
    const ended = Effect.scoped(Effect.gen(function* () {
      yield* guardVersion(postgres.url, "0.0.9")
      return yield* Effect.promise(() => runCommand(["start", "--source", "none"], { env: env() }))
    }))
    expect(await Effect.runPromise(ended)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/nodes of another version use the database: 0\.0\.9 .*stop all nodes/),
    })
    const tables = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT to_regclass('frames')::text AS name`)
    const layer = layerConnections({ url: postgres.url })
    expect(await Effect.runPromise(Effect.provide(tables, layer))).toEqual([{ name: null }])
  })

  it("ends at once when the schema becomes newer", async () => {
    // A stop would leave proxies the time to notice it.
    const noticeS = 20
    service = await startService({ env: { ...env(), WAVEPOSE_STOP_NOTICE_SECONDS: String(noticeS) } })
    const exit = once(service.process, "exit")
    const newer = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`INSERT INTO wavepose_migrations (migration_id, name) VALUES (${knownSchema + 1}, 'of_the_future')`,
    )
    await Effect.runPromise(Effect.provide(newer, layerConnections({ url: postgres.url })))
    const startMs = performance.now()
    expect((await exit)[0]).toBe(1)
    expect(performance.now() - startMs).toBeLessThan(noticeS * 1e3)
    expect(service.output()).toContain(`supports versions up to ${knownSchema}`)
  })
})
