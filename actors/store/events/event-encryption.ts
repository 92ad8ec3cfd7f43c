/**
 * Stored events: in plain, or with persons and locations encrypted.
 *
 * The row of an encrypted event contains the event without persons and location, which reports can count without a key, and the whole
 * event encrypted. Without the key a reader still gets type and time.
 */
import { Effect, Option, Schema } from "effect"
import { ActivityEvent } from "../../../protocols/domain/event.ts"
import { anonymousEvent } from "../../../protocols/domain/privacy.ts"
import type { FrameBodies } from "../encryption/body-encryption.ts"

const Sealed = Schema.Struct({ sealed: Schema.Struct({ keyId: Schema.Int, body: Schema.String }) })

const decode = Schema.decodeUnknownEffect(ActivityEvent)
const decodeSealed = Schema.decodeUnknownOption(Sealed)

/** The JSON of an event for its row. */
export const sealEvent = Effect.fnUntraced(function* (bodies: FrameBodies["Service"], event: ActivityEvent) {
  const whole = JSON.stringify(event)
  const { body, keyId } = yield* bodies.seal(new TextEncoder().encode(whole))
  if (keyId === null) return whole
  const sealed = { keyId, body: Buffer.from(body).toString("base64") }
  return JSON.stringify({ ...anonymousEvent(event), location: null, sealed })
})

/** The event of a row's JSON. Persons and location are missing if they cannot be decrypted. */
export const openEvent = Effect.fnUntraced(function* (bodies: FrameBodies["Service"], row: unknown) {
  const found = decodeSealed(row)
  if (Option.isNone(found)) return yield* decode(row)
  const { body, keyId } = found.value.sealed
  const whole = yield* bodies.open(keyId, new Uint8Array(Buffer.from(body, "base64"))).pipe(
    Effect.map((opened) => JSON.parse(new TextDecoder().decode(opened)) as unknown),
    Effect.catch(({ message }) => Effect.as(Effect.logWarning(message), row)),
  )
  return yield* decode(whole)
})

/** The events of rows. An unreadable event is logged and omitted, so that the others are still returned. */
export const openEvents = Effect.fnUntraced(
  function* (bodies: FrameBodies["Service"], rows: ReadonlyArray<{ readonly body: unknown }>) {
    const events: Array<ActivityEvent> = []
    for (const { body } of rows) {
      yield* Effect.matchEffect(openEvent(bodies, body), {
        onSuccess: (event) => Effect.sync(() => void events.push(event)),
        onFailure: (error) => Effect.logWarning("an event of the store is left out", error.message),
      })
    }
    return events
  },
)
