/**
 * Users, sign-ins, credentials, signing keys, attempts and counts in every database that is at hand, on a clock of their own.
 */
import { Effect, type Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { Role } from "../../../../protocols/domain/identity.ts"
import { Accounts } from "../../../../protocols/ports/accounts.ts"
import { Credentials } from "../../../../protocols/ports/credentials.ts"
import { RateCounts } from "../../../../protocols/ports/rate-counts.ts"
import { SignInAttempts } from "../../../../protocols/ports/sign-in-attempts.ts"
import { SigningKeys } from "../../../../protocols/ports/signing-keys.ts"
import { UserSessions } from "../../../../protocols/ports/user-sessions.ts"
import { Users } from "../../../../protocols/ports/users.ts"
import { embeddedDatabase, postgresDatabase, type TestDatabase } from "../../../harness/database.ts"
import { hasPostgres } from "../../../harness/postgres.ts"

type Stores = Layer.Success<ReturnType<typeof layerStores>>

const password = "correct horse battery staple"
const startMs = Date.UTC(2026, 0, 5)
const dayMs = 86_400_000

/** One suite, run by every database that is at hand. */
const suite = (name: string, start: () => Promise<TestDatabase | null>, skip: boolean) =>
  describe.skipIf(skip)(name, () => {
    let database: TestDatabase
    let runtime: ManagedRuntime.ManagedRuntime<Stores, unknown>
    const run = <A, E>(effect: Effect.Effect<A, E, Stores>) =>
      runtime.runPromise(
        Effect.andThen(TestClock.setTime(startMs), effect).pipe(Effect.provide(TestClock.layer())) as Effect.Effect<
          A,
          E,
          Stores
        >,
      )

    beforeAll(async () => {
      database = (await start())!
      runtime = ManagedRuntime.make(layerStores(database.location))
      await run(Effect.void)
    }, 60_000)
    afterAll(async () => {
      await runtime.dispose()
      await database.stop()
    })

    const user = (username: string, role: Role = "viewer") =>
      Effect.flatMap(Users, ({ create }) => create(username, role, password))
    /** A user with a sign-in. */
    const signedIn = Effect.fnUntraced(function* (username: string, role: Role = "viewer") {
      const { userId } = yield* user(username, role)
      const open = (yield* UserSessions).open({ kind: "user", id: userId, name: username, role })
      return { userId, open, session: yield* open }
    })
    const standing = (sessionId: string) =>
      Effect.map(
        Effect.flatMap(Credentials, (store) => store.standing([{ kind: "session", id: sessionId }])),
        ([found]) => found?.principal ?? null,
      )
    const refused = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>) =>
      Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

    describe("users", () => {
      it("are added once a name, listed, changed and removed", () =>
        run(Effect.gen(function* () {
          const users = yield* Users
          const olga = yield* user("olga", "operator")
          expect(olga).toMatchObject({ username: "olga", role: "operator", createdAtMs: startMs })
          expect(yield* Effect.flip(user("olga"))).toMatchObject({ reason: "name_taken" })
          expect(yield* users.all).toContainEqual(olga)
          expect(yield* users.change(olga.userId, { role: "viewer" })).toMatchObject({ role: "viewer" })
          const accounts = yield* Accounts
          expect(yield* accounts.signIn("olga", password)).toMatchObject({ role: "viewer" })
          yield* users.change(olga.userId, { password: "another long password" })
          expect(yield* refused(accounts.signIn("olga", password))).toBe("NotAuthenticated")
          yield* accounts.signIn("olga", "another long password")
          expect(yield* users.remove(olga.userId)).toBe(true)
          expect(yield* users.remove(olga.userId)).toBe(false)
          expect(yield* users.change(olga.userId, { role: "admin" })).toBeNull()
          expect(yield* users.remove("'; DROP TABLE users; --")).toBe(false)
          expect(yield* refused(accounts.signIn("olga", "another long password"))).toBe("NotAuthenticated")
        })))

      it("always include an administrator, also after concurrent removals and demotions", () =>
        run(Effect.gen(function* () {
          const users = yield* Users
          const [one, two] = [yield* user("root-1", "admin"), yield* user("root-2", "admin")]
          const attempts = [
            Effect.asVoid(users.remove(one.userId)),
            Effect.asVoid(users.change(two.userId, { role: "viewer" })),
          ]
          const results = yield* Effect.forEach(attempts, (attempt) => Effect.result(attempt), { concurrency: 2 })
          expect(results.map(({ _tag }) => _tag).sort()).toEqual(["Failure", "Success"])
          const admins = (yield* users.all).filter(({ role }) => role === "admin")
          expect(admins).toHaveLength(1)
          const last = admins[0]!.userId
          expect(yield* Effect.flip(users.remove(last))).toMatchObject({ reason: "last_administrator" })
          expect(yield* Effect.flip(users.change(last, { role: "operator" }))).toMatchObject({
            reason: "last_administrator",
          })
          yield* users.change(last, { password: "another long password" })
        })))

      it.each(["removed", "made less", "given another password"])(
        "that are %s have no sign-in left",
        (what) =>
          run(Effect.gen(function* () {
            const users = yield* Users
            const { session, userId } = yield* signedIn(`ends-${what}`, "operator")
            expect(yield* standing(session.sessionId)).toMatchObject({ id: userId, role: "operator" })
            if (what === "removed") yield* users.remove(userId)
            if (what === "made less") yield* users.change(userId, { role: "viewer" })
            if (what === "given another password") yield* users.change(userId, { password: "another long password" })
            expect(yield* standing(session.sessionId)).toBeNull()
            expect(yield* refused((yield* UserSessions).refresh(session.refreshToken))).toBe("NotAuthenticated")
          })),
      )

      it("change their own password by the old one, which ends their other sign-ins", () =>
        run(Effect.gen(function* () {
          const users = yield* Users
          const { open, session, userId } = yield* signedIn("petra")
          const other = yield* open
          const change = (current: string) =>
            users.changePassword(userId, { current, next: "another long password" }, session.sessionId)
          expect(yield* change("wrong")).toBe(false)
          expect(yield* standing(other.sessionId)).not.toBeNull()
          expect(yield* change(password)).toBe(true)
          expect(yield* change(password)).toBe(false)
          expect(yield* standing(other.sessionId)).toBeNull()
          expect(yield* standing(session.sessionId)).not.toBeNull()
          yield* (yield* Accounts).signIn("petra", "another long password")
        })))
    })

    describe("refresh tokens", () => {
      it("are exchanged one for the next, and stay with their sign-in", () =>
        run(Effect.gen(function* () {
          const sessions = yield* UserSessions
          const { session } = yield* signedIn("rita")
          let { refreshToken } = session
          const seen = new Set([refreshToken])
          for (let n = 0; n < 5; n++) {
            yield* TestClock.adjust("1 hour")
            const next = yield* sessions.refresh(refreshToken)
            expect(next).toMatchObject({ sessionId: session.sessionId, userId: session.userId })
            expect(next.refreshToken).toMatch(/^wpr_[A-Za-z0-9_-]{43}$/)
            refreshToken = next.refreshToken
            seen.add(refreshToken)
          }
          expect(seen.size).toBe(6)
        })))

      it("are kept as hashes", () =>
        run(Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { session } = yield* signedIn("hanna")
          const rows = yield* sql<{ text: string }>`
            SELECT row_to_json(refresh_tokens)::text || encode(token_hash, 'escape') || encode(token_hash, 'base64') AS text
            FROM refresh_tokens`
          expect(rows.length).toBeGreaterThan(0)
          for (const { text } of rows) expect(text).not.toContain(session.refreshToken.slice(4))
        })))

      it("that were used and are shown again end their sign-in, and no other", () =>
        run(Effect.gen(function* () {
          const sessions = yield* UserSessions
          const { open, session } = yield* signedIn("reni")
          const other = yield* open
          const stolen = session.refreshToken
          const next = yield* sessions.refresh(stolen)
          expect(yield* refused(sessions.refresh(stolen))).toBe("NotAuthenticated")
          expect(yield* refused(sessions.refresh(next.refreshToken))).toBe("NotAuthenticated")
          expect(yield* standing(session.sessionId)).toBeNull()
          expect(yield* standing(other.sessionId)).not.toBeNull()
          yield* sessions.refresh(other.refreshToken)
        })))

      it("are good once, also where two use one at the same moment", () =>
        run(Effect.gen(function* () {
          const sessions = yield* UserSessions
          const { session } = yield* signedIn("twice")
          const uses = Array.from({ length: 4 }, () => Effect.result(sessions.refresh(session.refreshToken)))
          const results = yield* Effect.all(uses, { concurrency: "unbounded" })
          expect(results.filter(({ _tag }) => _tag === "Success").length).toBeLessThanOrEqual(1)
          expect(yield* standing(session.sessionId)).toBeNull()
        })))

      it("are rejected if they are malformed, of no sign-in or of no user", () =>
        run(Effect.gen(function* () {
          const sessions = yield* UserSessions
          for (const token of ["", "x", "wpr_", `wpr_${"a".repeat(43)}`, `wpr_${"a".repeat(42)}\u0000`]) {
            expect(yield* refused(sessions.refresh(token))).toBe("NotAuthenticated")
            expect(yield* sessions.close(token)).toBeNull()
          }
        })))

      it("die after thirty days without use, and a sign-in after ninety in any case", () =>
        run(Effect.gen(function* () {
          const sessions = yield* UserSessions
          const { session: idle } = yield* signedIn("idle")
          yield* TestClock.setTime(startMs + 30 * dayMs)
          expect(yield* refused(sessions.refresh(idle.refreshToken))).toBe("NotAuthenticated")
          const { session } = yield* signedIn("busy")
          let { refreshToken } = session
          for (let day = 20; day < 90; day += 20) {
            yield* TestClock.setTime(startMs + (30 + day) * dayMs)
            refreshToken = (yield* sessions.refresh(refreshToken)).refreshToken
            expect(yield* standing(session.sessionId)).not.toBeNull()
          }
          yield* TestClock.setTime(startMs + 120 * dayMs)
          expect(yield* standing(session.sessionId)).toBeNull()
          expect(yield* refused(sessions.refresh(refreshToken))).toBe("NotAuthenticated")
        })))

      it("leave a bounded number of rows of a sign-in and of a user", () =>
        run(Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const sessions = yield* UserSessions
          const { open, session, userId } = yield* signedIn("often")
          let { refreshToken } = session
          for (let n = 0; n < 70; n++) refreshToken = (yield* sessions.refresh(refreshToken)).refreshToken
          const [tokens] = yield* sql<{ count: number }>`
            SELECT count(*)::int4 AS count FROM refresh_tokens WHERE session_id = ${session.sessionId}`
          expect(tokens!.count).toBe(65)
          for (let n = 0; n < 105; n++) yield* Effect.andThen(TestClock.adjust("1 second"), open)
          const [kept] = yield* sql<{ count: number }>`
            SELECT count(*)::int4 AS count FROM user_sessions WHERE user_id = ${userId}`
          expect(kept!.count).toBe(100)
          expect(yield* standing(session.sessionId)).toBeNull()
        })))

      it("last while they are used, however many others a user opens", () =>
        run(Effect.gen(function* () {
          const sessions = yield* UserSessions
          const { open, session } = yield* signedIn("both")
          const renewed = yield* open
          let { refreshToken } = renewed
          for (let n = 0; n < 105; n++) {
            yield* Effect.andThen(TestClock.adjust("1 second"), open)
            yield* sessions.resume(session.refreshToken)
            refreshToken = (yield* sessions.refresh(refreshToken)).refreshToken
          }
          expect(yield* standing(session.sessionId)).not.toBeNull()
          expect(yield* standing(renewed.sessionId)).not.toBeNull()
        })))
    })

    it("signs out by the present refresh token or a used one, once", () =>
      run(Effect.gen(function* () {
        const sessions = yield* UserSessions
        const { open, session } = yield* signedIn("lena")
        expect(yield* sessions.close(session.refreshToken)).toBe(session.sessionId)
        expect(yield* sessions.close(session.refreshToken)).toBeNull()
        expect(yield* standing(session.sessionId)).toBeNull()
        const again = yield* open
        yield* sessions.refresh(again.refreshToken)
        expect(yield* sessions.close(again.refreshToken)).toBe(again.sessionId)
      })))

    it("says of many credentials at once which stand, and when a key was used, to the minute", () =>
      run(Effect.gen(function* () {
        const accounts = yield* Accounts
        const credentials = yield* Credentials
        const { session } = yield* signedIn("ines", "operator")
        const { apiKey, key } = yield* accounts.createApiKey({
          name: "reader",
          role: "viewer",
          scopes: ["read:events"],
          expiresAtMs: startMs + 3_600_000,
        })
        const limited = { id: apiKey.keyId, role: "viewer", scopes: ["read:events"] }
        expect(yield* accounts.byApiKey(key)).toMatchObject(limited)
        const refs = [
          { kind: "session", id: session.sessionId },
          { kind: "apiKey", id: apiKey.keyId },
          { kind: "session", id: "00000000-0000-7000-8000-000000000000" },
          { kind: "apiKey", id: session.sessionId },
        ] as const
        const usedMs = Effect.map(
          accounts.apiKeys,
          (keys) => keys.find(({ keyId }) => keyId === apiKey.keyId)!.lastUsedAtMs,
        )
        const found = yield* credentials.standing(refs)
        expect(found.map(({ principal }) => principal)).toContainEqual(expect.objectContaining(limited))
        expect(found.map(({ id, principal }) => [id, principal.name, principal.role]).sort()).toEqual(
          [[session.sessionId, "ines", "operator"], [apiKey.keyId, "reader", "viewer"]].sort(),
        )
        expect(yield* usedMs).toBe(startMs)
        yield* TestClock.adjust("59 seconds")
        yield* credentials.standing(refs)
        expect(yield* usedMs).toBe(startMs)
        yield* TestClock.adjust("2 seconds")
        yield* credentials.standing(refs)
        expect(yield* usedMs).toBe(startMs + 61_000)
        yield* TestClock.adjust("1 hour")
        expect((yield* credentials.standing(refs)).map(({ kind }) => kind)).toEqual(["session"])
        expect(yield* credentials.standing([])).toEqual([])
      })))

    it("makes one first signing key for all, and rotates one after the other", () =>
      run(Effect.gen(function* () {
        const keys = yield* SigningKeys
        const firsts = yield* Effect.all([keys.all, keys.all, keys.all], { concurrency: "unbounded" })
        expect(new Set(firsts.map(([key]) => key!.keyId)).size).toBe(1)
        const [first] = firsts[0]!
        expect(Redacted.value(first!.secret).byteLength).toBe(32)
        expect(JSON.stringify(first)).not.toContain(Buffer.from(Redacted.value(first!.secret)).toString("base64"))
        yield* TestClock.adjust("1 hour")
        yield* Effect.all([keys.rotate(0), keys.rotate(0)], { concurrency: "unbounded" })
        const now = yield* keys.all
        expect(now).toHaveLength(3)
        expect(now.map(({ retiredAtMs }) => retiredAtMs === null)).toEqual([true, false, false])
        expect(now.find(({ keyId }) => keyId === first!.keyId)!.retiredAtMs).toBe(startMs + 3_600_000)
        yield* TestClock.adjust("1 hour")
        expect(yield* keys.rotate(startMs + 3_600_001)).toHaveLength(2)
        expect(yield* keys.rotate(Infinity)).toHaveLength(1)
      })))

    describe("attempts to sign in", () => {
      const begin = (username: string, address: string) =>
        Effect.flatMap(SignInAttempts, (attempts) => Effect.result(attempts.begin(username, address)))
      /** Fails `times` times as fast as it is let; answers how many were let. */
      const fail = Effect.fnUntraced(function* (username: string, addresses: (n: number) => string, times: number) {
        let let_ = 0
        for (let n = 0; n < times; n++) if ((yield* begin(username, addresses(n)))._tag === "Success") let_++
        return let_
      })

      it("wait after five failures from an address, for a known user and an unknown one alike", () =>
        run(Effect.gen(function* () {
          yield* user("known")
          for (const name of ["known", "unknown"]) {
            expect(yield* fail(name, () => "192.0.2.1", 20), name).toBe(5)
            const refusal = yield* begin(name, "192.0.2.1")
            expect(refusal).toMatchObject({ failure: { _tag: "RateLimited", retryAfterS: 1, limit: 5 } })
          }
          yield* TestClock.adjust("1 second")
          expect(yield* fail("known", () => "192.0.2.1", 20)).toBe(1)
        })))

      it("are forgotten with time, one after the other", () =>
        run(Effect.gen(function* () {
          yield* fail("patient", () => "192.0.2.4", 5)
          yield* TestClock.adjust("90 seconds")
          expect(yield* fail("patient", () => "192.0.2.4", 5)).toBe(1)
          yield* TestClock.adjust("25 minutes")
          expect(yield* fail("patient", () => "192.0.2.4", 9)).toBe(5)
        })))

      it("of many at the same moment are let no more of", () =>
        run(Effect.gen(function* () {
          const all = Array.from({ length: 12 }, () => begin("burst", "192.0.2.9"))
          const results = yield* Effect.all(all, { concurrency: "unbounded" })
          expect(results.filter(({ _tag }) => _tag === "Success")).toHaveLength(5)
        })))

      it("on many accounts wait, from one address", () =>
        run(Effect.gen(function* () {
          let let_ = 0
          for (let n = 0; n < 60; n++) if ((yield* begin(`sprayed-${n}`, "192.0.2.2"))._tag === "Success") let_++
          expect(let_).toBe(30)
        })))

      it("that were right take their failures with them", () =>
        run(Effect.gen(function* () {
          const attempts = yield* SignInAttempts
          const { userId } = yield* user("right")
          for (let n = 0; n < 40; n++) {
            expect(yield* begin("right", "192.0.2.3")).toMatchObject({ _tag: "Success" })
            yield* attempts.succeeded({ userId, username: "right" }, "192.0.2.3")
          }
        })))

      it("by an attacker hold up no owner at another address, and for seconds where the owner was never seen", () =>
        run(Effect.gen(function* () {
          const attempts = yield* SignInAttempts
          const { userId } = yield* user("victim")
          yield* begin("victim", "203.0.113.1")
          yield* attempts.succeeded({ userId, username: "victim" }, "203.0.113.1")
          // One attacker at one address: the account is not slowed anywhere else.
          yield* fail("victim", () => "198.51.100.1", 50)
          expect(yield* begin("victim", "203.0.113.2")).toMatchObject({ _tag: "Success" })
          // An attacker with very many addresses.
          expect(yield* fail("victim", (n) => `198.18.${n >> 8}.${n & 255}`, 300)).toBeLessThan(110)
          const refusal = yield* begin("victim", "203.0.113.3")
          expect(refusal).toMatchObject({ failure: { _tag: "RateLimited" } })
          expect(yield* begin("victim", "203.0.113.1")).toMatchObject({ _tag: "Success" })
          yield* TestClock.adjust("10 seconds")
          expect(yield* begin("victim", "203.0.113.3")).toMatchObject({ _tag: "Success" })
        })))
    })

    it("keeps the statements of many at the same moment apart", () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const statement = (n: number) =>
          Effect.map(sql<{ n: number; text: string }>`SELECT ${n}::int4 AS n, ${`text ${n}`}::text AS text`, ([row]) =>
            row)
        const within = (n: number) =>
          sql.withTransaction(Effect.andThen(statement(n), statement(n)))
        const all = Array.from({ length: 200 }, (_, n) => n % 3 === 0 ? within(n) : statement(n))
        const rows = yield* Effect.all(all, { concurrency: "unbounded" })
        expect(rows).toEqual(rows.map((_, n) => ({ n, text: `text ${n}` })))
      })))

    it("counts requests for all nodes, forgets windows that are over, and never waits in a circle", () =>
      run(Effect.gen(function* () {
        const counts = yield* RateCounts
        const of = (subject: string, count: number, endsMs = startMs + 1000) => ({ subject, count, endsMs })
        expect(yield* counts.add([of("a", 3), of("b", 2)])).toEqual(expect.arrayContaining([of("a", 3), of("b", 2)]))
        expect(yield* counts.add([of("a", 4), of("a", 1, startMs + 2000)])).toEqual(
          expect.arrayContaining([of("a", 7), of("a", 1, startMs + 2000)]),
        )
        const subjects = Array.from({ length: 50 }, (_, n) => of(`s${n}`, 1))
        const both = [subjects, subjects.toReversed()]
        yield* Effect.forEach(Array.from({ length: 10 }, (_, n) => both[n % 2]!), counts.add, { concurrency: 10 })
        expect((yield* counts.add(subjects)).every(({ count }) => count === 11)).toBe(true)
        yield* counts.forget(startMs + 1500)
        expect(yield* counts.add([of("a", 1), of("a", 1, startMs + 2000)])).toEqual(
          expect.arrayContaining([of("a", 1), of("a", 2, startMs + 2000)]),
        )
      })))
  })

suite("accounts on the embedded database", embeddedDatabase, false)
suite("accounts on PostgreSQL", postgresDatabase, !await hasPostgres())
