/**
 * Commands that begin and end subscriptions. The answer is sent first, then the events.
 */
import { Effect, Schema } from "effect"
import { type Command, command, done, refusal } from "./command.ts"
import { entityFilterFields, listOf } from "./entity-filter.ts"
import type { HomeFeeds } from "./feeds.ts"
import { matchAll } from "../routes/events.ts"
import { eventsOf } from "./shared-messages.ts"
import { holdMs, StateTrigger, triggerText } from "./state-trigger.ts"
import type { After } from "../server/after.ts"
import { watchTriggers } from "./trigger-watch.ts"

/** The most entities with `for` in one subscription, because each can have a timer. */
const holdingMax = 1_024

export const subscriptionCommands = (feeds: HomeFeeds, after: After): ReadonlyArray<Command<never>> => [
  command(
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

  command(
    "subscribe_entities",
    entityFilterFields,
    ({ client, id, message }) =>
      Effect.map(feeds.entities(message), (subscribe) => ({
        ...done,
        then: () => client.subscribed(id, subscribe((events) => client.event(id, events))),
      })),
  ),

  command(
    "subscribe_trigger",
    {
      trigger: Schema.Union([StateTrigger, Schema.Array(StateTrigger)]),
      variables: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    },
    ({ client, id, message: { trigger } }) => {
      const triggers: ReadonlyArray<StateTrigger> = Array.isArray(trigger) ? trigger : [trigger as StateTrigger]
      const holding = triggers.filter((one) => holdMs(one) > 0).flatMap(({ entity_id }) => listOf(entity_id))
      if (holding.length > holdingMax) {
        return Effect.fail(
          refusal("not_allowed", `Too many entities with "for": at most ${holdingMax} in one subscription.`),
        )
      }
      const watch = watchTriggers(triggers, after, (one, index, change) => {
        client.event(id, eventsOf([triggerText(one, index, change)]))
      })
      return Effect.map(feeds.entries, (listen) => ({
        ...done,
        then: () => {
          const stop = listen((entries) => {
            for (const entry of entries) if (entry.kind === "changed") watch.take(entry)
          })
          client.subscribed(id, () => {
            stop()
            watch.end()
          })
        },
      }))
    },
  ),
]
