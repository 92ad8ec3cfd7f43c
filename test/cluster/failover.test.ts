/**
 * Two real processes on one PostgreSQL: frames cross nodes, and continue after the node of their environment is killed.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Scope } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import { noProgress, play } from "../../deploy/source/play.ts"
import { openSimulation, scenarioEnrolments } from "../../deploy/source/simulate.ts"
import { loadScenario } from "../../deploy/commands/replay-command.ts"
import type { Scenario } from "../../sim/scenario/scenario.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../harness/postgres.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

/** Enough rooms that each node hosts some, whatever the hash of their names is. */
const rooms = ["red", "green", "blue", "white", "black", "brown"]
/** Frames must resume within this time after a node is killed. */
const resumeMsMax = 10_000

/** The small room under another name, with its own nodes. */
const roomOf = (scenario: Scenario, room: string): Scenario => ({
  ...scenario,
  rooms: scenario.rooms.map((each) => ({
    ...each,
    environmentId: room,
    nodes: each.nodes.map((node) => ({ ...node, nodeId: `${room}.${node.nodeId}` })),
  })),
  doors: scenario.doors.map((door) => ({ ...door, rooms: [room, null] })),
})

interface Update {
  readonly data: { readonly frame_id: number }
}

/** Frame ids of an environment as a WebSocket client of one node sees them. */
const watch = async (service: TestService, token: string, environmentId: string) => {
  const socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose?token=${token}`)
  const frameIds: Array<number> = []
  socket.on("message", (bytes) => {
    const message = JSON.parse(String(bytes)) as { readonly type: string } & Update
    if (message.type === "pose_update") frameIds.push(message.data.frame_id)
  })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  socket.send(
    JSON.stringify({ type: "subscribe", channel: "pose_updates", filters: { environment_id: environmentId } }),
  )
  return { frameIds, close: () => socket.terminate() }
}

describe.skipIf(!await hasPostgres())("a cluster of two nodes", () => {
  let postgres: TestPostgres
  let one: TestService
  let two: TestService
  let scenario: Scenario
  const sites = mkdtempSync(join(tmpdir(), "wavepose-sites-"))

  beforeAll(async () => {
    scenario = await Effect.runPromise(loadScenario("small-room"))
    postgres = (await startPostgres())!
    const env = { DATABASE_URL: postgres.url }
    const siteArguments = rooms.flatMap((room) => {
      const { environment, routerIds } = scenarioEnrolments(roomOf(scenario, room))[0]!
      const file = join(sites, `${room}.json`)
      writeFileSync(file, JSON.stringify({ ...environment, routers: routerIds }))
      return ["--site", file]
    })
    // The second node joins before the system starts, so both nodes host environments.
    two = await startService({ env: { ...env, WAVEPOSE_ROLES: "sensing" }, args: ["--source", "none"] })
    one = await startService({ env, args: ["--source", "none", ...siteArguments] })
  }, 60_000)

  afterAll(async () => {
    await one?.stop()
    await two?.kill()
    await postgres?.stop()
    rmSync(sites, { recursive: true, force: true })
  }, 30_000)

  it(
    "delivers frames of a node, then of the other after a failure, and stores every frame that was delivered",
    async () => {
      const api = await signIn(one)
      const startedOn = (service: TestService) =>
        rooms.filter((room) => service.output().includes(`environment started id=${room} `))
      // An environment starts with its first message; a status request sends one to all.
      await eventually(async () => {
        await api.get("/system/status")
        return [...startedOn(one), ...startedOn(two)]
      }, (all) => all.length === rooms.length)
      const room = startedOn(two)[0]!
      expect(room).toBeDefined()

      const { body: { key } } = await api.post("/auth/api-keys", { name: "cluster test", role: "operator" })
      const client = await watch(one, api.token, room)
      const scope = Scope.makeUnsafe()
      const startMs = Math.ceil(Date.now() / 100) * 100
      const sending = Effect.runPromise(
        Effect.gen(function* () {
          const send = yield* connectIngest({ address: one.grpc, apiKey: Redacted.make(key), rootCertPem: null })
          const source = openSimulation(roomOf(scenario, room), { startMs, seed: 1, hops: null })
          yield* play(source, send, { startMs, speed: 1, progress: noProgress() })
        }).pipe(
          Scope.provide(scope),
          Effect.raceFirst(Effect.callback<void>((resume) => {
            stop = () => resume(Effect.void)
          })),
        ),
      )
      await eventually(() => Promise.resolve(client.frameIds.length), (count) => count >= 20)

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
