import { Effect } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { layerDatabase, layerDatabaseHealth } from "../../../actors/store/database.ts"
import { type EmbeddedDatabase, startEmbedded } from "../../../actors/store/embedded.ts"
import { DatabaseHealth } from "../../../protocols/messages/database-health.ts"

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
  const refused = Effect.suspend(() => Effect.flip(startEmbedded(directory)))

  it("refuses a folder that is in use and leaves its user in peace", () =>
    Effect.gen(function* () {
      const location = yield* startEmbedded(directory)
      const { message } = yield* refused
      expect(message).toContain("Is another wavepose running there?")
      expect(message).toContain("WAVEPOSE_DATA_DIR")
      yield* answers(location)
    }).pipe(Effect.scoped, Effect.runPromise), 60_000)

  it("frees the folder when it ends, and takes the lock of a process that is no more", () =>
    Effect.gen(function* () {
      const lockPath = join(directory, ".lock")
      // Beyond what any system gives out.
      writeFileSync(lockPath, "2147483646")
      writeFileSync(join(directory, ".s.PGSQL.5432"), "left behind")
      yield* Effect.scoped(Effect.gen(function* () {
        yield* answers(yield* startEmbedded(directory))
        expect(readFileSync(lockPath, "utf8")).toBe(String(process.pid))
      }))
      expect(readdirSync(directory)).toEqual(["database"])
    }).pipe(Effect.scoped, Effect.runPromise), 60_000)

  it("respects the lock of a process that lives", () =>
    Effect.gen(function* () {
      writeFileSync(join(directory, ".lock"), String(process.ppid))
      expect((yield* refused).message).toContain(`process ${process.ppid} holds`)
      expect(readdirSync(directory)).toEqual([".lock"])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("respects whoever listens on the socket", () =>
    Effect.gen(function* () {
      const socketPath = join(directory, ".s.PGSQL.5432")
      yield* Effect.acquireRelease(
        Effect.promise(() =>
          new Promise<ReturnType<typeof createServer>>((listening) => {
            const server = createServer((socket) => socket.on("error", () => {}))
            server.listen(socketPath, () => listening(server))
          })
        ),
        (server) => Effect.promise(() => new Promise<void>((closed) => server.close(() => closed()))),
      )
      expect((yield* Effect.scoped(refused)).message).toContain("somebody listens on")
      expect(readdirSync(directory)).toEqual([".s.PGSQL.5432"])
    }).pipe(Effect.scoped, Effect.runPromise))
})
