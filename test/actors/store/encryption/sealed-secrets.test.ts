/** Secrets in the database are sealed by a key outside it; without the key they cannot be used. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Redacted } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { beforeEach, expect, it } from "vitest"
import { layerSigningKeys } from "../../../../actors/store/accounts/signing-keys.ts"
import { layerDatabase } from "../../../../actors/store/database/database.ts"
import { runnerCredentials } from "../../../../actors/store/encryption/cluster-secrets.ts"
import { EncryptionKeys } from "../../../../actors/store/encryption/encryption-keys.ts"
import { SigningKeys } from "../../../../protocols/ports/signing-keys.ts"
import { useDatabase } from "../../../harness/stores.ts"

const database = useDatabase()

type Services = SigningKeys | EncryptionKeys | SqlClient.SqlClient | SecureRandom.SecureRandom

/** Runs on a node that has this key; null: none. */
const node = <A, E>(key: number | null, program: Effect.Effect<A, E, Services>): Promise<A> => {
  const given = key === null ? [] : [Redacted.make(Buffer.alloc(32, key).toString("base64"))]
  return Effect.runPromise(program.pipe(
    Effect.provide(layerSigningKeys.pipe(
      Layer.provideMerge(layerDatabase(database().location)),
      Layer.provideMerge(EncryptionKeys.layer({ given, file: "no-keys", mayMake: false })),
      Layer.provideMerge(NodeCrypto.layerSecureRandom),
    )),
  ))
}

const signingSecrets = Effect.gen(function* () {
  const keys = yield* (yield* SigningKeys).all
  return keys.map(({ secret }) => Buffer.from(Redacted.value(secret)).toString("hex"))
})

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* sql<{ secret: Uint8Array }>`SELECT secret FROM signing_keys`
  const secrets = yield* sql<{ value: string }>`SELECT value FROM secrets WHERE name LIKE 'cluster-%'`
  return [
    ...keys.map(({ secret }) => Buffer.from(secret).toString("latin1")),
    ...secrets.map(({ value }) => value),
  ]
})

beforeEach(() =>
  node(
    null,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM signing_keys`
      yield* sql`DELETE FROM secrets`
    }),
  ), 60_000)

it("are sealed, and every node with the key has the same", async () => {
  const program = Effect.all([signingSecrets, runnerCredentials])
  const [[one], first] = await node(1, program)
  const [[again], second] = await node(1, program)
  expect([again, second.credential, second.authorityPem]).toEqual([one, first.credential, first.authorityPem])
  const texts = await node(1, stored)
  expect(texts).toHaveLength(3)
  for (const text of texts) expect(text).toMatch(/^sealed:\d+:[A-Za-z0-9+/=]+$/)
})

it("of the time before there was a key are sealed by the next node that has one", async () => {
  const program = Effect.all([signingSecrets, Effect.map(runnerCredentials, ({ credential }) => credential)])
  const before = await node(null, program)
  expect((await node(null, stored)).some((text) => text.startsWith("sealed:"))).toBe(false)
  expect(await node(1, program)).toEqual(before)
  expect((await node(1, stored)).every((text) => text.startsWith("sealed:"))).toBe(true)
})

it("cannot be used without the key: tokens are signed anew, and the cluster cannot be joined", async () => {
  const [one] = await node(1, signingSecrets)
  await node(1, runnerCredentials)
  const [other, ...more] = await node(2, signingSecrets)
  expect(more).toEqual([])
  expect(other).not.toBe(one)
  expect(await node(2, Effect.flip(runnerCredentials))).toMatchObject({
    message: expect.stringContaining("WAVEPOSE_ENCRYPTION_KEY"),
  })
})
