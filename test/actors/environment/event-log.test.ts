import { Effect, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeEventLog } from "../../../actors/environment/event-log.ts"
import type { ActivityEvent, Alert, IncidentStatus } from "../../../protocols/domain/event.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { defaultPrivacy } from "../../../protocols/domain/configuration.ts"
import { incidentEvent, zoneEvent } from "../../harness/events.ts"

/** A log over an archive that can be made to fail. */
const run = <A>(
  use: (site: {
    readonly log: Effect.Success<ReturnType<typeof makeEventLog>>
    readonly stored: Map<string, ActivityEvent>
    readonly appends: () => number
    readonly fail: (fails: boolean) => void
    /** Begins to watch; answers what was shown. */
    readonly watch: Effect.Effect<{ readonly shown: Array<Alert>; readonly ended: () => boolean }, never, never>
  }) => Effect.Effect<A>,
  before: ReadonlyArray<ActivityEvent> = [],
  anonymise = false,
) => {
  const stored = new Map<string, ActivityEvent>()
  let fails = false
  let appends = 0
  const archive = {
    Incidents: () => Effect.succeed(before),
    AppendEvents: ({ events }: { readonly events: ReadonlyArray<ActivityEvent> }) =>
      Effect.suspend(() => {
        if (fails) return Effect.fail(new StoreUnavailable({ message: "The database failed." }))
        appends++
        for (const event of events) stored.set(event.eventId, event)
        return Effect.void
      }),
  }
  return Effect.gen(function* () {
    const log = yield* makeEventLog(
      archive as never,
      Effect.sync(() => ({ ...defaultPrivacy, anonymizeData: anonymise })),
    )
    const scope = yield* Effect.scope
    const watch = Effect.gen(function* () {
      const shown: Array<Alert> = []
      const fiber = yield* Effect.forkIn(
        Stream.runForEach(log.watch, (alert) => Effect.sync(() => void (alert !== null && shown.push(alert)))),
        scope,
      )
      yield* TestClock.adjust(1)
      return { shown, ended: () => fiber.pollUnsafe() !== undefined }
    })
    return yield* use({ log, stored, appends: () => appends, fail: (now) => void (fails = now), watch })
  }).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise)
}

const settle = TestClock.adjust(1)
const statuses = (shown: ReadonlyArray<Alert>): ReadonlyArray<IncidentStatus> => shown.map(({ status }) => status)

describe("event log", () => {
  it("stores events in batches, and publishes alerts alone", () =>
    run(({ appends, log, stored, watch }) =>
      Effect.gen(function* () {
        const { shown } = yield* watch
        yield* log.add([zoneEvent("1"), incidentEvent("2", "waiting", 1), incidentEvent("3", "open", 2)])
        yield* settle
        expect([...stored.keys()]).toEqual(["1", "2", "3"])
        expect(appends()).toBe(1)
        expect(shown.map(({ alertId }) => alertId)).toEqual(["3"])
      })
    ))

  it("publishes alerts while the store fails, and stores the newest revision when it is back", () =>
    run(({ appends, fail, log, stored, watch }) =>
      Effect.gen(function* () {
        fail(true)
        const { shown } = yield* watch
        yield* log.add([incidentEvent("1", "open", 2)])
        yield* settle
        yield* log.add([incidentEvent("1", "cleared", 3)])
        yield* TestClock.adjust("5 seconds")
        expect(statuses(shown)).toEqual(["open", "cleared"])
        expect(stored.size).toBe(0)
        fail(false)
        yield* TestClock.adjust("1 second")
        expect(stored.get("1")!.revision).toBe(3)
        expect(appends()).toBe(1)
      })
    ))

  it("answers for an event when it is stored, and fails while the store does", () =>
    run(({ fail, log, stored }) =>
      Effect.gen(function* () {
        fail(true)
        const kept = yield* log.keep(incidentEvent("1", "acknowledged", 3))
        const early = yield* Effect.forkChild(Effect.flip(kept))
        yield* TestClock.adjust("3 seconds")
        expect(yield* Fiber.join(early)).toMatchObject({ _tag: "StoreUnavailable" })
        const late = yield* Effect.forkChild(kept)
        yield* settle
        expect(late.pollUnsafe()).toBeUndefined()
        fail(false)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(late)
        expect(stored.get("1")!.revision).toBe(3)
        yield* kept
      }).pipe(Effect.orDie)
    ))

  it("keeps at most 2000 events for a store that fails, and drops those of incidents last", () =>
    run(({ fail, log, stored }) =>
      Effect.gen(function* () {
        fail(true)
        yield* log.add([incidentEvent("fall", "open", 2)])
        for (let i = 0; i < 30; i++) yield* log.add(Array.from({ length: 100 }, (_, k) => zoneEvent(`${i}-${k}`)))
        yield* settle
        fail(false)
        yield* TestClock.adjust("2 seconds")
        expect(stored.size).toBe(2_000)
        expect(stored.has("fall")).toBe(true)
        expect(stored.has("0-0")).toBe(false)
        expect(stored.has("29-99")).toBe(true)
      })
    ))

  it("sends a new subscriber the open alerts and the newest cleared ones", () =>
    run(({ log, watch }) =>
      Effect.gen(function* () {
        yield* log.add([incidentEvent("new", "open", 2)])
        const { shown } = yield* watch
        expect(shown.map(({ alertId, status }) => [alertId, status])).toEqual([
          ["old", "acknowledged"],
          ["over", "cleared"],
          ["new", "open"],
        ])
        expect(log.unfinished.map(({ eventId }) => eventId)).toEqual(["old", "held"])
      }), [
      incidentEvent("old", "acknowledged", 3),
      incidentEvent("over", "cleared", 3),
      incidentEvent("held", "waiting", 1),
    ]))

  it("remembers 64 cleared alerts and all that are open", () =>
    run(({ log, watch }) =>
      Effect.gen(function* () {
        for (let i = 0; i < 200; i++) yield* log.add([incidentEvent(`c${i}`, "cleared", 3)])
        for (let i = 0; i < 48; i++) yield* log.add([incidentEvent(`o${i}`, "open", 2)])
        const { shown } = yield* watch
        expect(shown.filter(({ status }) => status === "cleared").map(({ alertId }) => alertId)[0]).toBe("c136")
        expect(shown).toHaveLength(64 + 48)
      })
    ))

  it("disconnects a subscriber that reads nothing, and drops nothing of the others", () =>
    run(({ log, watch }) =>
      Effect.gen(function* () {
        const other = yield* watch
        const block = yield* Queue.unbounded<null>()
        const stuck = yield* Effect.forkChild(Stream.runForEach(log.watch, () => Queue.take(block)))
        yield* settle
        for (let i = 0; i < 20; i++) {
          for (let k = 0; k < 100; k++) yield* log.add([incidentEvent("one", "open", 2 + 100 * i + k)])
          yield* settle
        }
        expect(other.shown.map(({ revision }) => revision)).toEqual(Array.from({ length: 2_000 }, (_, i) => 2 + i))
        expect(other.ended()).toBe(false)
        for (let i = 0; i < 2_000; i++) Queue.offerUnsafe(block, null)
        yield* Fiber.await(stuck)
      })
    ))

  it("stores no persons while data are anonymised, and includes them in alerts", () =>
    run(
      ({ log, stored, watch }) =>
        Effect.gen(function* () {
          const { shown } = yield* watch
          yield* log.add([incidentEvent("1", "open", 2)])
          yield* settle
          expect(shown[0]!.personId).toBe(7)
          expect(stored.get("1")).toMatchObject({
            personId: null,
            incident: { key: "fall_detection:1", status: "open" },
          })
          expect(JSON.stringify(stored.get("1"))).not.toContain("fall:1")
        }),
      [],
      true,
    ))
})
