/**
 * Commands that begin and end subscriptions. The answer is sent first, then the events.
 */
import { Effect, Schema } from "effect"
import { command, done, refusal, subscribingCommand } from "./command.ts"
import { entityFilterFields } from "./entity-filter.ts"
import type { HomeFeeds } from "./feeds.ts"
import { matchAll } from "../routes/events.ts"
import { eventsOf } from "./shared-messages.ts"
import type { After } from "../server/after.ts"
import { rendererFor } from "../template/rendering.ts"
import { readTriggers, templatesOf, timersOf, watchAll } from "./triggers.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"

/** The most timers of one subscription. */
const timersMax = 1_024

export const subscriptionCommands = (feeds: HomeFeeds, after: After) => [
  subscribingCommand(
    "subscribe_events",
    { event_type: Schema.optionalKey(Schema.String) },
    ({ client, id, message: { event_type = matchAll } }) =>
      Effect.map(feeds.events(event_type), (subscribe) => ({
        ...done,
        then: () => client.subscribed(id, subscribe((events) => client.event(id, events))),
      })),
  ),

  command(
    "unsubscribe_events",
    { subscription: Schema.Int },
    ({ client, message: { subscription } }) =>
      client.unsubscribe(subscription)
        ? Effect.succeed(done)
        : Effect.fail(refusal("not_found", "Subscription not found.")),
  ),

  subscribingCommand(
    "subscribe_entities",
    entityFilterFields,
    ({ client, id, message }) =>
      Effect.map(feeds.entities(message), (subscribe) => ({
        ...done,
        then: () => client.subscribed(id, subscribe((events) => client.event(id, events))),
      })),
  ),

  subscribingCommand(
    "subscribe_trigger",
    { trigger: Schema.Unknown, variables: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)) },
    ({ client, id, message: { trigger, variables = {} } }) =>
      Effect.gen(function* () {
        const triggers = readTriggers(trigger)
        if (typeof triggers === "string") return yield* Effect.fail(refusal("invalid_format", triggers))
        if (timersOf(triggers) > timersMax) {
          return yield* Effect.fail(
            refusal("not_allowed", `Too many entities with "for": at most ${timersMax} in one subscription.`),
          )
        }
        const renderer = yield* rendererFor(templatesOf(triggers))
        const replica = yield* (yield* HomeRuntime).replica
        const send = (text: string) => client.event(id, eventsOf([text]))
        return {
          ...done,
          then: () => client.subscribed(id, watchAll(triggers, { after, replica, renderer, variables, send })),
        }
      }),
  ),
]
