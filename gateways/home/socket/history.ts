/**
 * Commands on the history of states: a period at once, or a period and then what follows.
 */
import { Effect, Schema } from "effect"
import type { EntityState } from "../../../protocols/domain/home.ts"
import { command, done, subscribingCommand } from "./command.ts"
import { isSignificant, wantedOf } from "../server/past-states.ts"
import { checkedPeriod, pastAndChanges, type Period, statesIn } from "./past.ts"
import { eventsOf } from "./shared-messages.ts"

const fields = {
  start_time: Schema.String,
  end_time: Schema.optionalKey(Schema.String),
  entity_ids: Schema.Array(Schema.String),
  include_start_time_state: Schema.optionalKey(Schema.Boolean),
  significant_changes_only: Schema.optionalKey(Schema.Boolean),
  minimal_response: Schema.optionalKey(Schema.Boolean),
  no_attributes: Schema.optionalKey(Schema.Boolean),
}
const Form = Schema.Struct(fields)
type Form = typeof Form.Type

const seconds = (us: number): number => us / 1_000_000

/** A state in the compressed form of the history. */
const shown = (state: EntityState, isBrief: boolean, { no_attributes = false }: Form) => ({
  s: state.state,
  ...(isBrief ? {} : { a: no_attributes ? {} : state.attributes }),
  ...(isBrief || state.lastChangedUs === state.lastUpdatedUs ? {} : { lc: seconds(state.lastChangedUs) }),
  lu: seconds(state.lastUpdatedUs),
})

/** The states of each entity that the request wants, by entity id. */
const byEntity = (found: ReadonlyArray<ReadonlyArray<EntityState>>, { fromUs }: Period, form: Form) => {
  const { include_start_time_state = true, minimal_response = false, significant_changes_only = true } = form
  const wanted = { fromUs, initial: include_start_time_state, significantOnly: significant_changes_only }
  return Object.fromEntries(
    wantedOf(found, wanted).map((states) => [
      states[0]!.entityId,
      states.map((state, i) => shown(state, minimal_response && i > 0, form)),
    ]),
  )
}

export const historyCommands = [
  command("history/history_during_period", fields, ({ message }) =>
    Effect.gen(function* () {
      const period = yield* checkedPeriod(message, true)
      const found = yield* statesIn(period, message.entity_ids)
      return { result: JSON.stringify(byEntity(found, period, message)) }
    })),

  subscribingCommand("history/stream", fields, ({ client, id, message }) =>
    Effect.gen(function* () {
      const { minimal_response = false, significant_changes_only = true } = message
      const ids = new Set(message.entity_ids.map((each) => each.toLowerCase()))
      const { follow, past, stop } = yield* pastAndChanges(Effect.gen(function* () {
        const period = yield* checkedPeriod(message, false)
        return { period, states: yield* statesIn(period, message.entity_ids) }
      }))
      const { period } = past
      let found = past.states
      const send = (event: object) => client.event(id, eventsOf([JSON.stringify(event)]))
      return {
        ...done,
        then: () => {
          client.subscribed(id, stop)
          send({
            states: byEntity(found, period, message),
            start_time: seconds(period.fromUs),
            end_time: seconds(period.untilUs ?? period.nowUs),
          })
          // The subscription does not hold the past.
          found = []
          if (period.untilUs !== null && period.untilUs <= period.nowUs) return stop()
          follow((changes) => {
            for (const { newState } of changes) {
              if (!ids.has(newState.entityId) || (significant_changes_only && !isSignificant(newState))) continue
              send({ states: { [newState.entityId]: [shown(newState, minimal_response, message)] } })
            }
          })
        },
      }
    })),
]
