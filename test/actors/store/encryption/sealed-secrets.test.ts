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
import { openSealed } from "../../../../actors/store/encryption/sealing.ts"
import { secretContext } from "../../../../actors/store/events/webhooks.ts"
import { HomeStateStore, type KeptEntry } from "../../../../actors/store/home/home-states.ts"
import { type LearnedWeek, weekCounts } from "../../../../core/semantics/learned-week.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { defaultConfiguration } from "../../../../protocols/domain/configuration.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { LearnedWeeks } from "../../../../protocols/ports/learned-weeks.ts"
import { NodeAllowlists, NodeIdentities } from "../../../../protocols/ports/node-identities.ts"
import { SigningKeys } from "../../../../protocols/ports/signing-keys.ts"
import { Webhooks } from "../../../../protocols/ports/webhooks.ts"
import { homeChange, homeState } from "../../../harness/home-states.ts"
import { useDatabase } from "../../../harness/stores.ts"

const database = useDatabase()

type Services = SigningKeys | EncryptionKeys | SqlClient.SqlClient | SecureRandom.SecureRandom

const keysOf = (keys: ReadonlyArray<number>) => ({
  given: keys.map((key) => Redacted.make(Buffer.alloc(32, key).toString("base64"))),
  file: "no-keys",
  mayMake: false,
})

/** Runs on a node that has this key; null: none. */
const node = <A, E>(key: number | null, program: Effect.Effect<A, E, Services>): Promise<A> =>
  Effect.runPromise(program.pipe(
    Effect.provide(layerSigningKeys.pipe(
      Layer.provideMerge(layerDatabase(database().location)),
      Layer.provideMerge(EncryptionKeys.layer(keysOf(key === null ? [] : [key]))),
      Layer.provideMerge(NodeCrypto.layerSecureRandom),
    )),
  ))

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

it("and keys, weeks and states without retention are sealed under a new first key, so that the old one can be removed", async () => {
  type Stores = Layer.Success<ReturnType<typeof layerStores>>
  const privacy = Effect.succeed({ ...defaultConfiguration.privacy, enableEncryption: true })
  /** Starts the stores with these keys. */
  const start = <A, E>(keys: ReadonlyArray<number>, program: Effect.Effect<A, E, Stores>) =>
    Effect.runPromise(
      program.pipe(Effect.provide(layerStores(database().location, { keys: keysOf(keys), privacy })), Effect.scoped),
    )
  const week: LearnedWeek = {
    source: "live",
    firstMinute: 1,
    lastMinute: 2,
    minutes: 2,
    counts: Array(weekCounts).fill(1),
  }
  const read = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [webhook] = yield* sql<{ id: string; keyId: number; secret: Uint8Array }>`
      SELECT webhook_id::text AS id, secret_key_id AS "keyId", secret FROM webhooks`
    return {
      signing: yield* signingSecrets,
      cluster: (yield* runnerCredentials).credential,
      nodes: (yield* (yield* NodeAllowlists).current).keys,
      webhook: yield* openSealed({ keyId: webhook!.keyId, body: webhook!.secret }, secretContext(webhook!.id)),
      week: yield* (yield* LearnedWeeks).load("hall-1"),
      states: (yield* (yield* HomeStateStore).open).states,
    }
  })
  const written = await start(
    [1],
    Effect.gen(function* () {
      yield* (yield* Directory).enrol({ environmentId: "hall", name: "Hall", geometry: null }, ["hall-1"], {
        source: "live",
        name: null,
      })
      yield* (yield* NodeIdentities).enrol("node-1", "anna")
      const webhook = { url: "https://a.example/", description: "", eventTypes: [], createdBy: "anna", secret: null }
      yield* (yield* Webhooks).create(webhook)
      yield* (yield* LearnedWeeks).save("hall-1", week)
      const store = yield* HomeStateStore
      const { generation } = yield* store.open
      yield* store.keep(generation, [
        { entry: homeChange(null, homeState("x.a", "on")) as KeptEntry["entry"], sequence: 1, createdSequence: 1 },
      ])
      return yield* read
    }),
  )
  expect(written.states).toHaveLength(1)
  expect(written.week).toEqual(week)
  // The home opens although its states cannot be sealed anew.
  const readWhileUnwritable = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''rejected''; END'`
    yield* sql`CREATE TRIGGER reject BEFORE UPDATE ON home_states FOR EACH ROW EXECUTE FUNCTION reject()`
    const found = yield* read
    yield* sql`DROP TRIGGER reject ON home_states`
    return found
  })
  expect(await start([2, 1], readWhileUnwritable)).toEqual(written)
  // They are sealed beside the home, which is open by then.
  const readAndSeal = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* read
    const isSealed = sql`SELECT 1 FROM home_states WHERE body LIKE ${`%"keyId":${
      (yield* (yield* EncryptionKeys).sealing).id
    },%`}`
    yield* Effect.repeat(isSealed, { until: (rows) => rows.length === 1 })
    return found
  })
  expect(await start([2, 1], readAndSeal)).toEqual(written)
  expect(await start([2], read)).toEqual(written)
})
