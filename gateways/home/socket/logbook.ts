/**
 * Commands on the logbook: a period at once, or a period and then what follows.
 */
import { Effect, Schema } from "effect"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { isLogged, logbookJson, logbookOf, mayBeLogged } from "../server/logbook.ts"
import { command, done, jsonReply, subscribingCommand } from "./command.ts"
import { checkedPeriod, type Period, statesIn } from "./past.ts"
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
  return [...entity_ids ?? [], ...ofDevices.map(({ entry }) => entry.entityId)]
})

/** The entries of these entities in a period. */
const entriesIn = Effect.fnUntraced(function* (period: Period, ids: ReadonlyArray<string>) {
  const replica = yield* (yield* HomeRuntime).replica
  const past = yield* statesIn(period, ids.filter((id) => mayBeLogged(replica)(id.toLowerCase())))
  return logbookOf(past, period.fromUs)
})

export const logbookCommands = [
  command("logbook/get_events", fields, ({ message }) =>
    Effect.gen(function* () {
      const period = yield* checkedPeriod(message, true)
      const found = yield* entriesIn(period, yield* wantedIds(message))
      const { context_id: contextId } = message
      const wanted = contextId === undefined ? found : found.filter(({ state }) => state.context.id === contextId)
      return jsonReply(wanted.map((entry) => logbookJson(entry, "socket")))
    })),

  subscribingCommand("logbook/event_stream", fields, ({ client, id, message }) =>
    Effect.gen(function* () {
      const period = yield* checkedPeriod(message, false)
      const ids = yield* wantedIds(message)
      const isAll = message.entity_ids === undefined && message.device_ids === undefined
      const wanted = new Set(ids)
      let found = yield* entriesIn(period, ids)
      const replica = yield* (yield* HomeRuntime).replica
      const send = (event: object) => client.event(id, eventsOf([JSON.stringify(event)]))
      return {
        ...done,
        then: () => {
          send({
            events: found.map((entry) => logbookJson(entry, "socket")),
            start_time: period.fromUs / 1_000_000,
            end_time: (period.untilUs ?? period.nowUs) / 1_000_000,
          })
          // The subscription does not hold the past.
          found = []
          const stop = replica.listen((entries) => {
            const events = entries.flatMap((entry) =>
              entry.kind === "changed" && entry.newState !== null && (isAll || wanted.has(entry.entityId)) &&
                isLogged(entry.oldState, entry.newState)
                ? [logbookJson({ state: entry.newState, atUs: entry.newState.lastChangedUs }, "socket")]
                : []
            )
            if (events.length > 0) send({ events })
          })
          client.subscribed(id, stop)
          if (period.untilUs !== null && period.untilUs <= period.nowUs) stop()
        },
      }
    })),
]
