/** Webhooks from the event to the endpoint, with a real store and endpoint, on a test clock. */
import { Effect, Layer, ManagedRuntime, Random, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { EncryptionKeys } from "../../../actors/store/encryption/encryption-keys.ts"
import { EventStore } from "../../../actors/store/events/events.ts"
import { WebhookQueue } from "../../../actors/store/events/webhook-queue.ts"
import { deliverDue, layerDeliverer } from "../../../actors/webhooks/deliverer.ts"
import { layerWebhookProbe } from "../../../actors/webhooks/probe.ts"
import { makeSend } from "../../../actors/webhooks/sender.ts"
import { layerPrivacyClasses, type NodeClasses } from "../../../deploy/settings/edge-settings.ts"
import { layerStores, type StoreOptions } from "../../../deploy/composition/service.ts"
import { layerEgressStates } from "../../../gateways/egress/egress-states.ts"
import { type EventType, eventTypes } from "../../../protocols/domain/event.ts"
import { attemptsMax, deliveriesPerHourMax } from "../../../protocols/domain/webhook.ts"
import { defaultPrivacy } from "../../../protocols/domain/configuration.ts"
import { WebhookMessage } from "../../../protocols/pose-api/webhook-message.ts"
import { Analytics } from "../../../protocols/ports/analytics.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { EgressStates } from "../../../protocols/ports/egress.ts"
import { WebhookProbe } from "../../../protocols/ports/webhook-probe.ts"
import { Webhooks } from "../../../protocols/ports/webhooks.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import type { TestDatabase } from "../../harness/database.ts"
import { incidentEvent, zoneEvent } from "../../harness/events.ts"
import { useStores } from "../../harness/stores.ts"
import { isGenuine, startEndpoint } from "./endpoint.ts"

const startMs = Date.UTC(2026, 0, 5, 10)
const hourMs = 3_600_000
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`

const keysOf = (fill: number) => ({
  given: [Redacted.make(Buffer.alloc(32, fill).toString("base64"))],
  file: "/dev/null",
  mayMake: false,
})

/** All other nodes are anonymous. */
const classes: NodeClasses = { standard: 2, byNode: new Map([["raw-node", 0], ["derived-node", 1], ["shy-node", 3]]) }

const layerOf = ({ location }: TestDatabase, privacy: StoreOptions["privacy"] = null) =>
  Layer.mergeAll(layerStores(location, { keys: keysOf(1), privacy }), layerPrivacyClasses(classes), layerEgressStates)

type Services = Layer.Success<ReturnType<typeof layerOf>>

const send = makeSend({ targets: "private" })

describe("webhooks", () => {
  const { database, run: runNow } = useStores(layerOf)
  let endpoint: Awaited<ReturnType<typeof startEndpoint>>
  beforeEach(async () => void (endpoint = await startEndpoint()))
  afterEach(async () => {
    await endpoint.stop()
    await runNow(
      Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.andThen(sql`DELETE FROM webhooks`, sql`DELETE FROM events`)),
    )
  })

  /** Runs on a clock that starts at `startMs`, with the same randomness each time. */
  const run = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    runNow(
      Effect.andThen(TestClock.setTime(startMs), effect).pipe(
        Random.withSeed("webhooks"),
        Effect.provide(TestClock.layer()),
      ),
    )

  const create = (types: ReadonlyArray<EventType> = eventTypes, secret: string | null = null) =>
    Effect.flatMap(
      Webhooks,
      (webhooks) =>
        webhooks.create({ url: endpoint.url, description: "tests", eventTypes: types, secret, createdBy: "otto" }),
    )
  const append = (...events: Parameters<EventStore["Service"]["append"]>[0]) =>
    Effect.flatMap(EventStore, (store) => store.append(events))
  const state = (webhookId: string) =>
    Effect.map(Effect.flatMap(Webhooks, ({ one }) => one(webhookId)), (webhook) => webhook!)
  const idsReceived = () => endpoint.received.map(({ headers }) => headers["webhook-id"])

  it("are changed, disabled and enabled again, and keep what a change does not name", () =>
    run(Effect.gen(function* () {
      const { webhook: { webhookId } } = yield* create(["fall_detection"])
      const { change } = yield* Webhooks
      yield* append(incidentEvent(id(1), "open", 1))
      const disabled = yield* change(webhookId, { enabled: false }, "vera")
      expect(disabled).toMatchObject({
        disabledReason: "Disabled by vera.",
        disabledAtMs: startMs,
        waiting: 0,
        givenUp: 1,
      })
      yield* append(incidentEvent(id(2), "open", 1))
      const changed = yield* change(webhookId, { enabled: true, description: "ward 4", url: endpoint.url }, "vera")
      expect(changed).toMatchObject({
        disabledAtMs: null,
        disabledReason: null,
        description: "ward 4",
        eventTypes: ["fall_detection"],
      })
      yield* append(incidentEvent(id(3), "open", 1))
      yield* deliverDue(send)
      expect(idsReceived()).toEqual([`evt_${id(3)}_1`])
      expect(yield* change(id(9), { enabled: true }, "vera")).toBe(null)
    })))

  it("are tested by a signed message, which is neither repeated nor counted", () =>
    run(
      Effect.gen(function* () {
        const { secret, webhook: { webhookId } } = yield* create()
        const { test } = yield* WebhookProbe
        expect(yield* test(webhookId)).toEqual({ sentAtMs: startMs, latencyMs: 0, error: null })
        const [received] = endpoint.received
        expect(JSON.parse(received!.body)).toEqual({
          type: "test",
          timestamp: new Date(startMs).toISOString(),
          data: { webhook_id: webhookId },
        })
        expect(isGenuine(received!, Buffer.from(secret.slice("whsec_".length), "base64"))).toBe(true)
        endpoint.world.answer = () => 500
        expect(yield* test(webhookId)).toMatchObject({ error: expect.stringContaining("500") })
        expect(yield* state(webhookId)).toMatchObject({ delivered: 0, waiting: 0, failingSinceMs: null })
        expect(yield* test(id(9))).toBe(null)
      }).pipe(Effect.provide(layerWebhookProbe({ targets: "private" }))),
    ))

  it("send an endpoint its types of events, signed, with their provenance", () =>
    run(Effect.gen(function* () {
      const { secret, webhook } = yield* create(["fall_detection"])
      expect(secret).toMatch(/^whsec_/)
      yield* append(incidentEvent(id(1), "open", 3), zoneEvent(id(2)))
      yield* deliverDue(send)
      expect(idsReceived()).toEqual([`evt_${id(1)}_3`])
      const [received] = endpoint.received
      expect(isGenuine(received!, Buffer.from(secret.slice("whsec_".length), "base64"))).toBe(true)
      expect(received!.headers["webhook-timestamp"]).toBe(String(startMs / 1000))
      const message = Schema.decodeUnknownSync(WebhookMessage)(JSON.parse(received!.body), {
        onExcessProperty: "error",
      })
      expect(message).toMatchObject({
        type: "fall_detection",
        data: {
          event_id: id(1),
          environment_id: "living-room",
          person_id: 7,
          metadata: {
            fall_duration: 3,
            impact_severity: "medium",
            recovery_detected: false,
            provenance: { source: "simulated", model_version: "test" },
          },
          alert: { alert_type: "fall_detection", status: "open" },
        },
      })
      expect(yield* state(webhook.webhookId)).toMatchObject({
        delivered: 1,
        waiting: 0,
        lastSuccessMs: startMs,
        failingSinceMs: null,
      })
    })), 30_000)

  it(
    "send events after their creation, an incident once it is an alert, and its newest revision",
    () =>
      run(Effect.gen(function* () {
        yield* append(zoneEvent(id(1)))
        yield* create()
        yield* append(incidentEvent(id(2), "waiting", 1))
        yield* append(incidentEvent(id(3), "withdrawn", 2))
        yield* deliverDue(send)
        expect(idsReceived()).toEqual([])
        yield* append(incidentEvent(id(2), "open", 2))
        yield* append(incidentEvent(id(2), "acknowledged", 3))
        // A repetition and an older revision change nothing.
        yield* append(incidentEvent(id(2), "acknowledged", 3), incidentEvent(id(3), "withdrawn", 2))
        yield* append(incidentEvent(id(2), "open", 2))
        yield* deliverDue(send)
        expect(idsReceived()).toEqual([`evt_${id(2)}_3`])
        yield* append(incidentEvent(id(2), "cleared", 4))
        yield* deliverDue(send)
        yield* deliverDue(send)
        expect(idsReceived()).toEqual([`evt_${id(2)}_3`, `evt_${id(2)}_4`])
      })),
    30_000,
  )

  it("lose no revision that arrives while an older one is sent", () =>
    run(Effect.gen(function* () {
      yield* create()
      yield* append(incidentEvent(id(1), "open", 1))
      const store = yield* EventStore
      let appended: Promise<void> | undefined
      endpoint.world.answer = (_, response) => {
        appended ??= Effect.runPromise(store.append([incidentEvent(id(1), "cleared", 2)]))
        void appended.then(() => response.writeHead(204).end())
        return undefined
      }
      yield* deliverDue(send)
      yield* deliverDue(send)
      expect(idsReceived()).toEqual([`evt_${id(1)}_1`, `evt_${id(1)}_2`])
    })), 30_000)

  it(
    "retry with growing delays and one message at a time, and send the rest after a success",
    () =>
      run(Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* append(...[1, 2, 3, 4, 5, 6].map((n) => zoneEvent(id(n))))
        endpoint.world.answer = () => 503
        yield* deliverDue(send)
        // Messages in flight beside the first failure have ended as well.
        const tries = endpoint.received.length
        expect(tries).toBeLessThanOrEqual(4)
        expect(yield* state(webhook.webhookId)).toMatchObject({
          waiting: 6,
          delivered: 0,
          failingSinceMs: startMs,
          lastError: "The endpoint answered 503.",
        })
        yield* TestClock.adjust(3_000)
        yield* deliverDue(send)
        expect(endpoint.received).toHaveLength(tries)
        yield* TestClock.adjust(60_000)
        yield* deliverDue(send)
        expect(endpoint.received).toHaveLength(tries + 1)
        endpoint.world.answer = () => 200
        yield* TestClock.adjust(hourMs)
        yield* deliverDue(send)
        expect(yield* state(webhook.webhookId)).toMatchObject({ delivered: 1, failingSinceMs: null, lastError: null })
        yield* deliverDue(send)
        expect(yield* state(webhook.webhookId)).toMatchObject({ delivered: 6, waiting: 0 })
        expect(new Set(idsReceived()).size).toBe(6)
      })),
    30_000,
  )

  it.each([
    ["enabled again", { enabled: true }],
    ["given a URL", { url: "" }],
  ])("are tried at once when the endpoint is %s after failures", (_, changes) =>
    run(Effect.gen(function* () {
      const { webhook: { webhookId } } = yield* create()
      yield* append(zoneEvent(id(1)))
      endpoint.world.answer = () => 503
      for (let attempt = 0; attempt < 5; attempt++) {
        yield* deliverDue(send)
        yield* TestClock.adjust(hourMs)
      }
      yield* deliverDue(send)
      endpoint.world.answer = () => 200
      yield* deliverDue(send)
      expect(yield* state(webhookId)).toMatchObject({ delivered: 0, waiting: 1 })
      const change = (yield* Webhooks).change
      yield* change(webhookId, "url" in changes ? { url: endpoint.url } : changes, "vera")
      yield* deliverDue(send)
      expect(yield* state(webhookId)).toMatchObject({ delivered: 1, waiting: 0 })
    })), 30_000)

  it("abandon a message that is never accepted, and continue with the others", () =>
    run(Effect.gen(function* () {
      const { webhook } = yield* create()
      yield* append(zoneEvent(id(1)))
      endpoint.world.answer = ({ headers }) => headers["webhook-id"] === `evt_${id(1)}_1` ? 400 : 200
      for (let attempt = 0; attempt < attemptsMax - 1; attempt++) {
        yield* deliverDue(send)
        yield* TestClock.adjust(1.3 * hourMs)
      }
      yield* append(zoneEvent(id(2)))
      yield* deliverDue(send)
      yield* deliverDue(send)
      yield* TestClock.adjust(1.3 * hourMs)
      yield* deliverDue(send)
      expect(idsReceived().filter((message) => message === `evt_${id(1)}_1`)).toHaveLength(attemptsMax)
      expect(yield* state(webhook.webhookId)).toMatchObject({ delivered: 1, givenUp: 1, waiting: 0 })
    })), 60_000)

  it(
    "send a revision that arrives during the last attempt of an older one, with all of its attempts",
    () =>
      run(Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* append(incidentEvent(id(1), "open", 1))
        const store = yield* EventStore
        endpoint.world.answer = () => 400
        for (let attempt = 0; attempt < attemptsMax - 1; attempt++) {
          yield* deliverDue(send)
          yield* TestClock.adjust(1.3 * hourMs)
        }
        let appended: Promise<void> | undefined
        endpoint.world.answer = (_, response) => {
          appended ??= Effect.runPromise(store.append([incidentEvent(id(1), "cleared", 2)]))
          void appended.then(() => response.writeHead(400).end())
          return undefined
        }
        yield* deliverDue(send)
        expect(new Set(idsReceived())).toEqual(new Set([`evt_${id(1)}_1`]))
        expect(yield* state(webhook.webhookId)).toMatchObject({ givenUp: 1, waiting: 1 })
        yield* TestClock.adjust(1.3 * hourMs)
        yield* deliverDue(send)
        endpoint.world.answer = () => 204
        yield* TestClock.adjust(1.3 * hourMs)
        yield* deliverDue(send)
        expect(idsReceived().slice(attemptsMax)).toEqual([`evt_${id(1)}_2`, `evt_${id(1)}_2`])
        expect(yield* state(webhook.webhookId)).toMatchObject({ delivered: 1, givenUp: 1, waiting: 0 })
      })),
    60_000,
  )

  it("give a newer revision all of its attempts", () =>
    run(Effect.gen(function* () {
      const { webhook } = yield* create()
      const sql = yield* SqlClient.SqlClient
      yield* append(incidentEvent(id(1), "open", 1))
      yield* sql`UPDATE webhook_deliveries SET attempts = ${attemptsMax - 1}, due_at = due_at + interval '1 hour'`
      yield* append(incidentEvent(id(1), "cleared", 2))
      endpoint.world.answer = () => 400
      yield* deliverDue(send)
      expect(idsReceived()).toEqual([`evt_${id(1)}_2`])
      expect(yield* state(webhook.webhookId)).toMatchObject({ givenUp: 0, waiting: 1 })
    })), 30_000)

  it("are disabled with a reason when an endpoint accepts nothing for a day", () =>
    run(Effect.gen(function* () {
      const { webhook } = yield* create()
      endpoint.world.answer = () => 500
      for (let hour = 0; hour <= 24; hour++) {
        yield* append(zoneEvent(id(hour)))
        yield* deliverDue(send)
        yield* TestClock.adjust(1.3 * hourMs)
        if ((yield* state(webhook.webhookId)).disabledAtMs !== null) break
      }
      const disabled = yield* state(webhook.webhookId)
      expect(disabled.disabledAtMs! - startMs).toBeGreaterThanOrEqual(24 * hourMs)
      expect(disabled.disabledReason).toContain("nothing for 24 hours")
      expect(disabled.waiting).toBe(0)
      const tries = endpoint.received.length
      yield* append(zoneEvent(id(99)))
      yield* deliverDue(send)
      expect(endpoint.received).toHaveLength(tries)
    })), 60_000)

  it("are disabled at once by an endpoint that is gone", () =>
    run(Effect.gen(function* () {
      const { webhook } = yield* create()
      yield* append(zoneEvent(id(1)))
      endpoint.world.answer = () => 410
      yield* deliverDue(send)
      expect(yield* state(webhook.webhookId)).toMatchObject({
        disabledAtMs: startMs,
        disabledReason: expect.stringContaining("410"),
        givenUp: 1,
      })
    })), 30_000)

  it(
    "limit the messages of an endpoint per hour; the rest waits for the next hour",
    () =>
      run(Effect.gen(function* () {
        const { webhook } = yield* create()
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE webhooks SET hour_count = ${deliveriesPerHourMax - 2}`
        yield* append(...[1, 2, 3].map((n) => zoneEvent(id(n))))
        yield* deliverDue(send)
        yield* deliverDue(send)
        expect(endpoint.received).toHaveLength(2)
        expect(yield* state(webhook.webhookId)).toMatchObject({ waiting: 1, failingSinceMs: null })
        yield* TestClock.adjust(hourMs)
        yield* deliverDue(send)
        expect(endpoint.received).toHaveLength(3)
        // An hour that began on a clock that was ahead.
        yield* sql`UPDATE webhooks SET hour_count = ${deliveriesPerHourMax}, hour_began_at = hour_began_at + interval '1 year'`
        yield* append(zoneEvent(id(4)))
        yield* deliverDue(send)
        expect(endpoint.received).toHaveLength(4)
      })),
    30_000,
  )

  it("abandon deliveries after a day, and those of deleted events", () =>
    run(Effect.gen(function* () {
      const { webhook } = yield* create()
      const sql = yield* SqlClient.SqlClient
      yield* append(zoneEvent(id(1)))
      yield* TestClock.adjust(23 * hourMs)
      yield* append(zoneEvent(id(2)), zoneEvent(id(3)))
      yield* sql`DELETE FROM events WHERE event_id = ${id(3)}`
      yield* TestClock.adjust(hourMs)
      yield* (yield* WebhookQueue).expire(startMs + 24 * hourMs)
      expect(yield* state(webhook.webhookId)).toMatchObject({ givenUp: 2, waiting: 1 })
    })), 30_000)

  it("do not wait for an unreachable endpoint of another webhook", () =>
    run(Effect.gen(function* () {
      const deaf = yield* Effect.promise(() => startEndpoint())
      yield* Effect.promise(() => deaf.stop())
      yield* Effect.flatMap(Webhooks, (webhooks) =>
        webhooks.create({
          url: deaf.url,
          description: "",
          eventTypes: eventTypes,
          secret: null,
          createdBy: "otto",
        }))
      yield* create()
      yield* append(zoneEvent(id(1)))
      yield* deliverDue(send)
      expect(idsReceived()).toEqual([`evt_${id(1)}_1`])
      const all = yield* Effect.flatMap(Webhooks, ({ all }) => all)
      expect(all.map(({ waiting }) => waiting)).toEqual([1, 0])
    })), 30_000)

  it("encrypt their secrets, and report a node with another key", () =>
    run(Effect.gen(function* () {
      const secret = "a secret of my own, quite long"
      const { webhook } = yield* create(eventTypes, secret)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ secret: Uint8Array }>`SELECT secret FROM webhooks`
      expect(Buffer.from(row!.secret).includes(secret)).toBe(false)
      yield* append(zoneEvent(id(1)))
      yield* deliverDue(send).pipe(Effect.provide(EncryptionKeys.layer(keysOf(2))))
      expect(endpoint.received).toEqual([])
      expect(yield* state(webhook.webhookId)).toMatchObject({
        waiting: 1,
        lastError: expect.stringContaining("WAVEPOSE_ENCRYPTION_KEY"),
      })
      yield* TestClock.adjust(hourMs)
      yield* deliverDue(send)
      expect(isGenuine(endpoint.received[0]!, secret)).toBe(true)
    })), 30_000)

  it("include persons and locations, as reports do, although events are stored encrypted", async () => {
    const privacy = Effect.succeed({ ...defaultPrivacy, enableEncryption: true })
    const sealing = ManagedRuntime.make(layerOf(database(), privacy))
    await sealing.runPromise(Effect.gen(function* () {
      yield* create(["fall_detection"])
      yield* append(incidentEvent(id(1), "open", 3))
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ body: unknown }>`SELECT body FROM events`
      expect(row!.body).toMatchObject({ personId: null, location: null })
      yield* deliverDue(send)
      const personal = { person_id: 7, location: { x: 1.5, y: 2.25 } }
      expect(JSON.parse(endpoint.received[0]!.body)).toMatchObject({ data: personal })
      const scope = { environmentId: null, fromMs: startMs - hourMs, toMs: startMs + hourMs }
      const all = { types: null, alerted: false, severity: null, before: null, limit: 10 }
      const events = yield* (yield* Analytics).events(scope, all)
      expect(events).toMatchObject([{ personId: 7, location: { x: 1.5, y: 2.25 } }])
    }))
    await sealing.dispose()
  }, 30_000)

  it(
    "do not send events of an environment with a node whose class must not leave, and report the reason; they send those of a restricted one",
    () =>
      run(Effect.gen(function* () {
        const { enrol } = yield* Directory
        const { webhook } = yield* create()
        for (const [n, nodeId] of ["raw-node", "derived-node", "shy-node"].entries()) {
          const environmentId = `room-of-${nodeId}`
          yield* enrol({ environmentId, name: environmentId, geometry: null }, [nodeId, `open-node-${n}`])
          yield* append({ ...zoneEvent(id(10 + n)), environmentId })
        }
        yield* deliverDue(send)
        expect(endpoint.received.map(({ body }) => JSON.parse(body).data.environment_id)).toEqual(["room-of-shy-node"])
        expect(yield* state(webhook.webhookId)).toMatchObject({ delivered: 1, waiting: 0, givenUp: 2 })
        const reported = yield* (yield* EgressStates).current
        expect(reported).toMatchObject([{ destination: "webhook", status: "refused" }])
        expect(reported[0]!.reason).toMatch(/may not leave by webhooks: only anonymous \(2\) and restricted \(3\) may/)
      })),
    30_000,
  )

  it("are delivered by the singleton of the cluster, including the queue of its predecessor", async () => {
    await runNow(Effect.gen(function* () {
      yield* create()
      yield* append(zoneEvent(id(1)))
    }))
    const arrived = new Promise<void>((resolve) =>
      endpoint.world.answer = () => {
        if (endpoint.received.length === 2) resolve()
        return 204
      }
    )
    const deliverer = layerDeliverer({ targets: "private" }).pipe(Layer.provideMerge(clusterLayer))
    await runNow(Effect.scoped(Effect.gen(function* () {
      yield* Layer.build(deliverer)
      yield* append(zoneEvent(id(2)))
      yield* Effect.promise(() => arrived)
    })))
    expect(new Set(idsReceived())).toEqual(new Set([`evt_${id(1)}_1`, `evt_${id(2)}_1`]))
  }, 60_000)
})
