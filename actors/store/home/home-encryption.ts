/**
 * Stored states of entities: JSON, encrypted if the configuration demands encryption at rest, because presence at home is as
 * personal as a frame.
 */
import { Effect, Option, Schema } from "effect"
import { fromExactJsonString } from "../../../protocols/domain/exact-json.ts"
import { EntityState } from "../../../protocols/domain/home.ts"
import type { FrameBodies } from "../encryption/body-encryption.ts"

const Sealed = Schema.fromJsonString(Schema.Struct({ keyId: Schema.Int, sealed: Schema.String }))
const decodeSealed = Schema.decodeUnknownOption(Sealed)
const StateText = fromExactJsonString(Schema.Struct({ ...EntityState.fields, attributes: Schema.JsonObject }))
const decodeState = Schema.decodeUnknownEffect(StateText)

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const textOf = (keyId: number, body: Uint8Array): string =>
  JSON.stringify({ keyId, sealed: Buffer.from(body).toString("base64") })

const bytesOf = (sealed: string): Uint8Array => new Uint8Array(Buffer.from(sealed, "base64"))

/** The texts of states for their rows, in their order. */
export const sealStates = Effect.fnUntraced(
  function* (bodies: FrameBodies["Service"], states: ReadonlyArray<EntityState>) {
    const texts = states.map((state) => JSON.stringify(state))
    const sealed = yield* bodies.sealAll(texts.map((text) => encoder.encode(text)))
    return sealed.map(({ body, keyId }, i) => keyId === null ? texts[i]! : textOf(keyId, body))
  },
)

/** The state of a row's text; null, with a log entry, if it is unreadable. */
export const openState = Effect.fnUntraced(function* (bodies: FrameBodies["Service"], text: string) {
  const found = decodeSealed(text)
  const plain = Option.isNone(found)
    ? text
    : decoder.decode(yield* bodies.open(found.value.keyId, bytesOf(found.value.sealed)))
  return yield* decodeState(plain)
}, Effect.catch((error) => Effect.as(Effect.logWarning("a state of the store is left out", error.message), null)))

/** The text of a row under the first key of encryption; null if it needs no other. */
export const sealStateAnew = Effect.fnUntraced(function* (bodies: FrameBodies["Service"], text: string) {
  const found = decodeSealed(text)
  if (Option.isNone(found)) return null
  const anew = yield* bodies.sealAnew(found.value.keyId, bytesOf(found.value.sealed))
  return anew === null ? null : textOf(anew.keyId, anew.body)
})
