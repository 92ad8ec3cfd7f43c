/**
 * Accounts as clients live with them: two gateways on the stores of one embedded database, both forms.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer, ManagedRuntime } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { decodeProtectedHeader } from "jose"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { layerDatabase } from "../../../actors/store/database/database.ts"
import { createFirstAdmin } from "../../../actors/store/accounts/users.ts"
import { EncryptionKeys } from "../../../actors/store/encryption/encryption-keys.ts"
import { layerAccountStores } from "../../../deploy/composition/service.ts"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import { embeddedDatabase, type TestDatabase } from "../../harness/database.ts"
import type { AccountPorts } from "./accounts.ts"
import { type Answer, call } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"

const adminPassword = "the administrator's password"
const password = "correct horse battery staple"

let database: TestDatabase
let here: Gateway
let there: Gateway
let form: Form = "bare"

/** The stores that both gateways are on. */
let stores: ManagedRuntime.ManagedRuntime<AccountPorts | SqlClient.SqlClient | SecureRandom.SecureRandom, never>

beforeAll(async () => {
  database = await embeddedDatabase()
  stores = ManagedRuntime.make(
    layerAccountStores.pipe(
      Layer.provideMerge(layerDatabase(database.location)),
      Layer.provide(EncryptionKeys.layer({ given: [], file: "no-keys", mayMake: false })),
      Layer.provideMerge(NodeCrypto.layerSecureRandom),
      Layer.orDie,
    ),
  )
  await stores.runPromise(createFirstAdmin("root", adminPassword))
  const accounts = Layer.effectContext(stores.contextEffect)
  here = await startGateway({}, { accounts })
  there = await startGateway({}, { accounts })
}, 60_000)
afterAll(async () => {
  await here.stop()
  await there.stop()
  await stores.dispose()
  await database.stop()
})

const data = ({ json }: Answer) => form === "bare" ? json : json.data
const send = (gateway: Gateway, method: string, path: string, body?: unknown, token?: string) =>
  call(gateway.url, {
    method,
    path,
    form,
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  })
const signIn = async (gateway: Gateway, username: string, given = password) =>
  data(await send(gateway, "POST", "/auth/token", { username, password: given }))
const refresh = (gateway: Gateway, refresh_token: string) => send(gateway, "POST", "/auth/refresh", { refresh_token })
const statusOf = async (gateway: Gateway, token: string) =>
  (await send(gateway, "GET", "/pose/latest", undefined, token)).status
/** Becomes true by itself, in a bounded time. */
const becomes = (status: number, gateway: Gateway, token: string) =>
  vi.waitFor(async () => expect(await statusOf(gateway, token)).toBe(status), { timeout: 6_000, interval: 50 })

let made = 0
/** A new user, the user's tokens, and the administrator's. */
const newUser = async (role: string) => {
  const { access_token: admin } = await signIn(here, "root", adminPassword)
  const username = `user-${made++}`
  const { user_id: userId } = data(await send(here, "POST", "/auth/users", { username, role, password }, admin))
  const { access_token: token, refresh_token: refreshToken } = await signIn(here, username)
  return { admin, username, userId, token, refreshToken }
}

describe.each(forms)("accounts, %s", (of) => {
  beforeEach(() => void (form = of))

  it("refresh a pair of tokens; a second use of a refresh token ends all of them, on all nodes", async () => {
    const { refreshToken, token } = await newUser("viewer")
    expect([await statusOf(here, token), await statusOf(there, token)]).toEqual([200, 200])
    const next = await refresh(there, refreshToken)
    expect(data(next)).toMatchObject({ token_type: "bearer", expires_in: 86400 })
    const { access_token: fresh, refresh_token: newest } = data(next)
    expect(await statusOf(here, fresh)).toBe(200)
    const again = await refresh(here, refreshToken)
    expect([again.status, again.json.error.code]).toEqual([401, "AUTHENTICATION_ERROR"])
    expect((await refresh(there, newest)).status).toBe(401)
    for (const gateway of [here, there]) {
      await becomes(401, gateway, token)
      await becomes(401, gateway, fresh)
    }
  })

  it("sign out: at once on this node, in bounded time on others; another sign-in of the user stays", async () => {
    const { refreshToken, token, username } = await newUser("viewer")
    const { access_token: other } = await signIn(there, username)
    expect([await statusOf(here, token), await statusOf(there, token)]).toEqual([200, 200])
    expect((await send(here, "POST", "/auth/logout", { refresh_token: refreshToken })).status).toBe(204)
    expect(await statusOf(here, token)).toBe(401)
    await becomes(401, there, token)
    expect([await statusOf(here, other), await statusOf(there, other)]).toEqual([200, 200])
  })

  it.each([
    ["made less", "PUT", { role: "viewer" }, 200],
    ["given a password", "PUT", { password: "another long password" }, 200],
    ["removed", "DELETE", undefined, 204],
  ])("of a user that is %s stop, at all nodes", async (_, method, body, status) => {
    const { admin, token, userId } = await newUser("operator")
    expect([await statusOf(here, token), await statusOf(there, token)]).toEqual([200, 200])
    expect((await send(here, method, `/auth/users/${userId}`, body, admin)).status).toBe(status)
    expect(await statusOf(here, token)).toBe(401)
    await becomes(401, there, token)
  })

  it("keep the sign-in that changes the password, and end the others", async () => {
    const { token, username } = await newUser("viewer")
    const { access_token: other } = await signIn(there, username)
    const passwords = { current_password: password, new_password: "another long password" }
    expect((await send(here, "POST", "/auth/password", passwords, token)).status).toBe(204)
    expect(await statusOf(here, token)).toBe(200)
    await becomes(401, here, other)
    expect((await send(here, "POST", "/auth/token", { username, password })).status).toBe(401)
    await signIn(here, username, "another long password")
  })

  it("keep at least one administrator", async () => {
    const { admin } = await newUser("viewer")
    const { users } = data(await send(here, "GET", "/auth/users", undefined, admin))
    const { user_id: root } = users.find(({ role }: { role: string }) => role === "admin")
    const answer = await send(here, "DELETE", `/auth/users/${root}`, undefined, admin)
    expect([answer.status, answer.json.error.details.reason]).toEqual([409, "last_administrator"])
    expect(await statusOf(here, admin)).toBe(200)
  })

  it("accept an API key until it is revoked, at once on this node, in bounded time on others", async () => {
    const { admin } = await newUser("viewer")
    const { key, key_id } = data(await send(here, "POST", "/auth/api-keys", { name: "ci", role: "viewer" }, admin))
    const ask = async (gateway: Gateway) =>
      (await call(gateway.url, { method: "GET", path: "/pose/latest", form, headers: { "X-API-Key": key } })).status
    expect([await ask(here), await ask(there)]).toEqual([200, 200])
    expect((await send(here, "DELETE", `/auth/api-keys/${key_id}`, undefined, admin)).status).toBe(204)
    expect(await ask(here)).toBe(401)
    await vi.waitFor(async () => expect(await ask(there)).toBe(401), { timeout: 6_000, interval: 50 })
  })

  it("survive a rotation of keys, and a new token is accepted on a node that has not read its key yet", async () => {
    const { admin, token, username } = await newUser("viewer")
    expect(await statusOf(there, token)).toBe(200)
    const { keys } = data(await send(here, "POST", "/auth/keys/rotate", {}, admin))
    expect(keys.map(({ signs }: { signs: boolean }) => signs)).toEqual([true, ...keys.slice(1).map(() => false)])
    const { access_token: fresh } = await signIn(here, username)
    expect(decodeProtectedHeader(fresh).kid).toBe(keys[0].key_id)
    expect(decodeProtectedHeader(token).kid).toBe(keys[1].key_id)
    // Each of these waits for the keys to be read, which unknown ones bring about once a second.
    const unknown = `${fresh.replace(/^[^.]+/, Buffer.from('{"alg":"HS256","kid":"none"}').toString("base64url"))}`
    expect(await statusOf(there, unknown)).toBe(401)
    expect(await statusOf(there, fresh)).toBe(200)
    expect([await statusOf(here, token), await statusOf(there, token)]).toEqual([200, 200])
  })

  it("are throttled on all nodes together, and do not reveal which users exist", async () => {
    const { username } = await newUser("viewer")
    for (const name of [username, `nobody-${made++}`]) {
      const statuses: Array<number> = []
      const guess = (gateway: Gateway) => send(gateway, "POST", "/auth/token", { username: name, password: "guess" })
      for (let n = 0; n < 6; n++) statuses.push((await guess([here, there][n % 2]!)).status)
      expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401])
      const refused = await guess(here)
      expect(refused.status).toBe(429)
      expect(refused.json.error.code).toBe("RATE_LIMIT_EXCEEDED")
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    }
  })

  it("leave no secret in the log", async () => {
    const { admin, refreshToken, token, username } = await newUser("viewer")
    const answers = [
      await send(here, "POST", "/auth/token", { username, password: "a guess" }),
      await refresh(here, refreshToken),
      await refresh(here, refreshToken),
      await send(here, "POST", "/auth/api-keys", { name: "ci", role: "viewer" }, admin),
      await send(here, "POST", "/auth/keys/rotate", {}, admin),
      await send(here, "POST", "/auth/token", { username, password: 17, more: password }),
      await send(here, "POST", "/auth/refresh", { refresh_token: refreshToken, more: "x" }),
      await send(here, "GET", "/pose/latest", undefined, `${token}x`),
    ]
    const secretsOf = (value: unknown): ReadonlyArray<string> =>
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, one]) =>
          ["access_token", "refresh_token", "key"].includes(key) && typeof one === "string" ? [one] : secretsOf(one)
        )
        : []
    const secrets = [
      password,
      adminPassword,
      "a guess",
      token,
      refreshToken,
      admin,
      ...answers.flatMap(({ json }) => secretsOf(json)),
    ]
    expect(secrets.length).toBeGreaterThanOrEqual(9)
    const text = here.world.lines.join("\n")
    expect(text).toContain("API key created")
    expect(text).toContain("sign-in failed")
    expect(text).toContain("shown a second time")
    for (const secret of secrets) expect(text).not.toContain(secret)
    for (const { json } of answers.slice(5)) {
      for (const secret of secrets) expect(JSON.stringify(json)).not.toContain(secret)
    }
  })
})
