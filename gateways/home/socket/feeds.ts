/**
 * The feeds of subscriptions. Equal subscriptions share a shape, which encodes each entry once, as text and as frames, for all of them.
 */
import { Effect } from "effect"
import type { BusEntry, EntityState } from "../../../protocols/domain/home.ts"
import { eventText, eventTypeOf } from "../../../protocols/home-api/home-json.ts"
import { HomeRuntime, type Replica } from "../../../protocols/ports/home-runtime.ts"
import { changesTexts, firstText } from "../../../protocols/home-api/home-compressed.ts"
import { ListenerCounts, matchAll } from "../routes/events.ts"
import { type EntityFilter, entityPredicate } from "./entity-filter.ts"
import { type Events, eventsOf, packed } from "./shared-messages.ts"

type Send = (events: Events) => void

/** Subscribers that receive the same events. */
interface Shape {
  readonly subscribers: Set<Send>
  readonly stop: () => void
}

/** Shapes by a key. The first subscriber of a key opens its shape, the last one ends it. */
const makeShapes = () => {
  const shapes = new Map<string, Shape>()

  const open = (
    replica: Replica,
    key: string,
    textsOf: (entries: ReadonlyArray<BusEntry>) => ReadonlyArray<string>,
  ) => {
    const subscribers = new Set<Send>()
    const stop = replica.listen((entries) => {
      for (const events of packed(textsOf(entries))) for (const send of subscribers) send(events)
    })
    const shape: Shape = { subscribers, stop }
    shapes.set(key, shape)
    return shape
  }

  /** Subscribes to what `textsOf` makes of entries, from the next ones on. Returns a function that unsubscribes. */
  return (
    replica: Replica,
    key: string,
    textsOf: (entries: ReadonlyArray<BusEntry>) => ReadonlyArray<string>,
    send: Send,
  ) => {
    const shape = shapes.get(key) ?? open(replica, key, textsOf)
    shape.subscribers.add(send)
    return () => {
      shape.subscribers.delete(send)
      if (shape.subscribers.size > 0 || shapes.get(key) !== shape) return
      shape.stop()
      shapes.delete(key)
    }
  }
}

const makeEntityFeed = () => {
  const join = makeShapes()
  /** The first event by list of states, because many clients subscribe at once after a node fails. */
  const firsts = new WeakMap<ReadonlyArray<EntityState>, Events>()
  const firstEvents = (states: ReadonlyArray<EntityState>): Events => {
    const made = firsts.get(states)
    if (made !== undefined) return made
    const events = eventsOf([firstText(states)])
    firsts.set(states, events)
    return events
  }

  /** Sends the current states and then their changes, without a gap. Returns a function that unsubscribes. */
  return (replica: Replica, filter: EntityFilter, send: Send): () => void => {
    const key = JSON.stringify([filter.entity_ids ?? [], filter.include ?? null, filter.exclude ?? null])
    const accepts = entityPredicate(filter)
    const states = replica.all()
    send(firstEvents(accepts === null ? states : states.filter(({ entityId }) => accepts(entityId))))
    const isWanted = (entry: BusEntry) => entry.kind === "changed" && (accepts === null || accepts(entry.entityId))
    return join(replica, key, (entries) => changesTexts(entries.filter(isWanted)), send)
  }
}

const makeEventFeed = () => {
  const join = makeShapes()
  return (replica: Replica, eventType: string, send: Send): () => void => {
    const isWanted = (entry: BusEntry) =>
      eventType === matchAll ? entry.kind !== "reported" : eventTypeOf(entry) === eventType
    return join(replica, eventType, (entries) => entries.filter(isWanted).map(eventText), send)
  }
}

/** The feeds of a node. */
export const makeHomeFeeds = Effect.gen(function* () {
  const { replica } = yield* HomeRuntime
  const counts = yield* ListenerCounts
  const entities = makeEntityFeed()
  const events = makeEventFeed()
  return {
    /** The states of a filter's entities, then their changes. */
    entities: (filter: EntityFilter) => Effect.map(replica, (opened) => (send: Send) => entities(opened, filter, send)),
    /** Events of a type; `*` means all but reports. */
    events: (eventType: string) =>
      Effect.map(replica, (opened) => (send: Send): () => void => {
        const leave = counts.enter(eventType)
        const stop = events(opened, eventType, send)
        return () => {
          stop()
          leave()
        }
      }),
  }
})
export type HomeFeeds = Effect.Success<typeof makeHomeFeeds>
