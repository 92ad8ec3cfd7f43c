/**
 * Commands on the logbook: a period at once, or a period and then what follows.
 */
import { Effect, Schema } from "effect"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { isLogged, logbookJson, logbookOf, mayBeLogged } from "../server/logbook.ts"
import { command, done, jsonReply, subscribingCommand } from "./command.ts"
import { checkedPeriod, pastAndChanges, type Period, statesIn } from "./past.ts"
import { eventsOf } from "./shared-messages.ts"

const fields = {
  start_time: Schema.String,
  end_time: Schema.optionalKey(Schema.String),
  entity_ids: Schema.optionalKey(Schema.Array(Schema.String)),
  device_ids: Schema.optionalKey(Schema.Array(Schema.String)),
  context_id: Schema.optionalKey(Schema.String),
}
const Asked = Schema.Struct(fields)

/** The entities that a request is about: those that it names and those of its devices; by default all. */
const wantedIds = Effect.fnUntraced(function* ({ device_ids, entity_ids }: typeof Asked.Type) {
  if (entity_ids === undefined && device_ids === undefined) {
    const replica = yield* (yield* HomeRuntime).replica
    return replica.all().map(({ entityId }) => entityId)
  }
  const devices = new Set(device_ids)
  const entries = devices.size === 0 ? [] : yield* (yield* HomeRegistries).list("entity")
  const ofDevices = entries.filter(({ entry: { deviceId } }) => deviceId !== null && devices.has(deviceId))
  return [...entity_ids ?? [], ...ofDevices.map(({ entry }) => entry.entityId)].map((id) => id.toLowerCase())
})

/** The states of these entities in a period, of those that the logbook has. */
const loggedStatesIn = Effect.fnUntraced(function* (period: Period, ids: ReadonlyArray<string>) {
  const replica = yield* (yield* HomeRuntime).replica
  return yield* statesIn(period, ids.filter(mayBeLogged(replica)))
})

export const logbookCommands = [
  command("logbook/get_events", fields, ({ message }) =>
    Effect.gen(function* () {
      const period = yield* checkedPeriod(message, true)
      const found = logbookOf(yield* loggedStatesIn(period, yield* wantedIds(message)), period.fromUs)
      const { context_id: contextId } = message
      const wanted = contextId === undefined ? found : found.filter(({ state }) => state.context.id === contextId)
      return jsonReply(wanted.map((entry) => logbookJson(entry, "socket")))
    })),

  subscribingCommand("logbook/event_stream", fields, ({ client, id, message }) =>
    Effect.gen(function* () {
      const isAll = message.entity_ids === undefined && message.device_ids === undefined
      const { follow, past, stop } = yield* pastAndChanges(Effect.gen(function* () {
        const period = yield* checkedPeriod(message, false)
        const ids = yield* wantedIds(message)
        return { period, wanted: new Set(ids), states: yield* loggedStatesIn(period, ids) }
      }))
      const { period, wanted } = past
      let found = logbookOf(past.states, period.fromUs)
      const send = (event: object) => client.event(id, eventsOf([JSON.stringify(event)]))
      return {
        ...done,
        then: () => {
          client.subscribed(id, stop)
          send({
            events: found.map((entry) => logbookJson(entry, "socket")),
            start_time: period.fromUs / 1_000_000,
            end_time: (period.untilUs ?? period.nowUs) / 1_000_000,
          })
          // The subscription does not hold the past.
          found = []
          if (period.untilUs !== null && period.untilUs <= period.nowUs) return stop()
          follow((changes) => {
            const events = changes.flatMap(({ newState, oldState }) =>
              (isAll || wanted.has(newState.entityId)) && isLogged(oldState, newState)
                ? [logbookJson({ state: newState, atUs: newState.lastChangedUs }, "socket")]
                : []
            )
            if (events.length > 0) send({ events })
          })
        },
      }
    })),
]
