/**
 * Users in the database, including the first administrator: implements the port `Users`.
 *
 * Invariant: a transaction that removes or demotes an administrator locks the rows of all administrators until its commit, so
 * that two such transactions cannot remove the last two.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import {
  AccountConflict,
  NewPassword,
  passwordLength,
  PasswordRefused,
  type Role,
  type User,
} from "../../../protocols/domain/identity.ts"
import { type UserChange, Users } from "../../../protocols/ports/users.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { hashPassword, isPassword } from "./passwords.ts"

const isNewPassword = Schema.is(NewPassword)

/** Creates the first administrator. Returns false if users exist. Fails if the password is not acceptable. */
export const createFirstAdmin = Effect.fnUntraced(function* (username: string, password: string) {
  const sql = yield* SqlClient.SqlClient
  const existing = yield* orStoreUnavailable(sql`SELECT 1 FROM users LIMIT 1`)
  if (existing.length > 0) return false
  if (!isNewPassword(password)) {
    const { maximum, minimum } = passwordLength
    return yield* new PasswordRefused({
      message:
        `The first administrator's password (WAVEPOSE_ADMIN_PASSWORD) must have ${minimum} to ${maximum} characters.`,
    })
  }
  const passwordHash = yield* hashPassword(password)
  const userId = yield* (yield* SecureRandom.SecureRandom).uuidV7()
  const rows = yield* orStoreUnavailable(sql`
    INSERT INTO users (user_id, username, password_hash, role)
    VALUES (${userId}, ${username}, ${passwordHash}, 'admin')
    ON CONFLICT (username) DO NOTHING RETURNING 1`)
  return rows.length > 0
})

/**
 * Sets a user's password and ends all sign-ins of the user with their refresh tokens. Returns false if the user does not exist.
 * For an operator with access to the database: it does not ask for the old password.
 */
export const resetPassword = Effect.fnUntraced(function* (username: string, password: string) {
  if (!isNewPassword(password)) {
    const { maximum, minimum } = passwordLength
    return yield* new PasswordRefused({ message: `The new password must have ${minimum} to ${maximum} characters.` })
  }
  const sql = yield* SqlClient.SqlClient
  const passwordHash = yield* hashPassword(password)
  return yield* orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
    const [user] = yield* sql<{ userId: string }>`
      UPDATE users SET password_hash = ${passwordHash} WHERE username = ${username} RETURNING user_id::text AS "userId"`
    if (user === undefined) return false
    yield* sql`DELETE FROM user_sessions WHERE user_id::text = ${user.userId}`
    return true
  })))
})

/** Whether the password is the user's. Null if the user does not exist. */
export const hasPassword = Effect.fnUntraced(function* (username: string, password: string) {
  const sql = yield* SqlClient.SqlClient
  const [user] = yield* orStoreUnavailable(
    sql<{ hash: string }>`SELECT password_hash AS hash FROM users WHERE username = ${username}`,
  )
  return user === undefined ? null : yield* isPassword(user.hash, password)
})

/** A random password of 24 readable characters (144 bits). */
export const randomPassword = Effect.flatMap(SecureRandom.SecureRandom, (random) => random.randomBytes(18)).pipe(
  Effect.map((bytes) => Buffer.from(bytes).toString("base64url")),
)

const lastAdministrator = new AccountConflict({
  reason: "last_administrator",
  message: "This is the last administrator. Make another user one first.",
})

const nameTaken = (username: string) =>
  new AccountConflict({ reason: "name_taken", message: `There is a user "${username}" already.` })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const columns = sql.literal(`user_id::text AS "userId", username, role,
    (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs"`)

  /** Whether there is no other administrator. Locks the rows of all administrators until the transaction ends. */
  const isLastAdministrator = Effect.fnUntraced(function* (userId: string) {
    const rows = yield* sql<{ userId: string }>`
      SELECT user_id::text AS "userId" FROM users WHERE role = 'admin' ORDER BY user_id FOR UPDATE`
    return rows.length === 1 && rows[0]!.userId === userId
  })

  const updated = (userId: string, role: Role | null, passwordHash: string | null) =>
    sql.withTransaction(Effect.gen(function* () {
      if (role !== null && role !== "admin" && (yield* isLastAdministrator(userId))) return yield* lastAdministrator
      const [user] = yield* sql<User>`
        UPDATE users SET role = coalesce(${role}, role), password_hash = coalesce(${passwordHash}, password_hash)
        WHERE user_id::text = ${userId} RETURNING ${columns}`
      yield* sql`DELETE FROM user_sessions WHERE user_id::text = ${userId}`
      return user ?? null
    }))

  return Users.of({
    all: orStoreUnavailable(sql<User>`SELECT ${columns} FROM users ORDER BY username`),
    create: Effect.fnUntraced(function* (username, role, password) {
      const passwordHash = yield* hashPassword(password)
      const userId = yield* random.uuidV7()
      const nowMs = yield* Clock.currentTimeMillis
      const [user] = yield* orStoreUnavailable(sql<User>`
        INSERT INTO users (user_id, username, password_hash, role, created_at)
        VALUES (${userId}, ${username}, ${passwordHash}, ${role}, to_timestamp(${nowMs / 1000}::float8))
        ON CONFLICT (username) DO NOTHING RETURNING ${columns}`)
      return user ?? (yield* nameTaken(username))
    }),
    change: Effect.fnUntraced(function* (userId, { password, role }: UserChange) {
      const passwordHash = password === undefined ? null : yield* hashPassword(password)
      return yield* orStoreUnavailable(updated(userId, role ?? null, passwordHash))
    }),
    remove: (userId) =>
      orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
        if (yield* isLastAdministrator(userId)) return yield* lastAdministrator
        const rows = yield* sql`DELETE FROM users WHERE user_id::text = ${userId} RETURNING 1`
        return rows.length > 0
      }))),
    changePassword: Effect.fnUntraced(function* (userId, { current, next }, keptSessionId) {
      const [user] = yield* orStoreUnavailable(
        sql<{ hash: string }>`SELECT password_hash AS hash FROM users WHERE user_id::text = ${userId}`,
      )
      if (!(yield* isPassword(user?.hash, current))) return false
      const passwordHash = yield* hashPassword(next)
      // Compares with the old hash, so that of two concurrent changes the second one fails.
      return yield* orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
        const rows = yield* sql`
          UPDATE users SET password_hash = ${passwordHash}
          WHERE user_id::text = ${userId} AND password_hash = ${user!.hash} RETURNING 1`
        yield* sql`
          DELETE FROM user_sessions
          WHERE user_id::text = ${userId} AND session_id::text IS DISTINCT FROM ${keptSessionId}`
        return rows.length > 0
      })))
    }),
  })
})

export const layerUsers: Layer.Layer<Users, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer.effect(
  Users,
  make,
)
