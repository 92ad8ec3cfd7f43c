/** The TypeScript client on a gateway with real accounts: rejected tokens are replaced, and API keys open streams. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createFirstAdmin } from "../../../actors/store/accounts/users.ts"
import { layerDatabase } from "../../../actors/store/database/database.ts"
import { EncryptionKeys } from "../../../actors/store/encryption/encryption-keys.ts"
import { layerAccountStores } from "../../../deploy/composition/service.ts"
import { createClient, passwordToken, poseStream } from "../../../protocols/clients/typescript/mod.ts"
import { makeFrame, share } from "../../gateways/pose/frames.ts"
import { type Gateway, startGateway } from "../../gateways/pose/harness.ts"
import { embeddedDatabase, type TestDatabase } from "../../harness/database.ts"

const password = "the administrator's password"

const layerAccounts = ({ location }: TestDatabase) =>
  layerAccountStores.pipe(
    Layer.provideMerge(layerDatabase(location)),
    Layer.provide(EncryptionKeys.layer({ given: [], file: "no-keys", mayMake: false })),
    Layer.provideMerge(NodeCrypto.layerSecureRandom),
    Layer.orDie,
  )

let database: TestDatabase
let accounts: ManagedRuntime.ManagedRuntime<Layer.Success<ReturnType<typeof layerAccounts>>, never>
let gateway: Gateway

beforeAll(async () => {
  database = await embeddedDatabase()
  accounts = ManagedRuntime.make(layerAccounts(database))
  await accounts.runPromise(createFirstAdmin("root", password))
  gateway = await startGateway({}, { accounts: Layer.effectContext(accounts.contextEffect) })
})
afterAll(async () => {
  await gateway.stop()
  await accounts.dispose()
  await database.stop()
})

const client = (token: string | (() => Promise<string>)) => createClient({ url: gateway.url, form: "bare", token })
const signedIn = () => client(passwordToken(gateway.url, "root", password))
/** Ends all sign-ins of the user, as a change of the password does. */
const revoke = async ({ get, put }: ReturnType<typeof signedIn>) => {
  const { users: [user] } = await get("/api/v1/auth/users")
  await put("/api/v1/auth/users/{user_id}", { path: { user_id: user!.user_id }, body: { password } })
}
/** The id of the stream's next frame. The frame is sent until it arrives, because a new connection has to subscribe first. */
const nextFrame = async (stream: ReturnType<typeof poseStream>, frameId: number, isReady = () => true) => {
  let received: number | undefined
  const next = stream.next().then(({ value }) => received = value?.data.frame_id)
  await vi.waitFor(() => {
    if (isReady()) gateway.world.publish(share(makeFrame({ frameId })))
    expect(received).toBeDefined()
  }, { timeout: 20_000 })
  await next
  return received
}

describe("the TypeScript client", () => {
  const filters = { environment_id: "living-room" }

  it("signs in again for a request whose token was revoked, if it has a password", async () => {
    const rest = signedIn()
    await revoke(rest)
    expect((await rest.get("/api/v1/auth/api-keys")).api_keys).toEqual([])
    const given = client("no token")
    await expect(given.get("/api/v1/auth/api-keys")).rejects.toMatchObject({ status: 401 })
    await expect(poseStream(given.options, filters).next()).rejects.toMatchObject({ status: 4401 })
    const wrong = client(passwordToken(gateway.url, "root", "wrong"))
    await expect(wrong.get("/api/v1/auth/api-keys")).rejects.toMatchObject({ status: 401 })
  })

  it("goes on with a stream whose token was revoked, if it has a password", async () => {
    const rest = signedIn()
    let ends = 0
    const stream = poseStream(rest.options, filters, { retryMs: 1, onDisconnect: () => ends++ })
    expect(await nextFrame(stream, 1)).toBe(1)
    await revoke(rest)
    expect(await nextFrame(stream, 2, () => ends > 0)).toBe(2)
    await stream.return()
  })

  it("streams with an API key", async () => {
    const body = { name: "stream", role: "viewer" } as const
    const { key: apiKey } = await signedIn().post("/api/v1/auth/api-keys", { body })
    const stream = poseStream({ url: gateway.url, form: "bare", apiKey }, filters)
    expect(await nextFrame(stream, 1)).toBe(1)
    await stream.return()
    const wrong = poseStream({ url: gateway.url, form: "bare", apiKey: "wrong" }, filters)
    await expect(wrong.next()).rejects.toMatchObject({ status: 401 })
  })
})
