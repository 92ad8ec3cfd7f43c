/**
 * Commands that begin and end subscriptions. The answer is sent first, then what it tells.
 */
import { Effect, Schema } from "effect"
import { type Command, command, done, refusal } from "./command.ts"
import { entityFilterFields } from "./entity-filter.ts"
import type { HomeFeeds } from "./feeds.ts"
import { matchAll } from "../events.ts"
import { eventsOf } from "./parcels.ts"
import { fires, StateTrigger, triggerText } from "./state-trigger.ts"

export const subscriptionCommands = (feeds: HomeFeeds): ReadonlyArray<Command<never>> => [
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
      return Effect.map(feeds.entries, (listen) => ({
        ...done,
        then: () =>
          client.subscribed(
            id,
            listen((entries) => {
              for (const entry of entries) {
                if (entry.kind !== "changed") continue
                for (const [i, one] of triggers.entries()) {
                  if (fires(one, entry)) client.event(id, eventsOf([triggerText(one, i, entry)]))
                }
              }
            }),
          ),
      }))
    },
  ),
]
