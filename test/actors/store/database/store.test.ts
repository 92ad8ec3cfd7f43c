import { readdirSync } from "node:fs"
import { Effect, Fiber, type Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createFirstAdmin, randomPassword } from "../../../../actors/store/accounts/users.ts"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { FrameStore } from "../../../../actors/store/frames/frames.ts"
import { ReferenceStore } from "../../../../actors/store/sensing/calibrations.ts"
import { runnerCredentials, signInSlotKey } from "../../../../actors/store/encryption/cluster-secrets.ts"
import { SessionStore } from "../../../../actors/store/session/sessions.ts"
import { learn } from "../../../../core/semantics/learned-week.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { Environment } from "../../../../protocols/domain/site.ts"
import { defaultStartOptions, type SystemSession } from "../../../../protocols/domain/system.ts"
import { Accounts } from "../../../../protocols/ports/accounts.ts"
import { LearnedWeeks } from "../../../../protocols/ports/learned-weeks.ts"
import { DatabaseHealth } from "../../../../protocols/ports/database-health.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { incidentEvent, zoneEvent } from "../../../harness/events.ts"
import { archivedOf, testFrame, testPerson } from "../../../harness/frames.ts"
import { embeddedDatabase, postgresDatabase, type TestDatabase } from "../../../harness/database.ts"
import { hasPostgres } from "../../../harness/postgres.ts"

const layerOf = ({ location }: TestDatabase) => layerStores(location)

type Stores = Layer.Success<ReturnType<typeof layerOf>>

const home: Environment = {
  environmentId: "home",
  name: "A home",
  geometry: {
    size: [6, 5, 2.7],
    nodes: [{ nodeId: "r1", position: [0.1, 1, 1.2], arrayAxis: [0, 1, 0] }],
  },
}

/** One suite, run by every database that is at hand. */
const suite = (name: string, start: () => Promise<TestDatabase | null>, skip: boolean) =>
  describe.skipIf(skip)(name, () => {
    let database: TestDatabase
    let runtime: ManagedRuntime.ManagedRuntime<Stores, unknown>
    const run = <A, E>(effect: Effect.Effect<A, E, Stores>) => runtime.runPromise(effect)

    beforeAll(async () => {
      database = (await start())!
      runtime = ManagedRuntime.make(layerOf(database))
      await run(Effect.void)
    }, 60_000)
    afterAll(async () => {
      await runtime.dispose()
      await database.stop()
    })

    it("answers a health question", () =>
      run(Effect.gen(function* () {
        const health = yield* (yield* DatabaseHealth).check
        expect(health.capacity).toBeGreaterThan(0)
      })))

    it("migrates an existing database without a change", async () => {
      const again = ManagedRuntime.make(layerOf(database))
      const count = await again.runPromise(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ count: number }>`SELECT count(*)::int4 AS count FROM wavepose_migrations`
      }))
      const migrations = readdirSync(new URL("../../../../actors/store/migrations", import.meta.url))
      expect(count[0]!.count).toBe(migrations.length)
      await again.dispose()
    })

    it("keeps what a node learned of its week, and learns anew what cannot be read", () =>
      run(Effect.gen(function* () {
        const weeks = yield* LearnedWeeks
        const sql = yield* SqlClient.SqlClient
        yield* (yield* Directory).enrol(home, ["r1"])
        expect(yield* weeks.load("r1")).toBeNull()
        const first = learn(null, "live", 28_333_440, 2)
        yield* weeks.save("r1", first)
        const second = learn(first, "live", 28_333_441, 0)
        yield* weeks.save("r1", second)
        expect(yield* weeks.load("r1")).toEqual(second)
        yield* sql`UPDATE learned_weeks SET body = '\\x7b7d'`
        expect(yield* weeks.load("r1")).toBeNull()
      })))

    it("enrols environments and routers, again and again", () =>
      run(Effect.gen(function* () {
        const directory = yield* Directory
        yield* directory.enrol(home, ["r1", "r2"])
        yield* directory.enrol({ ...home, name: "The same home" }, ["r2", "r3"])
        expect(yield* directory.environment("home")).toEqual({ ...home, name: "The same home" })
        expect((yield* directory.routers).map(({ routerId }) => routerId)).toEqual(["r2", "r3"])
        expect(yield* directory.environmentOf("r3")).toBe("home")
        expect(yield* directory.environmentOf("r1"), "not named any more").toBe(null)
        expect(yield* directory.environmentOf("stranger")).toBe(null)
        expect(yield* Effect.flip(directory.environment("elsewhere"))).toMatchObject({
          _tag: "UnknownEnvironment",
          message: 'There is no environment "elsewhere". Known environments: home.',
        })
        yield* directory.enrol({ environmentId: "plain", name: "No geometry", geometry: null }, [])
        expect((yield* directory.environments).map(({ environmentId }) => environmentId)).toEqual(["home", "plain"])
      })))

    it("names the environments that there are, up to a bound, where one is unknown", () =>
      run(Effect.gen(function* () {
        const directory = yield* Directory
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO environments (environment_id, name) SELECT 'a' || n, '' FROM generate_series(10, 22) AS n`
        const { message } = yield* Effect.flip(directory.environment("elsewhere"))
        const others = (yield* directory.environments).length - 10
        expect(message).toContain(
          `Known environments: a10, a11, a12, a13, a14, a15, a16, a17, a18, a19 and ${others} more.`,
        )
        yield* sql`DELETE FROM environments WHERE environment_id LIKE 'a__'`
      })))

    it("writes frames that come together, each id once, and finds the newest", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        const frame = (frameId: number) =>
          archivedOf(testFrame("home", frameId, 1_800_000_000_000 + frameId * 100, {
            persons: Array.from({ length: frameId % 3 }, (_, i) => testPerson(i + 1, "standing")),
          }))
        expect(yield* frames.newest("home")).toBe(null)
        const written = yield* Effect.forEach([1, 2, 3, 4], (id) => frames.append("home", frame(id)), {
          concurrency: "unbounded",
        })
        expect(written).toEqual([true, true, true, true])
        expect(yield* frames.append("home", { ...frame(4), body: new Uint8Array([9]) })).toBe(false)
        expect(yield* frames.append("other", frame(4))).toBe(true)
        const { body, frameId, timestampMs } = frame(4)
        expect(yield* frames.newest("home")).toEqual({ frameId, timestampMs, body })
      })))

    it("keeps an environment's zones, and leaves out an environment whose zones are none", () =>
      run(Effect.gen(function* () {
        const directory = yield* Directory
        const zones = [{ zoneId: "bed", name: "Bed", kind: "bed", polygon: [[0, 0], [2, 0], [2, 1], [0, 1]] }] as const
        yield* directory.enrol({ ...home, environmentId: "zoned", zones }, [])
        expect((yield* directory.environment("zoned")).zones).toEqual(zones)
        const flat = [{ ...zones[0], polygon: [[0, 0], [1, 1], [2, 2]] }] as const
        yield* directory.enrol({ ...home, environmentId: "zoned", zones: flat }, [])
        expect(yield* Effect.flip(directory.environment("zoned"))).toMatchObject({ _tag: "UnknownEnvironment" })
        yield* (yield* SqlClient.SqlClient)`DELETE FROM environments WHERE environment_id = 'zoned'`
      })))

    it("keeps the newest revision of an event, whatever the order, and finds the incidents that are not over", () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const events = yield* EventStore
        const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
        expect(yield* events.incidents("living-room")).toEqual([])
        yield* events.append([])
        yield* events.append([
          zoneEvent(id(1)),
          incidentEvent(id(2), "waiting", 1),
          incidentEvent(id(2), "open", 2),
          incidentEvent(id(3), "open", 2),
          incidentEvent(id(4), "waiting", 1),
        ])
        yield* events.append([incidentEvent(id(3), "cleared", 3), incidentEvent(id(4), "withdrawn", 2)])
        yield* events.append([
          incidentEvent(id(3), "open", 2),
          incidentEvent(id(5), "open", 2, { environmentId: "attic" }),
        ])
        const open = incidentEvent(id(2), "open", 2)
        const cleared = incidentEvent(id(3), "cleared", 3)
        expect(yield* events.incidents("living-room")).toEqual([cleared, open])
        const rows = yield* sql<{ id: string; type: string; ms: number }>`
          SELECT event_id::text AS id, type, (extract(epoch FROM ts) * 1000)::float8 AS ms FROM events ORDER BY event_id`
        expect(rows.map(({ type }) => type)).toEqual(["zone_entered", ...Array(4).fill("fall_detection")])
        expect(rows[1]!.ms).toBe(open.timestampMs)
      })))

    it("tells one alone of several appends of an id that it was stored", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        const frame = archivedOf(testFrame("contended", 1, 1_800_000_000_000))
        const appends = Array.from({ length: 3 }, () => frames.append("contended", frame))
        const stored = yield* Effect.all(appends, { concurrency: "unbounded" })
        expect(stored).toEqual([true, false, false])
      })))

    it("does not write an append that was interrupted while it waited", () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const frames = yield* FrameStore
        const frame = (frameId: number) => archivedOf(testFrame("patient", frameId, 1_800_000_000_000))
        const waited = yield* sql.withTransaction(Effect.gen(function* () {
          yield* sql`LOCK TABLE pose_frames IN ACCESS EXCLUSIVE MODE`
          const writing = yield* Effect.forkDetach(frames.append("patient", frame(1)))
          // The writer takes the first alone before the second comes.
          for (let i = 0; i < 100; i++) yield* Effect.yieldNow
          const second = yield* Effect.forkDetach(frames.append("patient", frame(2)))
          for (let i = 0; i < 100; i++) yield* Effect.yieldNow
          yield* Fiber.interrupt(second)
          return writing
        }))
        expect(yield* Fiber.join(waited)).toBe(true)
        expect(yield* frames.append("patient", frame(3))).toBe(true)
        const rows = yield* sql<{ id: number }>`
          SELECT frame_id::int4 AS id FROM pose_frames WHERE environment_id = 'patient' ORDER BY frame_id`
        expect(rows.map(({ id }) => id)).toEqual([1, 3])
      })))

    it("leaves out a router whose row is not as it should be", () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const directory = yield* Directory
        yield* directory.enrol({ environmentId: "home", name: "A home", geometry: null }, ["sound", "not an id!"])
        const ids = (yield* directory.routers).map(({ routerId }) => routerId)
        expect(ids).toContain("sound")
        expect(ids).not.toContain("not an id!")
        yield* sql`DELETE FROM routers WHERE router_id IN ('sound', 'not an id!')`
      })))

    it("keeps the session and the references of routers", () =>
      run(Effect.gen(function* () {
        const sessions = yield* SessionStore
        const references = yield* ReferenceStore
        yield* (yield* Directory).enrol(home, ["r1"])
        const session: SystemSession = {
          status: "running",
          sessionId: "one",
          startedAtMs: 1,
          estimatedReadyMs: null,
          steps: [{ step: "load_configuration", status: "completed", progress: 1 }],
          options: { ...defaultStartOptions, environmentId: "home" },
          failure: null,
        }
        expect(yield* sessions.load).toBe(null)
        yield* sessions.save(session)
        yield* sessions.save({ ...session, status: "stopping" })
        expect(yield* sessions.load).toEqual({ ...session, status: "stopping" })
        // A session of a version before there were alerts.
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE system_sessions SET session = session #- '{options,alerts}'`
        expect((yield* sessions.load)!.options.alerts).toEqual(defaultStartOptions.alerts)
        expect(yield* references.load("r1")).toBe(null)
        yield* references.save("r1", 1_800_000_000_000, new Uint8Array([1, 2]))
        yield* references.save("r1", 1_800_000_000_000, new Uint8Array([3]))
        expect(yield* references.load("r1")).toEqual(new Uint8Array([3]))
      })))

    it("makes the first administrator once, and tells right passwords from wrong ones", () =>
      run(Effect.gen(function* () {
        const accounts = yield* Accounts
        const password = yield* randomPassword
        const short = yield* Effect.flip(createFirstAdmin("admin", "hunter2hunt"))
        expect(short).toMatchObject({ _tag: "PasswordRefused", message: expect.stringContaining("12 to 1024") })
        expect(yield* createFirstAdmin("admin", password)).toBe(true)
        expect(yield* createFirstAdmin("admin", "other")).toBe(false)
        expect(yield* createFirstAdmin("second", "other")).toBe(false)
        expect(yield* accounts.signIn("admin", password)).toMatchObject({ kind: "user", name: "admin", role: "admin" })
        const wrong = yield* Effect.flip(accounts.signIn("admin", "wrong"))
        expect(yield* Effect.flip(accounts.signIn("nobody", password))).toEqual(wrong)
        const sql = yield* SqlClient.SqlClient
        const [user] = yield* sql<{ password_hash: string }>`SELECT password_hash FROM users`
        expect(user!.password_hash).toMatch(/^\$argon2id\$/)
      })))

    it("issues API keys that expire and can be revoked", () =>
      run(Effect.gen(function* () {
        const accounts = yield* Accounts
        const { apiKey, key } = yield* accounts.createApiKey({
          name: "router",
          role: "operator",
          scopes: null,
          expiresAtMs: null,
        })
        const old = yield* accounts.createApiKey({ name: "old", role: "viewer", scopes: null, expiresAtMs: 1 })
        expect(yield* accounts.byApiKey(key)).toMatchObject({ kind: "apiKey", name: "router", role: "operator" })
        expect(yield* Effect.flip(accounts.byApiKey(old.key))).toMatchObject({ _tag: "NotAuthenticated" })
        expect(yield* Effect.flip(accounts.byApiKey("wp_guessed"))).toMatchObject({ _tag: "NotAuthenticated" })
        const listed = yield* accounts.apiKeys
        expect(listed.map(({ name }) => name)).toEqual(["router", "old"])
        expect(listed[0]!.lastUsedAtMs).not.toBe(null)
        expect(JSON.stringify(listed)).not.toContain(key)
        expect(yield* accounts.revokeApiKey(apiKey.keyId)).toBe(true)
        expect(yield* accounts.revokeApiKey(apiKey.keyId)).toBe(false)
        expect(yield* accounts.revokeApiKey("'; DROP TABLE users; --")).toBe(false)
        expect(yield* Effect.flip(accounts.byApiKey(key))).toMatchObject({ _tag: "NotAuthenticated" })
      })))

    it("gives every node the same shared secrets", () =>
      run(Effect.gen(function* () {
        const keys = yield* Effect.all([signInSlotKey, signInSlotKey, signInSlotKey], { concurrency: "unbounded" })
        expect(new Set(keys).size).toBe(1)
        const [one, two] = yield* Effect.all([runnerCredentials, runnerCredentials])
        expect(one.credential).toBe(two.credential)
        expect(one.authorityPem).toBe(two.authorityPem)
        expect(one.privateKeyPem).not.toBe(two.privateKeyPem)
      })))
  })

suite("store on the embedded database", embeddedDatabase, false)
suite("store on PostgreSQL", postgresDatabase, !await hasPostgres())
