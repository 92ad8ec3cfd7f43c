import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { Authenticator } from "../../../gateways/access/authenticator.ts"
import { CredentialStatus } from "../../../gateways/access/credential-status.ts"
import { Tokens } from "../../../gateways/access/tokens.ts"
import { NotAuthenticated, type Principal } from "../../../protocols/domain/identity.ts"
import { Accounts } from "../../../protocols/ports/accounts.ts"
import { Credentials } from "../../../protocols/ports/credentials.ts"

const vera: Principal = { kind: "user", id: "vera", name: "vera", role: "viewer" }
const service: Principal = { kind: "apiKey", id: "k1", name: "service", role: "viewer" }
const unasked = Effect.die("not asked")

const withAuthenticator = (
  test: (authenticator: Authenticator["Service"], store: { standing: boolean; keyReads: number }) => Effect.Effect<
    void,
    unknown
  >,
) => {
  const store = { standing: true, keyReads: 0 }
  const ports = Layer.mergeAll(
    Layer.succeed(Tokens, {
      isGood: ({ expiresAtMs }, nowMs) => nowMs < expiresAtMs,
      issue: () => unasked,
      verify: (token) =>
        Effect.succeed({ keyId: "k", userId: token, sessionId: "s1", isConsole: false, expiresAtMs: 60_000 }),
    }),
    Layer.succeed(Credentials, {
      standing: (refs) =>
        Effect.sync(() =>
          store.standing ? refs.map((ref) => ({ ...ref, principal: ref.kind === "session" ? vera : service })) : []
        ),
    }),
    Layer.succeed(Accounts, {
      signIn: () => unasked,
      byApiKey: (key) =>
        key === "right"
          ? Effect.sync(() => {
            store.keyReads++
            return service
          })
          : Effect.fail(new NotAuthenticated({ message: "no" })),
      createApiKey: () => unasked,
      apiKeys: unasked,
      revokeApiKey: () => unasked,
    }),
  )
  return Effect.gen(function* () {
    yield* test(yield* Authenticator, store)
  }).pipe(
    Effect.provide(
      Authenticator.layer.pipe(
        Layer.provide(CredentialStatus.layer),
        Layer.provide(ports),
        Layer.provideMerge(TestClock.layer()),
      ),
    ),
    Effect.runPromise,
  )
}

it("knows the caller of a token by its sign-in, and not by another's", () =>
  withAuthenticator((authenticator) =>
    Effect.gen(function* () {
      expect(yield* authenticator.bearer("vera")).toEqual({
        ...vera,
        sessionId: "s1",
        isConsole: false,
        expiresAtMs: 60_000,
      })
      expect(yield* Effect.flip(authenticator.bearer("mallory"))).toMatchObject({ _tag: "NotAuthenticated" })
    })
  ))

it("reads an API key from the store once, and rejects a revoked one", () =>
  withAuthenticator((authenticator, store) =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) {
        expect(yield* authenticator.apiKey("right")).toEqual({
          ...service,
          sessionId: null,
          isConsole: false,
          expiresAtMs: null,
        })
      }
      expect(store.keyReads).toBe(1)
      expect(yield* Effect.flip(authenticator.apiKey("wrong"))).toMatchObject({ _tag: "NotAuthenticated" })
      store.standing = false
      yield* TestClock.adjust("1 seconds")
      expect(yield* Effect.flip(authenticator.apiKey("right"))).toMatchObject({ _tag: "NotAuthenticated" })
    })
  ))

it("notifies holders when a token expires, and within a second after any credential is revoked", () =>
  withAuthenticator((authenticator, store) =>
    Effect.gen(function* () {
      const token = yield* Effect.forkChild(authenticator.ended(yield* authenticator.bearer("vera")))
      const key = yield* Effect.forkChild(authenticator.ended(yield* authenticator.apiKey("right")))
      yield* TestClock.adjust("59999 millis")
      expect([token.pollUnsafe(), key.pollUnsafe()]).toEqual([undefined, undefined])
      yield* TestClock.adjust("1 millis")
      expect(token.pollUnsafe()).toBeDefined()
      expect(key.pollUnsafe()).toBeUndefined()
      store.standing = false
      yield* TestClock.adjust("1 seconds")
      expect(key.pollUnsafe()).toBeDefined()
    })
  ))
