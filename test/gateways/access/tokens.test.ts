import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import { KeyRing } from "../../../gateways/access/signing-key-cache.ts"
import { Tokens } from "../../../gateways/access/tokens.ts"
import { type SigningKey, SigningKeys } from "../../../protocols/ports/signing-keys.ts"

const secretOf = (fill: number) => new Uint8Array(32).fill(fill)
const sessionId = "00000000-0000-7000-8000-000000000001"
const vera = { userId: "user-1", sessionId }

/** What all nodes read their keys from; `reads` counts how often. */
const keyStore = () => {
  const key = (n: number, retiredAtMs: number | null = null): SigningKey => ({
    keyId: `k${n}`,
    secret: Redacted.make(secretOf(n)),
    createdAtMs: n,
    retiredAtMs,
  })
  const store = { keys: [key(1)] as ReadonlyArray<SigningKey>, reads: 0 }
  const layer = Layer.succeed(SigningKeys, {
    all: Effect.sync(() => {
      store.reads++
      return store.keys
    }),
    rotate: (forgottenBeforeMs) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const nowMs = clock.currentTimeMillisUnsafe()
          const old = store.keys
            .map((one) => ({ ...one, retiredAtMs: one.retiredAtMs ?? nowMs }))
            .filter(({ retiredAtMs }) => retiredAtMs >= forgottenBeforeMs)
          return store.keys = [key(store.keys.length + 1), ...old]
        })
      ),
  })
  return { store, layer }
}

const run = <A, E>(test: Effect.Effect<A, E, Tokens | KeyRing>, ownSecret: string | null = null): Promise<A> =>
  test.pipe(
    Effect.provide(
      Tokens.layer.pipe(
        Layer.provideMerge(KeyRing.layer(ownSecret === null ? null : Redacted.make(ownSecret))),
        Layer.provide([keyStore().layer, NodeCrypto.layerSecureRandom]),
        Layer.provideMerge(TestClock.layer()),
      ),
    ),
    Effect.runPromise,
  )

/** The tag of a failure, or null. */
const outcome = (token: string) =>
  Effect.flatMap(Tokens, ({ verify }) => verify(token)).pipe(
    Effect.match({ onSuccess: () => null, onFailure: ({ _tag }) => _tag }),
  )

/** A token that is right but for what `change` does to it. */
const forged = (
  change: (token: SignJWT) => SignJWT,
  secret = secretOf(1),
  header: { alg: string; kid?: string } = { alg: "HS256", kid: "k1" },
  claims: Record<string, unknown> = { sid: sessionId },
) => {
  const token = new SignJWT(claims).setProtectedHeader(header).setSubject("user-1").setIssuer("wavepose")
    .setAudience("wavepose").setIssuedAt(0).setExpirationTime(100).setJti("j")
  return change(token).sign(secret)
}

describe("tokens", () => {
  it("name their user, their sign-in, their times and their key, and no right", () =>
    run(Effect.gen(function* () {
      yield* TestClock.setTime(5_000)
      const { issue, verify } = yield* Tokens
      const { token, lifetimeS } = yield* issue(vera)
      expect(lifetimeS).toBe(86_400)
      expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "JWT", kid: "k1" })
      const { jti, ...claims } = decodeJwt(token)
      expect(jti).toMatch(/^[0-9a-f-]{36}$/)
      expect(claims).toEqual({ sub: "user-1", sid: sessionId, iss: "wavepose", aud: "wavepose", iat: 5, exp: 86_405 })
      const verified = { ...vera, keyId: "k1", isConsole: false, expiresAtMs: 86_405_000 }
      expect(yield* verify(token)).toEqual(verified)
      expect(yield* verify(token)).toEqual(verified)
    })))

  it("expire, also those that were seen before", () =>
    run(
      Effect.gen(function* () {
        const { issue } = yield* Tokens
        const [seen, unseen] = [yield* issue(vera), yield* issue(vera)]
        yield* TestClock.setTime(86_399_999)
        expect(yield* outcome(seen.token)).toBeNull()
        yield* TestClock.setTime(86_400_000)
        expect(yield* outcome(seen.token)).toBe("NotAuthenticated")
        expect(yield* outcome(unseen.token)).toBe("NotAuthenticated")
      }),
      // A ring that reads no store: it is a long time.
      "an operator's secret of 32 bytes!",
    ))

  it.each([
    ["another key", forged((token) => token, secretOf(8))],
    ["another key id", forged((token) => token, secretOf(1), { alg: "HS256", kid: "k2" })],
    ["no key id", forged((token) => token, secretOf(1), { alg: "HS256" })],
    ["another issuer", forged((token) => token.setIssuer("x"))],
    ["another audience", forged((token) => token.setAudience("x"))],
    ["another algorithm", forged((token) => token, new Uint8Array(64).fill(1), { alg: "HS512", kid: "k1" })],
    ["no sign-in", forged((token) => token, secretOf(1), undefined, {})],
    ["a sign-in of no id", forged((token) => token, secretOf(1), undefined, { sid: "'; DROP TABLE users; --" })],
    ["no signature", Promise.resolve("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyLTEifQ.")],
    ["no form at all", Promise.resolve("a.b")],
  ])("with %s are rejected", async (_, token) => {
    expect(await run(outcome(await token))).toBe("NotAuthenticated")
  })

  it("right in every point are taken", async () => {
    expect(await run(outcome(await forged((token) => token)))).toBeNull()
  })
})

describe("the operator's own secret", () => {
  const secret = "an operator's secret of 32 bytes!"

  it("signs and verifies with one secret, under an id that does not reveal it", () =>
    run(
      Effect.gen(function* () {
        const { token } = yield* (yield* Tokens).issue(vera)
        const { kid } = decodeProtectedHeader(token)
        expect(kid).toMatch(/^own-[0-9a-f]{16}$/)
        expect(yield* outcome(token)).toBeNull()
        expect(yield* outcome(yield* Effect.promise(() => forged((token) => token)))).toBe("NotAuthenticated")
        expect(yield* Effect.flip((yield* KeyRing).rotate(false))).toMatchObject({ reason: "key_set_by_operator" })
      }),
      secret,
    ))

  it("is not taken when it is short", async () => {
    await expect(run(Effect.void, secret.slice(0, 31))).rejects.toThrow("at least 32")
  })
})

describe("a rotation of keys", () => {
  /** Two nodes on one store. */
  const nodes = (
    test: (
      nodes: Readonly<Record<"here" | "there", { tokens: Tokens["Service"]; ring: KeyRing["Service"] }>>,
      store: ReturnType<typeof keyStore>["store"],
    ) => Effect.Effect<void, unknown>,
    { beginS, prepare }: {
      readonly beginS: number
      readonly prepare: (store: ReturnType<typeof keyStore>["store"]) => void
    } = { beginS: 0, prepare: () => {} },
  ) => {
    const { layer, store } = keyStore()
    prepare(store)
    const node = Effect.gen(function* () {
      const context = yield* Layer.build(Layer.fresh(Tokens.layer.pipe(Layer.provideMerge(KeyRing.layer(null)))))
      return yield* Effect.provide(Effect.all({ tokens: Tokens, ring: KeyRing }), context)
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(beginS * 1000)
      yield* test({ here: yield* node, there: yield* node }, store)
    }).pipe(Effect.scoped, Effect.provide([layer, NodeCrypto.layerSecureRandom, TestClock.layer()]), Effect.runPromise)
  }

  const kidOf = ({ token }: { readonly token: string }) => decodeProtectedHeader(token).kid
  const taken = (tokens: Tokens["Service"], { token }: { readonly token: string }) =>
    Effect.match(tokens.verify(token), { onSuccess: () => true, onFailure: () => false })

  it("is known elsewhere from the first new token on, and signs there five seconds later", () =>
    nodes(({ here, there }) =>
      Effect.gen(function* () {
        const old = yield* there.tokens.issue(vera)
        yield* TestClock.adjust("2 seconds")
        yield* here.ring.rotate(false)
        const fresh = yield* here.tokens.issue(vera)
        expect([kidOf(old), kidOf(fresh)]).toEqual(["k1", "k2"])
        expect(kidOf(yield* there.tokens.issue(vera))).toBe("k1")
        expect(yield* taken(there.tokens, fresh)).toBe(true)
        yield* TestClock.adjust("5 seconds")
        expect(kidOf(yield* there.tokens.issue(vera))).toBe("k2")
        for (const { tokens } of [here, there]) expect(yield* taken(tokens, old)).toBe(true)
      })
    ))

  it("takes tokens of the old key until the last has expired, and no longer", () => {
    const retired = (store: ReturnType<typeof keyStore>["store"]) => {
      store.keys = [{ ...store.keys[0]!, keyId: "k2", secret: Redacted.make(secretOf(2)) }, {
        ...store.keys[0]!,
        retiredAtMs: 0,
      }]
    }
    return nodes(({ here }) =>
      Effect.gen(function* () {
        // By a node that has heard of the new key half a minute late.
        const late = yield* Effect.promise(() => forged((token) => token.setIssuedAt(30).setExpirationTime(86_430)))
        expect(yield* taken(here.tokens, { token: late })).toBe(true)
        const stolen = yield* Effect.promise(() => forged((token) => token.setExpirationTime(99_999)))
        expect(yield* taken(here.tokens, { token: stolen })).toBe(true)
        yield* TestClock.adjust("45 seconds")
        expect(yield* taken(here.tokens, { token: stolen })).toBe(false)
      }), { beginS: 86_420, prepare: retired })
  })

  it("ends all tokens that are out where the old key is revoked, elsewhere five seconds later", () =>
    nodes(({ here, there }) =>
      Effect.gen(function* () {
        const old = yield* here.tokens.issue(vera)
        for (const { tokens } of [here, there]) expect(yield* taken(tokens, old)).toBe(true)
        yield* TestClock.adjust("1 seconds")
        expect(yield* here.ring.rotate(true)).toHaveLength(1)
        expect(yield* taken(here.tokens, old)).toBe(false)
        yield* TestClock.adjust("5 seconds")
        expect(yield* taken(there.tokens, old)).toBe(false)
      })
    ))

  it("asks the store at most once a second about tokens of unknown keys; further callers wait", () =>
    nodes(({ here, there }, store) =>
      Effect.gen(function* () {
        const before = store.reads
        const madeUp = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 50 }, (_, n) =>
            forged(
              (token) => token,
              secretOf(9),
              { alg: "HS256", kid: `made-up-${n}` },
            )))
        )
        expect(yield* taken(here.tokens, { token: madeUp[0]! })).toBe(false)
        expect(store.reads - before).toBe(1)
        yield* there.ring.rotate(false)
        const fresh = yield* there.tokens.issue(vera)
        const waiting = yield* Effect.forkChild(Effect.forEach(
          [...madeUp.slice(1).map((token) => ({ token })), fresh],
          (token) => taken(here.tokens, token),
          { concurrency: "unbounded" },
        ))
        yield* TestClock.adjust("1 seconds")
        expect(yield* Fiber.join(waiting)).toEqual([...madeUp.slice(1).map(() => false), true])
        expect(store.reads - before).toBe(2)
      })
    ))
})
