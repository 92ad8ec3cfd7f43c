/** A password that is set in the database, and what it ends, on either kind of database. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createFirstAdmin, hasPassword, resetPassword } from "../../../../actors/store/accounts/users.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { Accounts } from "../../../../protocols/ports/accounts.ts"
import { UserSessions } from "../../../../protocols/ports/user-sessions.ts"
import { Users } from "../../../../protocols/ports/users.ts"
import { embeddedDatabase, postgresDatabase, type TestDatabase } from "../../../harness/database.ts"
import { hasPostgres } from "../../../harness/postgres.ts"

type Stores = Layer.Success<ReturnType<typeof layerStores>>
const kinds = [
  { name: "the embedded database", there: true, start: embeddedDatabase },
  { name: "PostgreSQL", there: await hasPostgres(), start: postgresDatabase },
]
const [old, next] = ["correct horse battery", "another horse and staple"]

describe.each(kinds.filter(({ there }) => there))("a password that is reset on $name", ({ start }) => {
  let database: TestDatabase
  let runtime: ManagedRuntime.ManagedRuntime<Stores, unknown>
  beforeAll(async () => {
    database = (await start())!
    runtime = ManagedRuntime.make(layerStores(database.location))
  }, 60_000)
  afterAll(async () => {
    await runtime.dispose()
    await database.stop()
  })

  it("takes the place of the old one and ends the user's sign-ins, and those of no other user", () =>
    runtime.runPromise(Effect.gen(function* () {
      const accounts = yield* Accounts
      const sessions = yield* UserSessions
      yield* createFirstAdmin("admin", old)
      yield* (yield* Users).create("vera", "viewer", old)
      const admin = yield* Effect.flatMap(accounts.signIn("admin", old), sessions.open)
      const vera = yield* Effect.flatMap(accounts.signIn("vera", old), sessions.open)

      expect(yield* resetPassword("admin", next)).toBe(true)

      expect((yield* Effect.flip(accounts.signIn("admin", old)))._tag).toBe("NotAuthenticated")
      expect(yield* accounts.signIn("admin", next)).toMatchObject({ name: "admin", role: "admin" })
      expect((yield* Effect.flip(sessions.refresh(admin.refreshToken)))._tag).toBe("NotAuthenticated")
      expect(yield* sessions.refresh(vera.refreshToken)).toMatchObject({ sessionId: vera.sessionId })
      expect(yield* accounts.signIn("vera", old)).toMatchObject({ name: "vera" })
    })))

  it("is rejected when it is too short, or for an unknown user", () =>
    runtime.runPromise(Effect.gen(function* () {
      expect((yield* Effect.flip(resetPassword("admin", "short"))).message).toContain("12 to 1024 characters")
      expect(yield* resetPassword("nobody", next)).toBe(false)
      expect(yield* hasPassword("admin", next)).toBe(true)
      expect(yield* hasPassword("admin", old)).toBe(false)
      expect(yield* hasPassword("nobody", next)).toBe(null)
    })))
})
