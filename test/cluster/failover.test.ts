/**
 * Two real processes on one PostgreSQL: a sender finds the node of its room, frames cross nodes, and both continue after the node of their environment is killed.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Logger, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import { noProgress, play } from "../../deploy/source/play.ts"
import { openSimulation } from "../../deploy/source/simulate.ts"
import { smallRooms } from "../harness/rooms.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../harness/postgres.ts"
import { eventually, hasJoined, signIn, startService, type TestService } from "../harness/service.ts"
import { watchFrames } from "../harness/watch-frames.ts"

/** Enough rooms that each node hosts some, whatever the hash of their names is. */
const rooms = ["red", "green", "blue", "white", "black", "brown", "pink", "grey", "gold", "teal", "navy", "lime"]
/** Frames must resume within this time after a node is killed. */
const resumeMsMax = 10_000

describe.skipIf(!await hasPostgres())("a cluster of two nodes", () => {
  let postgres: TestPostgres
  let one: TestService
  let two: TestService
  let sites: Awaited<ReturnType<typeof smallRooms>>

  beforeAll(async () => {
    sites = await smallRooms(rooms)
    postgres = (await startPostgres())!
    const env = { DATABASE_URL: postgres.url }
    // The second node joins before the system starts, so both nodes host environments.
    two = await startService({ env: { ...env, WAVEPOSE_ROLES: "gateway,sensing" }, args: ["--source", "none"] })
    one = await startService({ env, args: ["--source", "none", ...sites.siteArguments] })
  }, 60_000)

  afterAll(async () => {
    await one?.stop()
    await two?.kill()
    await postgres?.stop()
    sites?.remove()
  }, 30_000)

  it(
    "delivers frames of a node, then of the other after a failure, and stores every frame that was delivered",
    async () => {
      const api = await signIn(one)
      const startedOn = (service: TestService) =>
        rooms.filter((room) => service.output().includes(`environment started id=${room} `))
      // Until the first node has joined, rooms move to it.
      await hasJoined(one)
      // An environment starts with its first message; a status request sends one to all.
      await eventually(async () => {
        await api.get("/system/status")
        return new Set([...startedOn(one), ...startedOn(two)])
      }, (all) => all.size === rooms.length)
      const room = startedOn(two).find((each) => !startedOn(one).includes(each))!
      expect(room).toBeDefined()

      const { body: { key } } = await api.post("/auth/api-keys", { name: "cluster test", role: "operator" })
      const client = await watchFrames(one, api.token, room)
      const startMs = Math.ceil(Date.now() / 100) * 100
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(JSON.stringify(message)))])
      const sending = Effect.runPromise(
        Effect.gen(function* () {
          const send = yield* connectIngest({ address: one.grpc, apiKey: Redacted.make(key), rootCertPem: null })
          const source = openSimulation(sites.scenarioOf(room), { startMs, seed: 1, hops: null })
          yield* play(source, send, { startMs, speed: 1, progress: noProgress() })
        }).pipe(
          Effect.scoped,
          Effect.provide(logger),
          Effect.raceFirst(Effect.callback<void>((resume) => {
            stop = () => resume(Effect.void)
          })),
        ),
      )
      await eventually(() => Promise.resolve(client.frameIds.length), (count) => count >= 20)
      // The sender was given the address of the other node.
      await eventually(
        () => Promise.resolve(logged),
        (lines) => lines.some((line) => line.includes("node that has their routers") && line.includes(two.grpc)),
      )

      const before = client.frameIds.at(-1)!
      const killedMs = performance.now()
      await two.kill()
      await eventually(() => Promise.resolve(client.frameIds.at(-1)!), (newest) => newest > before + 5, 2 * resumeMsMax)
      const resumedMs = performance.now() - killedMs
      console.info(`frames went on ${Math.round(resumedMs)} ms after the kill`)
      expect(resumedMs).toBeLessThan(resumeMsMax)
      expect(startedOn(one)).toContain(room)

      stop()
      await sending
      client.close()
      const stored = await Effect.runPromise(
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          return yield* sql<{ id: number }>`
        SELECT frame_id::float8 AS id FROM pose_frames WHERE environment_id = ${room} ORDER BY frame_id`
        }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(postgres.url) }))),
      )
      const ids = stored.map(({ id }) => id)
      expect(client.frameIds.filter((id) => !ids.includes(id))).toEqual([])
      expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => i + 1))
    },
    90_000,
  )
})

let stop = (): void => {}
