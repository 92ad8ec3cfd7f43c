/** After a restore the frames, the users and the sites are there, on both kinds of database. */
import { Effect, type Layer } from "effect"
import { execFile } from "node:child_process"
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createFirstAdmin } from "../../../../actors/store/accounts/users.ts"
import type { DatabaseLocation } from "../../../../actors/store/database/database-location.ts"
import { startEmbedded } from "../../../../actors/store/database/embedded.ts"
import { backUp, restore } from "../../../../actors/store/database/embedded-backup.ts"
import { FrameStore } from "../../../../actors/store/frames/frames.ts"
import { SessionStore } from "../../../../actors/store/session/sessions.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { defaultStartOptions, type SystemSession } from "../../../../protocols/domain/system.ts"
import { Accounts } from "../../../../protocols/ports/accounts.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { archivedOf, testFrame, testPerson } from "../../../harness/frames.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../../../harness/postgres.ts"

type Stores = Layer.Success<ReturnType<typeof layerStores>>
const runFile = promisify(execFile)

const nowMs = Date.now()
const frame = archivedOf(testFrame("home", 1, nowMs, { persons: [testPerson(1, "walking")] }))
const old = archivedOf(testFrame("home", 2, Date.UTC(2024, 0, 1)))
const session: SystemSession = {
  status: "running",
  sessionId: "one",
  startedAtMs: 1,
  estimatedReadyMs: null,
  steps: [],
  options: { ...defaultStartOptions, environmentId: "home" },
  failure: null,
}

const fill = Effect.gen(function* () {
  yield* (yield* Directory).enrol({ environmentId: "home", name: "A home", geometry: null }, ["r1"])
  yield* createFirstAdmin("admin", "correct horse")
  yield* (yield* SessionStore).save(session)
  const frames = yield* FrameStore
  yield* frames.append("home", frame)
  yield* frames.append("home", old)
})

const check = Effect.gen(function* () {
  expect((yield* (yield* Directory).routers).map(({ routerId }) => routerId)).toEqual(["r1"])
  expect(yield* (yield* Accounts).signIn("admin", "correct horse")).toMatchObject({ name: "admin", role: "admin" })
  expect(yield* (yield* SessionStore).load).toEqual(session)
  const frames = yield* FrameStore
  expect(yield* frames.newest("home")).toMatchObject({ frameId: 2, body: old.body })
  expect(yield* frames.append("home", old)).toBe(false)
  expect(yield* frames.append("home", archivedOf(testFrame("home", 3, nowMs)))).toBe(true)
})

const withStores = <A, E>(location: DatabaseLocation, use: Effect.Effect<A, E, Stores>) =>
  Effect.provide(use, layerStores(location))

describe("back-up of the embedded database", () => {
  const root = mkdtempSync(join(tmpdir(), "wavepose-backup-"))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const on = <A, E>(folder: string, use: Effect.Effect<A, E, Stores>) =>
    Effect.runPromise(Effect.scoped(Effect.gen(function* () {
      return yield* withStores(yield* startEmbedded(join(root, folder)), use)
    })))

  it("brings everything back, and overwrites nothing", async () => {
    await on("first", fill)
    await Effect.runPromise(backUp(join(root, "first"), join(root, "copy")))
    const again = await Effect.runPromise(Effect.flip(backUp(join(root, "first"), join(root, "copy"))))
    expect(again.message).toContain("is there already")
    await Effect.runPromise(restore(join(root, "second"), join(root, "copy")))
    await on("second", check)
    const over = await Effect.runPromise(Effect.flip(restore(join(root, "first"), join(root, "copy"))))
    expect(over.message).toContain("is there already")
    expect(readdirSync(root).filter((name) => name.endsWith(".partial"))).toEqual([])
  })

  it("refuses while a service runs there, and where there is nothing", async () => {
    const refused = await on("first", Effect.flip(backUp(join(root, "first"), join(root, "live"))))
    expect(refused._tag).toBe("DataFolderUnavailable")
    expect(existsSync(join(root, "live"))).toBe(false)
    const nothing = await Effect.runPromise(Effect.flip(backUp(join(root, "empty"), join(root, "nothing"))))
    expect(nothing.message).toContain("There is no database")
  })
})

describe.skipIf(process.getuid?.() !== 0)("a data folder of another user", () => {
  it("is not restored, backed up or opened by root, whose files that user could not open", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wavepose-foreign-"))
    const [copy, data, target] = ["copy", "data", "target"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    mkdirSync(data)
    chownSync(data, 10_001, 10_001)
    for (const use of [restore(data, copy), backUp(data, target), Effect.scoped(startEmbedded(data))]) {
      const failure = await Effect.runPromise(Effect.flip<unknown, { readonly message: string }, never>(use))
      expect(failure).toMatchObject({ _tag: "DataFolderUnavailable", reason: "of_another_user" })
      expect(failure.message).toMatch(/user with the id 10001, .* Run this as that user \(sudo -u '#10001'/)
    }
    expect(readdirSync(data)).toEqual([])
    rmSync(folder, { recursive: true })
  })
})

/** Where the tools of a local PostgreSQL are; those of a container are within it. */
const tool = (name: string): string | undefined => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(debian, version, "bin", name)).find(existsSync)
}

describe.skipIf(!await hasPostgres() || tool("pg_dump") === undefined)("back-up of PostgreSQL", () => {
  let postgres: TestPostgres
  const folder = mkdtempSync(join(tmpdir(), "wavepose-dump-"))
  beforeAll(async () => void (postgres = (await startPostgres())!), 60_000)
  afterAll(async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("brings everything back by pg_dump and pg_restore", async () => {
    await Effect.runPromise(withStores({ url: postgres.url }, fill))
    const dump = join(folder, "wavepose.dump")
    await runFile(tool("pg_dump")!, ["--format=custom", `--file=${dump}`, postgres.url])
    const restored = new URL(postgres.url)
    restored.pathname = "/restored"
    await runFile(tool("psql")!, ["--command=CREATE DATABASE restored", postgres.url])
    await runFile(tool("pg_restore")!, [`--dbname=${restored}`, "--exit-on-error", dump])
    await Effect.runPromise(withStores({ url: String(restored) }, check))
  })
})
