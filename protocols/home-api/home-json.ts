/**
 * States and events of the home-automation runtime as JSON text, for REST and the WebSocket.
 *
 * A state or an entry is encoded once for all clients.
 */
import { type BusEntry, type EntityState, homeTime, stateChanged, stateReported } from "../domain/home.ts"
import type { HomeContext, HomeEvent } from "../domain/home.ts"

export const contextJson = ({ id, parentId, userId }: HomeContext) => ({ id, parent_id: parentId, user_id: userId })

const stateTexts = new WeakMap<EntityState, string>()

/** The text of a state. */
export const stateText = (state: EntityState): string => {
  const made = stateTexts.get(state)
  if (made !== undefined) return made
  const text = JSON.stringify({
    entity_id: state.entityId,
    state: state.state,
    attributes: state.attributes,
    last_changed: homeTime(state.lastChangedUs),
    last_reported: homeTime(state.lastReportedUs),
    last_updated: homeTime(state.lastUpdatedUs),
    context: contextJson(state.context),
  })
  stateTexts.set(state, text)
  return text
}

export const statesText = (states: ReadonlyArray<EntityState>): string => `[${states.map(stateText).join(",")}]`

const eventOf = (
  eventType: string,
  dataText: string,
  origin: HomeEvent["origin"],
  timeFiredUs: number,
  context: HomeContext,
): string =>
  `{"event_type":${JSON.stringify(eventType)},"data":${dataText},"origin":"${origin}","time_fired":"${
    homeTime(timeFiredUs)
  }","context":${JSON.stringify(contextJson(context))}}`

/** The type of an entry's event. */
export const eventTypeOf = (entry: BusEntry): string =>
  entry.kind === "changed" ? stateChanged : entry.kind === "reported" ? stateReported : entry.event.eventType

const eventTexts = new WeakMap<BusEntry, string>()

const textOf = (entry: BusEntry): string => {
  switch (entry.kind) {
    case "changed": {
      const { context, entityId, newState, oldState, timeFiredUs } = entry
      const shown = (state: EntityState | null) => state === null ? "null" : stateText(state)
      const data = `{"entity_id":"${entityId}","old_state":${shown(oldState)},"new_state":${shown(newState)}}`
      return eventOf(stateChanged, data, "LOCAL", timeFiredUs, context)
    }
    case "reported": {
      const { entityId, newState, oldReportedUs } = entry
      const { context, lastReportedUs } = newState
      const data = `{"entity_id":"${entityId}","last_reported":"${homeTime(lastReportedUs)}","old_last_reported":"${
        homeTime(oldReportedUs)
      }","new_state":${stateText(newState)}}`
      return eventOf(stateReported, data, "LOCAL", lastReportedUs, context)
    }
    case "fired": {
      const { context, data, eventType, origin, timeFiredUs } = entry.event
      return eventOf(eventType, JSON.stringify(data), origin, timeFiredUs, context)
    }
  }
}

/** The text of an entry's event. */
export const eventText = (entry: BusEntry): string => {
  const made = eventTexts.get(entry)
  if (made !== undefined) return made
  const text = textOf(entry)
  eventTexts.set(entry, text)
  return text
}
