/** Programs of different versions never use one PostgreSQL at the same time. */
import { Duration, Effect, Exit, Layer, Logger, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { knownSchema, layerConnections, layerDatabase } from "../../../../actors/store/database/database.ts"
import { guardVersion } from "../../../../actors/store/database/version-guard.ts"
import { type DatabaseLink, linkTo } from "../../../harness/database-link.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../../../harness/postgres.ts"
import { eventually } from "../../../harness/service.ts"

const migrationsTable = "wavepose_migrations"
/** After which a node is settled. */
const newForS = 30
const locks = "FROM pg_locks WHERE locktype = 'advisory' AND classid = 2002876005"

describe.skipIf(!await hasPostgres())("nodes of several versions on one PostgreSQL", () => {
  let postgres: TestPostgres
  const ends: Array<() => Promise<void>> = []
  beforeAll(async () => {
    postgres = (await startPostgres())!
    await Effect.runPromise(Effect.provide(Effect.void, layerDatabase({ url: postgres.url })))
  }, 60_000)
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  afterAll(() => postgres.stop())

  const run = (statement: string) =>
    Effect.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ pid: number }>(statement)).pipe(
        Effect.provide(layerConnections({ url: postgres.url })),
      ),
    )
  const holders = async () => (await run(`SELECT pid ${locks}`)).map(({ pid }) => pid)

  /** A node of this version with a clock of its own, which runs until it has failed or is ended. */
  const nodeOf = async (version: string, url = postgres.url) => {
    const scope = Scope.makeUnsafe()
    const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
    ends.push(end)
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const layer = Layer.mergeAll(TestClock.layer(), Logger.layer([logger]))
    const run = Effect.runPromiseWith(await Effect.runPromise(Layer.buildWithScope(layer, scope)))
    let failure: unknown = null
    const started = run(Scope.provide(guardVersion(url, version), scope))
      .then((failed) => void run(Effect.flip(failed)).then((found) => failure = found, () => {}))
    started.catch(() => {})
    const adjust = (seconds: number) => run(TestClock.adjust(Duration.seconds(seconds)))
    /** Lets seconds pass, and after each the time to ask the server. */
    const pass = async (seconds: number) => {
      for (let s = 0; s < seconds; s++) {
        await adjust(1)
        for (let i = 0; i < 3; i++) await holders()
      }
    }
    return { end, lines, started, adjust, pass, failure: () => failure }
  }
  type Node = Awaited<ReturnType<typeof nodeOf>>

  const start = async (version: string): Promise<Node> => {
    const node = await nodeOf(version)
    await node.started
    return node
  }
  const settled = async (version: string): Promise<Node> => {
    const node = await start(version)
    await node.pass(newForS + 1)
    return node
  }
  /** Ends all sessions with a lock, as a restart of the server does. */
  const loseSessions = () => run(`SELECT pg_terminate_backend(pid)::text, pid ${locks}`)
  /** Lets seconds pass for a node until something is so. */
  const passUntil = async (node: Node, holds: () => boolean | Promise<boolean>) => {
    while (!await holds()) await node.pass(1)
  }
  const areHeld = (count: number) => async () => (await holders()).length === count

  it("start while no other version runs, and say which one does", async () => {
    const first = await start("1.0.0")
    await start("1.0.0")
    const refused = start("1.1.0")
    await expect(refused).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
    await expect(refused).rejects.toThrow(
      new RegExp(`This is wavepose 1\\.1\\.0 .* another version .*: 1\\.0\\.0 with schema ${knownSchema} at `),
    )
    expect(await holders()).toHaveLength(2)
    await first.end()
    await expect(start("1.1.0")).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
    for (const end of ends) await end()
    await start("1.1.0")
    await expect(start("1.0.0")).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
  })

  it("end when the schema becomes newer than their own", async () => {
    const node = await start("1.0.0")
    await run(`INSERT INTO ${migrationsTable} (migration_id, name) VALUES (${knownSchema + 1}, 'of_the_future')`)
    try {
      await passUntil(node, () => node.failure() !== null)
      expect(node.failure()).toMatchObject({ _tag: "SchemaMismatch" })
    } finally {
      await run(`DELETE FROM ${migrationsTable} WHERE migration_id > ${knownSchema}`)
    }
  })

  it("go on after a lost session, and new nodes that came meanwhile give way", async () => {
    const node = await settled("1.0.0")
    await loseSessions()
    const newcomer = await start("1.1.0")
    // It waits for the newcomer, and holds its lock meanwhile.
    await passUntil(node, areHeld(2))
    await expect(start("1.1.0")).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
    await passUntil(newcomer, () => newcomer.failure() !== null)
    expect(newcomer.failure()).toMatchObject({ _tag: "OtherVersionRuns" })
    await passUntil(node, () => node.lines.length > 1)
    expect(node.lines).toEqual([
      expect.stringMatching(/^the lock of this version is lost, until PostgreSQL answers: ./),
      "the lock of this version is held again",
    ])
    await node.pass(2 * newForS)
    expect(node.failure()).toBeNull()
    expect(await holders()).toHaveLength(1)
  })

  it("end if another version has settled while they were away", async () => {
    const node = await settled("1.0.0")
    await loseSessions()
    const newer = await settled("1.1.0")
    await passUntil(node, () => node.failure() !== null)
    expect(node.failure()).toMatchObject({ _tag: "OtherVersionRuns" })
    await newer.pass(2)
    expect(newer.failure()).toBeNull()
  })

  it("give way like a new node if they lose their session before they are settled", async () => {
    const first = await start("1.0.0")
    await loseSessions()
    await start("1.1.0")
    await passUntil(first, () => first.failure() !== null)
    expect(first.failure()).toMatchObject({ _tag: "OtherVersionRuns" })
  })

  it("upgrade the schema only when they are settled, and not if an older node has come back", async () => {
    const old = await settled("1.0.0")
    await run(`UPDATE ${migrationsTable} SET migration_id = -1 WHERE migration_id = ${knownSchema}`)
    try {
      await loseSessions()
      const newcomer = await nodeOf("1.1.0")
      let isStarted = false
      newcomer.started.then(() => isStarted = true, () => {})
      await eventually(holders, ({ length }) => length === 1)
      await newcomer.pass(newForS - 5)
      expect(isStarted).toBe(false)
      await passUntil(old, areHeld(2))
      await newcomer.pass(2)
      await passUntil(old, () => old.lines.length === 2)
      await expect(newcomer.started).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
      expect(old.failure()).toBeNull()
      await old.end()
      const later = await nodeOf("1.1.0")
      await eventually(holders, ({ length }) => length === 1)
      await later.pass(newForS + 1)
      await later.started
    } finally {
      await run(`UPDATE ${migrationsTable} SET migration_id = ${knownSchema} WHERE migration_id = -1`)
    }
  })

  describe("over a link", () => {
    let link: DatabaseLink
    let onSent: (bytes: Buffer) => void
    beforeEach(async () => {
      onSent = () => {}
      link = await linkTo(postgres.url, { onSent: (_, bytes) => onSent(bytes) })
    })
    afterEach(() => link.stop())

    it("start when each round trip takes a second, and settle", async () => {
      const node = await nodeOf("1.0.0", link.url)
      onSent = () => void node.adjust(1)
      await node.started
      await node.pass(newForS)
      expect(node.lines).toEqual([])
      expect(link.links).toHaveLength(1)
    })

    it("say which server does not answer", async () => {
      const asked = new Promise<void>((resolve) => {
        onSent = (bytes) => {
          if (!bytes.includes("pg_locks")) return
          link.stall()
          resolve()
        }
      })
      const node = await nodeOf("1.0.0", link.url)
      await asked
      await node.adjust(30)
      // The driver asks the server to cancel the statement, by another connection.
      await eventually(() => Promise.resolve(link.links.length), (count) => count === 2)
      link.cut()
      await expect(node.started).rejects.toThrow(
        /no connection to PostgreSQL at 127\.0\.0\.1:\d+.*no answer within 30 s/,
      )
    })

    it("notice that it has gone silent, and take the lock again", async () => {
      const node = await nodeOf("1.0.0", link.url)
      await node.started
      link.stall()
      await passUntil(node, () => link.links.length === 2)
      link.cut()
      link.resume()
      link.join()
      await passUntil(node, () => node.lines.length === 2)
      expect(node.lines[0]).toContain("no answer within 10 s")
      expect(node.failure()).toBeNull()
    })
  })
})
