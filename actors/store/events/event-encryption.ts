/**
 * Events as they are stored: whole, or with who and where sealed.
 *
 * A sealed event is an event that says neither person nor place, so whoever adds events up needs no key; beside it is the event whole,
 * sealed. Whoever has no key for it still reads what happened and when.
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

/** The event of a row's JSON; without person and place where they are sealed and cannot be opened. */
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

/** The events of rows; one that cannot be read is left out and logged, so that it does not take the others with it. */
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
