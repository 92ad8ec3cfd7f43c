/**
 * Handlers of events: counts listeners per event type, and fires events of clients.
 */
import { Context, Effect, Layer } from "effect"
import { eventTypeLengthMax } from "../../../protocols/domain/home.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { jsonAnswer, messageAnswer } from "../server/answer.ts"
import { isObject, readExactJson } from "../server/json.ts"
import { route } from "../server/route.ts"

/** The type that stands for every type of event. */
export const matchAll = "*"

/** How many clients of this node listen to each type of event. */
export class ListenerCounts extends Context.Service<ListenerCounts, {
  /** Counts a listener until the returned function is called. */
  readonly enter: (eventType: string) => () => void
  readonly all: () => ReadonlyArray<readonly [eventType: string, count: number]>
}>()("wavepose/gateways/ListenerCounts") {
  static readonly layer: Layer.Layer<ListenerCounts> = Layer.sync(ListenerCounts, () => {
    const counts = new Map<string, number>()
    const add = (eventType: string, difference: 1 | -1) => {
      const count = (counts.get(eventType) ?? 0) + difference
      if (count === 0) counts.delete(eventType)
      else counts.set(eventType, count)
    }
    return {
      enter: (eventType) => {
        add(eventType, 1)
        return () => add(eventType, -1)
      },
      all: () => [...counts],
    }
  })
}

export const eventRoutes = [
  route(
    "GET",
    "/api/events",
    () =>
      Effect.map(
        ListenerCounts,
        ({ all }) => jsonAnswer(JSON.stringify(all().map(([event, listener_count]) => ({ event, listener_count })))),
      ),
  ),

  route("POST", "/api/events/{event_type}", ({ body, params, user }) =>
    Effect.gen(function* () {
      const eventType = params["event_type"]!
      const text = yield* body
      const data = text === "" ? {} : readExactJson(text)
      if (data === undefined) return messageAnswer(400, "Event data should be valid JSON.")
      if (data !== null && !isObject(data)) return messageAnswer(400, "Event data should be a JSON object")
      if (eventType.length > eventTypeLengthMax) {
        return messageAnswer(400, `Event type should have at most ${eventTypeLengthMax} characters.`)
      }
      const runtime = yield* HomeRuntime
      const context = yield* runtime.context(user.id)
      yield* runtime.fire({ eventType, data: data ?? {}, origin: "REMOTE", context })
      return messageAnswer(200, `Event ${eventType} fired.`)
    })),
]
