/**
 * Secrets in the database, sealed by a key outside it: a copy of the database alone opens no session and joins no cluster.
 *
 * A sealed secret is the text `sealed:<id of the key>:<base64>`. A node without a key of encryption at rest stores secrets as they are, logs
 * a warning, and seals them when it has one.
 */
import { Effect, Option } from "effect"
import { openSealed, sealAll } from "./sealing.ts"

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
  const [{ body, keyId }] = sealed.value as [typeof sealed.value[number]]
  return `${mark}${keyId}:${Buffer.from(body).toString("base64")}`
})

export const isSealed = (stored: string): boolean => stored.startsWith(mark)

/** The secret; one that is not sealed is returned as it is. Fails if this node does not have the key. */
export const openSecret = Effect.fnUntraced(function* (stored: string, context: string) {
  if (!isSealed(stored)) return stored
  const [keyId, body] = stored.slice(mark.length).split(":")
  const plain = yield* openSealed({ keyId: Number(keyId), body: Buffer.from(body ?? "", "base64") }, context)
  return new TextDecoder().decode(plain)
})
