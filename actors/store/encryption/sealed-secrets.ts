/**
 * Secrets in the database, sealed by a key outside it: a copy of the database alone opens no session and joins no cluster.
 *
 * A sealed secret is the text `sealed:<id of the key>:<base64>`. A node without a key of encryption at rest stores secrets as they are, logs
 * a warning, and seals them when it has one.
 */
import { Effect, Option } from "effect"
import { openSealed, sealAll, sealAnew, type Sealed } from "./sealing.ts"

const mark = "sealed:"
/** Contexts whose unsealed secret was logged already: each is read more than once. */
const logged = new Set<string>()

/** Seals a secret for a context; a node without a key returns it unchanged. */
export const sealSecret = Effect.fnUntraced(function* (plain: string, context: string) {
  const sealed = yield* Effect.option(sealAll([new TextEncoder().encode(plain)], context))
  if (Option.isNone(sealed)) {
    if (logged.has(context)) return plain
    logged.add(context)
    yield* Effect.logWarning(
      `${context} is stored unsealed, because there is no encryption key: set WAVEPOSE_ENCRYPTION_KEY`,
    )
    return plain
  }
  return textOf(sealed.value[0]!)
})

export const isSealed = (stored: string): boolean => stored.startsWith(mark)

const textOf = ({ body, keyId }: Sealed): string => `${mark}${keyId}:${Buffer.from(body).toString("base64")}`

const sealedOf = (text: string): Sealed => {
  const [keyId, body] = text.slice(mark.length).split(":")
  return { keyId: Number(keyId), body: Buffer.from(body ?? "", "base64") }
}

/** The secret; one that is not sealed is returned as it is. Fails if this node does not have the key. */
export const openSecret = Effect.fnUntraced(function* (stored: string, context: string) {
  return isSealed(stored) ? new TextDecoder().decode(yield* openSealed(sealedOf(stored), context)) : stored
})

/** The secret as it is stored from now on: sealed under the first key, if this node can do that. */
export const sealSecretAnew = Effect.fnUntraced(function* (stored: string, context: string) {
  if (!isSealed(stored)) return yield* sealSecret(stored, context)
  const anew = yield* sealAnew(sealedOf(stored), context)
  return anew === null ? stored : textOf(anew)
})
