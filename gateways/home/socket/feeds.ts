/**
 * What subscriptions are told. Each entry is made into text once per shape of subscription, however many clients have it.
 */
import { Effect } from "effect"
import type { BusEntry } from "../../../protocols/domain/home.ts"
import { eventText, eventTypeOf } from "../../../protocols/http/home-json.ts"
import { HomeRuntime, type Replica } from "../../../protocols/messages/home-runtime.ts"
import { changesTexts, firstText } from "../../../protocols/socket/home-compressed.ts"
import { ListenerCounts, matchAll } from "../events.ts"
import { type EntityFilter, takesEntity } from "./entity-filter.ts"

type Tell = (eventText: string) => void

/** Subscriptions to the entities of one filter. */
interface Shape {
  readonly subscribers: Set<Tell>
  readonly leave: () => void
}

const makeEntityFeed = () => {
  const shapes = new Map<string, Shape>()

  const open = (replica: Replica, key: string, filter: EntityFilter): Shape => {
    const takes = takesEntity(filter)
    const subscribers = new Set<Tell>()
    const isWanted = (entry: BusEntry) => entry.kind === "changed" && (takes === null || takes(entry.entityId))
    const stop = replica.listen((entries) => {
      for (const text of changesTexts(entries.filter(isWanted))) for (const tell of subscribers) tell(text)
    })
    const shape: Shape = {
      subscribers,
      leave: () => {
        if (subscribers.size > 0) return
        stop()
        shapes.delete(key)
      },
    }
    shapes.set(key, shape)
    return shape
  }

  /** Tells the states that there are, and then their changes, in one go; answers how to end. */
  return (replica: Replica, filter: EntityFilter, tell: Tell): () => void => {
    const key = JSON.stringify([filter.entity_ids ?? [], filter.include ?? null, filter.exclude ?? null])
    const shape = shapes.get(key) ?? open(replica, key, filter)
    const takes = takesEntity(filter)
    const states = replica.all()
    tell(firstText(takes === null ? states : states.filter(({ entityId }) => takes(entityId))))
    shape.subscribers.add(tell)
    return () => {
      shape.subscribers.delete(tell)
      shape.leave()
    }
  }
}

/** The feeds of a node. */
export const makeHomeFeeds = Effect.gen(function* () {
  const { replica } = yield* HomeRuntime
  const counts = yield* ListenerCounts
  const entities = makeEntityFeed()
  return {
    /** States of the entities of a filter, and then their changes. */
    entities: (filter: EntityFilter) => Effect.map(replica, (opened) => (tell: Tell) => entities(opened, filter, tell)),
    /** Events of a type; of all but reports where it is `*`. */
    events: (eventType: string) =>
      Effect.map(replica, ({ listen }) => (tell: Tell): () => void => {
        const leave = counts.enter(eventType)
        const stop = listen((entries) => {
          for (const entry of entries) {
            const wanted = eventType === matchAll ? entry.kind !== "reported" : eventTypeOf(entry) === eventType
            if (wanted) tell(eventText(entry))
          }
        })
        return () => {
          stop()
          leave()
        }
      }),
    /** Entries as they come. */
    entries: Effect.map(replica, ({ listen }) => listen),
  }
})
export type HomeFeeds = Effect.Success<typeof makeHomeFeeds>
