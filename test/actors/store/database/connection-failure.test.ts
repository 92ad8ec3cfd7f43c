/** What is said of a PostgreSQL that cannot be connected to: where, why, what to do, and never the password. */
import { Effect } from "effect"
import { createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerDatabase } from "../../../../actors/store/database/database.ts"
import { freePort, hasPostgres, startPostgres, type TestPostgres } from "../../../harness/postgres.ts"

const password = "sEcr3t-and-long"
const messageOf = async (url: string): Promise<string> => {
  const failure = await Effect.runPromise(Effect.flip(Effect.provide(Effect.void, layerDatabase({ url }))))
  expect(failure._tag).toBe("DatabaseUnreachable")
  expect(failure.message).not.toContain(password)
  expect(failure.message).not.toContain("\n")
  return failure.message
}

describe("a database that cannot be connected to", () => {
  it("is named with its host, port and database, and the cause", async () => {
    const port = await freePort()
    const message = await messageOf(`postgres://jo:${password}@127.0.0.1:${port}/poses`)
    expect(message).toContain(`127.0.0.1:${port}, database "poses"`)
    expect(message).toContain("ECONNREFUSED")
    expect(message).toContain("DATABASE_URL")
  })

  it("is named with every cause of a host of several addresses, and the default database", async () => {
    const port = await freePort()
    const message = await messageOf(`postgres://jo:${password}@localhost:${port}`)
    expect(message).toContain(`localhost:${port}, database "jo"`)
    expect(message).toContain("ECONNREFUSED")
  })

  it("is named where another program listens there", async () => {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as { port: number }
    expect(await messageOf(`postgres://jo:${password}@127.0.0.1:${port}/poses`)).toContain(`127.0.0.1:${port}`)
    await new Promise((closed) => server.close(closed))
  })

  it("is not named where the URL cannot be read, because the URL has the password", async () => {
    for (const url of [`postgres://jo:${password}@[broken/poses`, `mysql://jo:${password}@127.0.0.1/poses`]) {
      expect(await messageOf(url)).toContain("DATABASE_URL cannot be read")
    }
  })
})

describe.skipIf(!await hasPostgres())("a PostgreSQL that rejects a connection", () => {
  let postgres: TestPostgres
  beforeAll(async () => void (postgres = (await startPostgres())!), 60_000)
  afterAll(() => postgres.stop())

  it("is named with the server's own words", async () => {
    const unknown = new URL(postgres.url)
    unknown.pathname = "/nothing"
    expect(await messageOf(String(unknown))).toContain('database "nothing" does not exist')
  })
})
