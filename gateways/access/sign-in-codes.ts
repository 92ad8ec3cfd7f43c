/**
 * Codes of one-time links, by which the person who started a node signs in to its console without a password.
 *
 * Invariants: a code works once, within `lifetimeMs`, and on the node that issued it; at most `codesMax` codes are valid, the oldest ends
 * first; a code is kept as its SHA-256.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { createHash } from "node:crypto"

const lifetimeMs = 10 * 60_000
const codesMax = 8

interface Issued {
  readonly username: string
  readonly expiresAtMs: number
}

export class SignInCodes extends Context.Service<SignInCodes, {
  /** A new code for this user. */
  readonly issue: (username: string) => Effect.Effect<string>
  /** The name of the code's user; null if the code is unknown, used or too old. The code ends. */
  readonly redeem: (code: string) => Effect.Effect<string | null>
}>()("wavepose/gateways/SignInCodes") {
  static readonly layer: Layer.Layer<SignInCodes, never, SecureRandom.SecureRandom> = Layer.effect(
    SignInCodes,
    Effect.suspend(() => makeSignInCodes),
  )
}

const digest = (code: string): string => createHash("sha256").update(code).digest("hex")

const makeSignInCodes = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const issued = new Map<string, Issued>()
  return SignInCodes.of({
    issue: Effect.fnUntraced(function* (username) {
      const code = Buffer.from(yield* random.randomBytes(24)).toString("base64url")
      issued.set(digest(code), { username, expiresAtMs: (yield* Clock.currentTimeMillis) + lifetimeMs })
      if (issued.size > codesMax) issued.delete(issued.keys().next().value!)
      return code
    }),
    redeem: Effect.fnUntraced(function* (code) {
      const key = digest(code)
      const found = issued.get(key)
      issued.delete(key)
      return found !== undefined && (yield* Clock.currentTimeMillis) < found.expiresAtMs ? found.username : null
    }),
  })
})
