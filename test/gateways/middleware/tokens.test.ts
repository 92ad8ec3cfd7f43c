import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import { type TokenOptions, Tokens } from "../../../gateways/middleware/tokens.ts"
import type { Principal } from "../../../protocols/domain/identity.ts"

const key = new Uint8Array(32).fill(7)
const vera: Principal = { kind: "user", id: "user-1", name: "vera", role: "viewer" }

const run = <A, E>(test: Effect.Effect<A, E, Tokens>, options: Partial<TokenOptions> = {}): Promise<A> =>
  test.pipe(
    Effect.provide(Tokens.layer({ keyId: "k1", key, ...options }).pipe(Layer.provideMerge(TestClock.layer()))),
    Effect.runPromise,
  )

/** The tag of a failure, or null. */
const outcome = (token: string) =>
  Effect.flatMap(Tokens, ({ verify }) => verify(token)).pipe(
    Effect.match({ onSuccess: () => null, onFailure: ({ _tag }) => _tag }),
  )

const claims = { name: "vera", role: "viewer" }

/** A token that is right but for what `change` does to it. */
const forged = (change: (token: SignJWT) => SignJWT, secret = key, header = { alg: "HS256", kid: "k1" }) => {
  const token = new SignJWT(claims).setProtectedHeader(header).setSubject("user-1").setIssuer("wavepose")
    .setAudience("wavepose").setIssuedAt(0).setExpirationTime(100).setJti("j")
  return change(token).sign(secret)
}

describe("tokens", () => {
  it("name their user, their times and their key", () =>
    run(Effect.gen(function* () {
      yield* TestClock.setTime(5_000)
      const { issue, verify } = yield* Tokens
      const { token, lifetimeS } = yield* issue(vera)
      expect(lifetimeS).toBe(86_400)
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: "HS256", kid: "k1" })
      expect(decodeJwt(token)).toMatchObject({
        sub: "user-1",
        name: "vera",
        role: "viewer",
        iss: "wavepose",
        aud: "wavepose",
        iat: 5,
        exp: 86_405,
      })
      expect(yield* verify(token)).toEqual(vera)
      expect(yield* verify(token)).toEqual(vera)
    })))

  it("expire, also those that were seen before", () =>
    run(
      Effect.gen(function* () {
        const { issue } = yield* Tokens
        const [seen, unseen] = [yield* issue(vera), yield* issue(vera)]
        yield* TestClock.setTime(59_999)
        expect(yield* outcome(seen.token)).toBeNull()
        yield* TestClock.setTime(60_000)
        expect(yield* outcome(seen.token)).toBe("NotAuthenticated")
        expect(yield* outcome(unseen.token)).toBe("NotAuthenticated")
      }),
      { lifetimeS: 60 },
    ))

  it.each([
    ["another key", forged((token) => token, new Uint8Array(32).fill(8))],
    ["another key id", forged((token) => token, key, { alg: "HS256", kid: "k2" })],
    ["another issuer", forged((token) => token.setIssuer("x"))],
    ["another audience", forged((token) => token.setAudience("x"))],
    ["another algorithm", forged((token) => token, new Uint8Array(64).fill(7), { alg: "HS512", kid: "k1" })],
    [
      "no such role",
      new SignJWT({ ...claims, role: "root" }).setProtectedHeader({ alg: "HS256", kid: "k1" })
        .setSubject("u").setIssuer("wavepose").setAudience("wavepose").setIssuedAt(0).setExpirationTime(100).setJti("j")
        .sign(key),
    ],
    ["no signature", Promise.resolve("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyLTEifQ.")],
  ])("with %s are refused", async (_, token) => {
    expect(await run(outcome(await token))).toBe("NotAuthenticated")
  })

  it("right in every point are taken", async () => {
    expect(await run(outcome(await forged((token) => token)))).toBeNull()
  })

  it("are not signed with a short key", async () => {
    await expect(run(Effect.void, { key: new Uint8Array(31) })).rejects.toThrow("at least 32")
  })
})
