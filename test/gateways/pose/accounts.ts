/**
 * Doubles of the ports about accounts: three users, one of each role, and an API key.
 */
import { Effect, Layer, Redacted } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import {
  AccountConflict,
  type ApiKey,
  NotAuthenticated,
  type Principal,
  type Role,
  type User,
} from "../../../protocols/domain/identity.ts"
import { Accounts } from "../../../protocols/ports/accounts.ts"
import { Credentials, type StandingCredential } from "../../../protocols/ports/credentials.ts"
import { RateCounts } from "../../../protocols/ports/rate-counts.ts"
import { SignInAttempts } from "../../../protocols/ports/sign-in-attempts.ts"
import { type SigningKey, SigningKeys } from "../../../protocols/ports/signing-keys.ts"
import { UserSessions } from "../../../protocols/ports/user-sessions.ts"
import { Users } from "../../../protocols/ports/users.ts"
import type { World } from "./world.ts"

export const users: Record<Role, string> = { viewer: "vera", operator: "otto", admin: "anna" }
export const password = "correct horse battery staple"
export const apiKey = "service-key"
export const refreshToken = "refresh-token"

const roles = Object.keys(users) as ReadonlyArray<Role>

/** The one sign-in of the user of a role. */
export const sessionIdOf = (role: Role): string => `00000000-0000-7000-8000-00000000000${roles.indexOf(role)}`

export type AccountPorts =
  | Accounts
  | Credentials
  | RateCounts
  | SignInAttempts
  | SigningKeys
  | UserSessions
  | Users

const storeDown = new StoreUnavailable({ message: "The store does not answer." })
const wrong = new NotAuthenticated({ message: "The user name or the password is wrong." })

const userOf = (role: Role): Principal => ({ kind: "user", id: users[role], name: users[role], role })
const service: Principal = { kind: "apiKey", id: "key-0", name: "service", role: "viewer" }

const accountsDouble = (world: World): Accounts["Service"] => ({
  signIn: (username, given) => {
    if (world.storeFails) return Effect.fail(storeDown)
    const role = roles.find((role) => users[role] === username)
    return given === password && role !== undefined ? Effect.succeed(userOf(role)) : Effect.fail(wrong)
  },
  byApiKey: (key) => key === apiKey ? Effect.succeed(service) : Effect.fail(wrong),
  createApiKey: ({ expiresAtMs, name, role, scopes }) =>
    Effect.sync(() => {
      const made: ApiKey = {
        keyId: `00000000-0000-7000-8000-${String(world.apiKeys.size).padStart(12, "0")}`,
        name,
        role,
        scopes,
        createdAtMs: 0,
        expiresAtMs,
        lastUsedAtMs: null,
      }
      world.apiKeys.set(made.keyId, made)
      return { key: `secret-of-${name}`, apiKey: made }
    }),
  apiKeys: Effect.sync(() => [...world.apiKeys.values()]),
  revokeApiKey: (keyId) => Effect.sync(() => world.apiKeys.delete(keyId)),
})

const credentialsDouble = (world: World): Credentials["Service"] => ({
  standing: (refs) =>
    Effect.sync(() =>
      refs.flatMap((ref): ReadonlyArray<StandingCredential> => {
        if (world.revoked.has(ref.id)) return []
        if (ref.kind === "apiKey") return ref.id === service.id ? [{ ...ref, principal: service }] : []
        const role = roles.find((role) => sessionIdOf(role) === ref.id)
        return role === undefined ? [] : [{ ...ref, principal: userOf(role) }]
      })
    ),
})

const sessionsDouble: UserSessions["Service"] = {
  open: ({ id, role }) => Effect.succeed({ sessionId: sessionIdOf(role), userId: id, refreshToken }),
  refresh: (token) =>
    token === refreshToken
      ? Effect.succeed({ sessionId: sessionIdOf("viewer"), userId: users.viewer, refreshToken: "next" })
      : Effect.fail(wrong),
  resume: (token) =>
    token === refreshToken
      ? Effect.succeed({ sessionId: sessionIdOf("viewer"), userId: users.viewer, refreshToken })
      : Effect.fail(wrong),
  close: (token) => Effect.succeed(token === refreshToken ? sessionIdOf("viewer") : null),
}

const usersDouble = (): Users["Service"] => {
  const known = new Map(roles.map((role): [string, User] => {
    const userId = users[role]
    return [userId, { userId, username: userId, role, createdAtMs: 0 }]
  }))
  const lastAdministrator = new AccountConflict({ reason: "last_administrator", message: "The last one." })
  return {
    all: Effect.sync(() => [...known.values()]),
    create: (username, role) => {
      if (known.has(username)) {
        return Effect.fail(new AccountConflict({ reason: "name_taken", message: "There is one." }))
      }
      const user: User = { userId: username, username, role, createdAtMs: 0 }
      known.set(username, user)
      return Effect.succeed(user)
    },
    change: (userId, { role }) => {
      const user = known.get(userId)
      if (user === undefined) return Effect.succeed(null)
      if (user.role === "admin" && role !== undefined) return Effect.fail(lastAdministrator)
      return Effect.succeed({ ...user, role: role ?? user.role })
    },
    remove: (userId) =>
      userId === users.admin ? Effect.fail(lastAdministrator) : Effect.sync(() => known.delete(userId)),
    changePassword: (_, { current }) => Effect.succeed(current === password),
  }
}

const keysDouble = (): SigningKeys["Service"] => {
  let keys: ReadonlyArray<SigningKey> = [
    { keyId: "test", secret: Redacted.make(new Uint8Array(32).fill(7)), createdAtMs: 0, retiredAtMs: null },
  ]
  return {
    all: Effect.sync(() => keys),
    rotate: () =>
      Effect.sync(() => {
        const next = { ...keys[0]!, keyId: `test-${keys.length}` }
        return keys = [next, ...keys.map((key) => ({ ...key, retiredAtMs: key.retiredAtMs ?? 1 }))]
      }),
  }
}

/** The counts of one node are those of all. */
export const countsDouble = (): RateCounts["Service"] => {
  const counts = new Map<string, number>()
  return {
    add: (added) =>
      Effect.sync(() =>
        added.map((one) => {
          const count = (counts.get(one.subject) ?? 0) + one.count
          counts.set(one.subject, count)
          return { ...one, count }
        })
      ),
    forget: () => Effect.void,
  }
}

export const accountDoubles = (world: World): Layer.Layer<AccountPorts> =>
  Layer.mergeAll(
    Layer.succeed(Accounts, accountsDouble(world)),
    Layer.succeed(Credentials, credentialsDouble(world)),
    Layer.succeed(RateCounts, countsDouble()),
    Layer.succeed(SignInAttempts, { begin: () => Effect.void, succeeded: () => Effect.void }),
    Layer.succeed(SigningKeys, keysDouble()),
    Layer.succeed(UserSessions, sessionsDouble),
    Layer.succeed(Users, usersDouble()),
  )
