import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { layerConnections, layerDatabase, layerDatabaseHealth } from "../../../../actors/store/database/database.ts"
import { type EmbeddedDatabase, startEmbedded } from "../../../../actors/store/database/embedded.ts"
import { DatabaseHealth } from "../../../../protocols/ports/database-health.ts"

describe("the embedded database", () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "wavepose-embedded-"))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const answers = (location: EmbeddedDatabase) =>
    Effect.flatMap(DatabaseHealth, ({ check }) => check).pipe(
      Effect.provide(layerDatabaseHealth),
      Effect.provide(layerDatabase(location)),
    )
  const rejected = (folder: string) => Effect.flip(startEmbedded(folder))

  it("rejects a folder that is in use and leaves its user and its lock alone", () =>
    Effect.gen(function* () {
      const location = yield* startEmbedded(directory)
      const holder = readFileSync(join(directory, ".lock"), "utf8")
      const failure = yield* rejected(directory)
      expect(failure).toMatchObject({ _tag: "DataFolderUnavailable", reason: "in_use" })
      expect(failure.message).toContain(`is in use by process ${process.pid} on ${hostname()}`)
      expect(failure.message).toContain("WAVEPOSE_DATA_DIR")
      expect(readFileSync(join(directory, ".lock"), "utf8")).toBe(holder)
      yield* answers(location)
    }).pipe(Effect.scoped, Effect.runPromise), 60_000)

  it(
    "frees the folder when it ends, and takes over that of a process that is gone, whatever its id",
    () =>
      Effect.gen(function* () {
        // The id is in use: it is this process's own.
        writeFileSync(join(directory, ".lock"), `process ${process.pid} on ${hostname()}`)
        const warnings: Array<string> = []
        const log = Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])
        yield* Effect.scoped(Effect.flatMap(startEmbedded(directory), answers)).pipe(Effect.provide(log))
        expect(warnings.filter((text) => text.includes("was taken over"))).toHaveLength(1)
        expect(readdirSync(directory).sort()).toEqual([".folder.lock", "database"])
        yield* Effect.scoped(Effect.flatMap(startEmbedded(directory), answers))
      }).pipe(Effect.runPromise),
    60_000,
  )

  it("says that a folder cannot be written, and not that it is in use", () =>
    Effect.gen(function* () {
      writeFileSync(join(directory, "file"), "")
      const failure = yield* rejected(join(directory, "file", "data"))
      expect(failure).toMatchObject({ _tag: "DataFolderUnavailable", reason: "not_writable" })
      expect(failure.message).toMatch(/cannot be written: ENOTDIR.*Give this user write access/)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("takes and ends connections without a failure, and has no socket in the folder", () =>
    Effect.gen(function* () {
      const location = yield* startEmbedded(directory)
      const questions = Array.from({ length: 8 }, (_, i) => i)
      const round = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.forEach(questions, (i) =>
          Effect.map(sql<{ i: number }>`SELECT ${i}::int4 AS i`, ([row]) => row!.i), {
          concurrency: "unbounded",
        }))
      for (let i = 0; i < 40; i++) {
        expect(yield* Effect.provide(round, layerConnections(location))).toEqual(questions)
      }
      expect(readdirSync(directory).sort()).toEqual([".folder.lock", ".lock", "database"])
    }).pipe(Effect.scoped, Effect.runPromise), 60_000)

  it("fails connections to a database that has ended", async () => {
    const ended = await Effect.runPromise(Effect.scoped(startEmbedded(directory)))
    const failure = await Effect.runPromise(Effect.flip(answers(ended)))
    expect(failure).toMatchObject({ _tag: "DatabaseUnreachable" })
    expect(failure.message).toContain("the embedded database has ended")
  }, 60_000)
})
