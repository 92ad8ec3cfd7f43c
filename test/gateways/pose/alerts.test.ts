import { Cause, Effect, Queue, Schema, Stream } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Alert } from "../../../protocols/domain/event.ts"
import { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { AlertMessage } from "../../../protocols/pose-api/socket-alert.ts"
import { ServerMessage } from "../../../protocols/pose-api/socket-messages.ts"
import { makeAlert } from "../../harness/events.ts"
import { type Gateway, startGateway } from "./harness.ts"
import { connectSocket, type SocketClient } from "./socket-client.ts"

let gateway: Gateway
/** The open streams, and the alerts that an environment sends to new subscribers. */
let streams: Set<Queue.Queue<Alert | null, Cause.Done>>
let opened: number
let first: ReadonlyArray<Alert>

beforeEach(async () => {
  gateway = await startGateway()
  streams = new Set()
  opened = 0
  first = []
  gateway.world.alerts = () =>
    Stream.unwrap(Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Alert | null, Cause.Done>()
      for (const alert of first) Queue.offerUnsafe(queue, alert)
      opened++
      streams.add(queue)
      yield* Effect.addFinalizer(() => Effect.sync(() => streams.delete(queue)))
      return Stream.fromQueue(queue)
    }))
})
afterEach(() => gateway.stop())

const publish = (...alerts: ReadonlyArray<Alert>) => {
  for (const queue of streams) for (const alert of alerts) Queue.offerUnsafe(queue, alert)
}
const strictly = { onExcessProperty: "error" } as const

const established = async (query = "", role: "viewer" | "operator" = "viewer"): Promise<SocketClient> => {
  const client = await connectSocket(gateway.url, { query: `?token=${await gateway.token(role)}${query}` })
  await client.next("connection_established")
  return client
}
const subscribed = async (client: SocketClient, filters: Record<string, unknown> = {}) => {
  client.send({ type: "subscribe", channel: "alerts", filters })
  const confirmed = await client.next("subscription_confirmed")
  await vi.waitFor(() => expect(streams.size).toBe(1))
  return confirmed
}
/** Everything that came of alerts, once `last` is among it. */
const reported = async (client: SocketClient, last: (message: { readonly alert_id: string }) => boolean) => {
  await vi.waitFor(() => expect(ofAlerts(client).some(last)).toBe(true))
  return ofAlerts(client)
}
const ofAlerts = ({ received }: SocketClient) => received.filter(({ type }) => type.startsWith("alert"))

describe("alerts", () => {
  it("are confirmed with the applied filters, and sent in the bare form", async () => {
    const client = await established()
    const confirmed = await subscribed(client, { severity: ["high", "critical"], colour: "red" })
    Schema.decodeUnknownSync(ServerMessage.subscription_confirmed)(confirmed, strictly)
    expect(confirmed).toMatchObject({
      channel: "alerts",
      filters_applied: { environment_id: null, alert_types: null, severity: ["high", "critical"] },
    })
    publish(makeAlert("one", "open", 2))
    const message = await client.next("alert")
    Schema.decodeUnknownSync(AlertMessage.bare)(message, strictly)
    expect(message).toMatchObject({
      subscription_id: confirmed.subscription_id,
      alert_id: "one",
      timestamp: "2026-01-05T09:30:10.000Z",
      alert_type: "fall_detection",
      severity: "high",
      status: "open",
      data: { person_id: 7, location: { x: 1.5, y: 2.25 }, confidence: 0.8123, video_clip_url: null },
      actions_required: ["medical_response", "notification"],
      metadata: {
        environment_id: "living-room",
        began_at: "2026-01-05T09:30:00.000Z",
        provenance: { source: "simulated", model_version: "test", links_used: 3 },
      },
    })
  })

  it("are sent in the envelope form on request", async () => {
    const client = await established("&form=envelope")
    await subscribed(client)
    publish(
      makeAlert("one", "open", 2, {
        type: "intrusion",
        personId: null,
        location: null,
        zone: { zoneId: "z", name: "Z" },
      }),
    )
    const message = await client.next("alert")
    Schema.decodeUnknownSync(AlertMessage.envelope)(message, strictly)
    expect(message).toMatchObject({
      environment_id: "living-room",
      data: { person_id: null, track_id: null, location: null },
      actions_required: ["notification"],
      metadata: { zone: { zone_id: "z", zone_name: "Z" } },
    })
  })

  it("are sent once each, and their later revisions as updates with the same id", async () => {
    const client = await established()
    await subscribed(client)
    publish(
      makeAlert("one", "open", 2),
      makeAlert("one", "open", 2),
      makeAlert("one", "open", 3, { severity: "critical" }),
      makeAlert("one", "acknowledged", 4),
      makeAlert("one", "open", 3),
      makeAlert("one", "cleared", 5),
      makeAlert("two", "open", 2),
    )
    const messages = await reported(client, ({ alert_id }) => alert_id === "two")
    expect(messages.map(({ alert_id, severity, status, type }) => [type, alert_id, status, severity])).toEqual([
      ["alert", "one", "open", "high"],
      ["alert_update", "one", "open", "critical"],
      ["alert_update", "one", "acknowledged", "high"],
      ["alert_update", "one", "cleared", "high"],
      ["alert", "two", "open", "high"],
    ])
    expect(messages[3]).toMatchObject({ actions_required: [], metadata: { resolution: "recovered" } })
    for (const message of messages) Schema.decodeUnknownSync(AlertMessage.bare)(message, strictly)
  })

  it("pass the filters of each subscription; an alert that escalates is sent then, and its end to those that received it", async () => {
    const client = await established()
    const all = await subscribed(client)
    const critical = await subscribed(client, { severity: ["critical"] })
    const intrusions = await subscribed(client, { alert_types: ["intrusion"] })
    publish(
      makeAlert("one", "open", 2),
      makeAlert("one", "open", 3, { severity: "critical" }),
      makeAlert("one", "cleared", 4, { severity: "critical" }),
      makeAlert("two", "open", 2, { type: "intrusion" }),
    )
    const messages = await reported(
      client,
      (message) =>
        message.alert_id === "two" &&
        (message as { subscription_id?: string }).subscription_id === intrusions.subscription_id,
    )
    const of = (id: string) =>
      messages.filter(({ subscription_id }) => subscription_id === id).map(({ alert_id, status, type }) =>
        `${type} ${alert_id} ${status}`
      )
    expect(of(all.subscription_id)).toEqual([
      "alert one open",
      "alert_update one open",
      "alert_update one cleared",
      "alert two open",
    ])
    expect(of(critical.subscription_id)).toEqual(["alert one open", "alert_update one cleared"])
    expect(of(intrusions.subscription_id)).toEqual(["alert two open"])
    expect(opened).toBe(1)
  })

  it("that are open are sent to later subscribers, and cleared ones are not", async () => {
    first = [makeAlert("over", "cleared", 3), makeAlert("open", "open", 2)]
    const client = await established()
    await subscribed(client)
    expect((await client.next("alert")).alert_id).toBe("open")
    const late = await established()
    await subscribed(late)
    expect((await late.next("alert")).alert_id).toBe("open")
    publish(makeAlert("new", "open", 2))
    expect((await reported(late, ({ alert_id }) => alert_id === "new")).map(({ alert_id }) => alert_id)).toEqual([
      "open",
      "new",
    ])
  })

  it("are neither lost nor sent twice when the stream fails", async () => {
    const client = await established()
    await subscribed(client)
    publish(makeAlert("one", "open", 2))
    await client.next("alert")
    // While the stream is away, one is cleared, another comes and goes, and a third comes.
    first = [makeAlert("one", "cleared", 3), makeAlert("two", "cleared", 3), makeAlert("three", "open", 2)]
    for (const queue of streams) Queue.endUnsafe(queue)
    const messages = await reported(client, ({ alert_id }) => alert_id === "three")
    expect(messages.map(({ alert_id, status, type }) => `${type} ${alert_id} ${status}`)).toEqual([
      "alert one open",
      "alert_update one cleared",
      "alert two cleared",
      "alert three open",
    ])
    expect(opened).toBe(2)
  })

  it("end when they are cancelled, and the stream ends with the last one", async () => {
    const client = await established()
    const { subscription_id } = await subscribed(client)
    client.send({ type: "unsubscribe", subscription_id })
    await client.next("unsubscribed")
    await vi.waitFor(() => expect(streams.size).toBe(0))
  })

  it("of a removed environment end with an error", async () => {
    gateway.world.alerts = (environmentId) => Stream.fail(UnknownEnvironment.of(environmentId))
    const client = await established()
    client.send({ type: "subscribe", channel: "alerts", filters: { environment_id: "living-room" } })
    const { subscription_id } = await client.next("subscription_confirmed")
    expect(await client.next("error")).toMatchObject({ subscription_id, error: { code: "RESOURCE_NOT_FOUND" } })
  })

  it("cover all environments although one was removed; a filter selects one", async () => {
    gateway.world.environments.push({ environmentId: "attic", name: "Attic", geometry: null })
    gateway.world.environments.push({ environmentId: "gone", name: "Gone", geometry: null })
    const alerts = gateway.world.alerts
    gateway.world.alerts = (environmentId) =>
      environmentId === "gone"
        ? Stream.fail(UnknownEnvironment.of(environmentId))
        : environmentId === "attic"
        ? Stream.concat(Stream.make(makeAlert("attic-1", "open", 2, { environmentId })), Stream.never)
        : alerts(environmentId)
    const client = await established()
    const confirmed = await subscribed(client)
    expect(confirmed.filters_applied.environment_id).toBeNull()
    client.send({ type: "subscribe", channel: "alerts", filters: { environment_id: "living-room" } })
    const one = await client.next("subscription_confirmed")
    publish(makeAlert("room-1", "open", 2, { environmentId: "living-room" }))
    await vi.waitFor(() => expect(ofAlerts(client)).toHaveLength(3))
    const of = (id: string) =>
      ofAlerts(client).flatMap((alert) => alert.subscription_id === id ? [[alert.alert_id, alert.environment_id]] : [])
    expect(of(confirmed.subscription_id).sort()).toEqual([["attic-1", "attic"], ["room-1", "living-room"]])
    expect(of(one.subscription_id)).toEqual([["room-1", "living-room"]])
    expect(client.received.filter(({ type }) => type === "error")).toEqual([])
  })

  it("cannot be subscribed to with invalid filters or for an unknown environment", async () => {
    const client = await established()
    client.send({ type: "subscribe", channel: "alerts", filters: { severity: ["extreme"] } })
    const { error } = await client.next("error")
    expect([error.code, error.details.field_errors[0].field]).toEqual(["VALIDATION_ERROR", "severity.0"])
    client.send({ type: "subscribe", channel: "alerts", filters: { environment_id: "attic" } })
    expect((await client.next("error")).error.code).toBe("RESOURCE_NOT_FOUND")
  })
})

describe("an alert", () => {
  const open = async (role: "viewer" | "operator") => {
    const client = await established("", role)
    await subscribed(client)
    publish(makeAlert("one", "open", 2))
    await client.next("alert")
    return client
  }

  it("is acknowledged by an operator, whose name is recorded", async () => {
    const client = await open("operator")
    client.send({ type: "acknowledge", alert_id: "one" })
    Schema.decodeUnknownSync(ServerMessage.acknowledged)(await client.next("acknowledged"), strictly)
    expect(gateway.world.acknowledged).toEqual([{ alertId: "one", by: "otto" }])
  })

  it("is not acknowledged by a viewer, nor if it is not open or unknown", async () => {
    const viewer = await open("viewer")
    viewer.send({ type: "acknowledge", alert_id: "one" })
    expect((await viewer.next("error")).error.message).toContain("write:events")
    viewer.socket.close()
    await vi.waitFor(() => expect(streams.size).toBe(0))
    const operator = await open("operator")
    operator.send({ type: "acknowledge", alert_id: "two" })
    expect((await operator.next("error")).error.details.field_errors[0].field).toBe("alert_id")
    expect(gateway.world.acknowledged).toEqual([])
    gateway.world.acknowledges = false
    operator.send({ type: "acknowledge", alert_id: "one" })
    expect((await operator.next("error")).error.details.field_errors[0].field).toBe("alert_id")
  })
})
