/**
 * The privacy gate before webhooks: an event is of the most telling class of the nodes of its environment.
 */
import { Effect } from "effect"
import { gate, type Verdict } from "../../core/privacy/gate.ts"
import { type PrivacyClass, privacyClasses } from "../../core/privacy/privacy-class.ts"
import type { ActivityEvent } from "../../protocols/domain/event.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { PrivacyClasses } from "../../protocols/ports/privacy-classes.ts"

/** How old the answer of the directory may be. */
const enrolledFor = "5 seconds"

/** Makes the decision about events; what a removed environment's nodes were is not known, and counts as Anonymous. */
export const makeReleaseEvent = Effect.gen(function* () {
  const classes = yield* PrivacyClasses
  const enrolments = yield* Effect.cachedWithTTL((yield* Directory).routers, enrolledFor)
  return Effect.fnUntraced(function* (event: ActivityEvent) {
    const routers = (yield* enrolments).filter(({ environmentId }) => environmentId === event.environmentId)
    const least = routers.map(({ routerId }) => classes.of(routerId))
      .reduce<PrivacyClass>((a, b) => b < a ? b : a, privacyClasses.restricted)
    const privacyClass = routers.length === 0 ? privacyClasses.anonymous : least
    return gate(event, privacyClass, "webhook") satisfies Verdict<ActivityEvent, "webhook">
  })
})

export type ReleaseEvent = Effect.Success<typeof makeReleaseEvent>
