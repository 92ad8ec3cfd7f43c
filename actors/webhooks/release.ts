/**
 * The privacy gate of webhooks: an event has the least restrictive privacy class among the nodes of its environment.
 */
import { Effect } from "effect"
import { gate, type Verdict } from "../../core/privacy/gate.ts"
import { type PrivacyClass, privacyClasses } from "../../core/privacy/privacy-class.ts"
import type { ActivityEvent } from "../../protocols/domain/event.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { PrivacyClasses } from "../../protocols/ports/privacy-classes.ts"

/** Largest age of the cached directory. */
const directoryAgeMax = "5 seconds"

/** Makes the function that decides on an event. The events of a removed environment, whose nodes are unknown, count as Anonymous. */
export const makeReleaseEvent = Effect.gen(function* () {
  const classes = yield* PrivacyClasses
  const enrolments = yield* Effect.cachedWithTTL((yield* Directory).routers, directoryAgeMax)
  return Effect.fnUntraced(function* (event: ActivityEvent) {
    const routers = (yield* enrolments).filter(({ environmentId }) => environmentId === event.environmentId)
    const least = routers.map(({ routerId }) => classes.of(routerId))
      .reduce<PrivacyClass>((a, b) => b < a ? b : a, privacyClasses.restricted)
    const privacyClass = routers.length === 0 ? privacyClasses.anonymous : least
    return gate(event, privacyClass, "webhook") satisfies Verdict<ActivityEvent, "webhook">
  })
})

export type ReleaseEvent = Effect.Success<typeof makeReleaseEvent>
