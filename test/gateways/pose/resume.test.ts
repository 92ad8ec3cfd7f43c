import { Cause, Layer, Queue, Schema } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import type { PoseFrame } from "../../../protocols/domain/pose.ts"
import { ServerMessage } from "../../../protocols/pose-api/socket-messages.ts"
import { StoredFramesDouble } from "../stored-frames.ts"
import { makeFrame, makePerson, share } from "./frames.ts"
import { type Gateway, startGateway } from "./harness.ts"
import { nothingStored } from "./ports.ts"
import { connectSocket, type SocketClient } from "./socket-client.ts"

let gateway: Gateway
let stored: StoredFramesDouble
let token: string

beforeEach(async () => {
  stored = new StoredFramesDouble()
  gateway = await startGateway({}, { history: Layer.merge(nothingStored, stored.layer) })
  token = await gateway.token("viewer")
})
afterEach(() => gateway.stop())

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const established = async (): Promise<SocketClient> => {
  const client = await connectSocket(gateway.url, { query: `?token=${token}` })
  await client.next("connection_established")
  return client
}

const persons = [makePerson(41, 0.9), makePerson(42, 0.4)]

const make = (from: number, to: number, over: Partial<PoseFrame> = {}) => {
  for (const frameId of ids(from, to)) {
    const frame = makeFrame({ persons, ...over, frameId })
    stored.store(frame)
    gateway.world.publish(share(frame))
  }
}

const watched = () => vi.waitFor(() => expect(gateway.world.watched.get("living-room")?.size).toBe(1))

const resume = (client: SocketClient, after_frame_id: number, more: Record<string, unknown> = {}) =>
  client.send({
    type: "subscribe",
    channel: "pose_updates",
    filters: { environment_id: "living-room", after_frame_id, ...more },
  })

const updatesOf = ({ received }: SocketClient) => received.filter(({ type }) => type === "pose_update")
const idsOf = (client: SocketClient, environmentId: string | null = null) =>
  updatesOf(client).flatMap(({ data, environment_id }) =>
    environmentId === null || environment_id === environmentId ? [data.frame_id] : []
  )

describe("a subscription after a frame id", () => {
  it("receives the stored frames through its filters, and then the live ones", async () => {
    make(1, 250)
    const client = await established()
    resume(client, 30, { min_confidence: 0.5 })
    const confirmed = await client.next("subscription_confirmed")
    Schema.decodeUnknownSync(ServerMessage.subscription_confirmed)(confirmed, { onExcessProperty: "error" })
    expect(confirmed.filters_applied).toMatchObject({ after_frame_id: 30, min_confidence: 0.5 })
    expect(confirmed.resumed).toEqual({ after_frame_id: 30, reason: null })
    await client.next("pose_update", ({ data }) => data.frame_id === 250)
    await watched()
    make(251, 255)
    await client.next("pose_update", ({ data }) => data.frame_id === 255)
    expect(idsOf(client)).toEqual(ids(31, 255))
    for (const update of updatesOf(client)) {
      expect(update.subscription_id).toBe(confirmed.subscription_id)
      expect(update.dropped).toBe(0)
      expect(update.data.persons).toHaveLength(1)
    }
    client.send({ type: "unsubscribe", subscription_id: confirmed.subscription_id })
    await client.next("unsubscribed")
    await vi.waitFor(() => expect(gateway.world.watched.size).toBe(0))
  })

  it("has every frame once and in order over several connections", async () => {
    make(1, 20)
    const received = [0]
    for (let round = 0; round < 6; round++) {
      const client = await established()
      const newest = 20 + 20 * round
      resume(client, received.at(-1)!)
      await client.next("pose_update", ({ data }) => data.frame_id === newest)
      await watched()
      make(newest + 1, newest + 10)
      await client.next("pose_update", ({ data }) => data.frame_id === newest + 10)
      client.socket.terminate()
      received.push(...idsOf(client))
      await vi.waitFor(() => expect(gateway.world.watched.size).toBe(0))
      make(newest + 11, newest + 20)
    }
    expect(received).toEqual(ids(0, 130))
  })

  it("loses no stored frame when its client reads slowly", async () => {
    const frames = 300
    make(1, frames, { persons: Array.from({ length: 100 }, (_, id) => makePerson(id, 0.9)) })
    const client = await established()
    client.socket.pause()
    resume(client, 0)
    await vi.waitFor(() => expect(stored.pages).toBeGreaterThan(0))
    client.socket.resume()
    await client.next("pose_update", ({ data }) => data.frame_id === frames)
    expect(idsOf(client)).toEqual(ids(1, frames))
  }, 30_000)

  it("receives the first available frame id if frames are missing", async () => {
    make(1, 10)
    stored.deleteUpTo(6)
    const client = await established()
    resume(client, 2)
    expect((await client.next("subscription_confirmed")).resumed).toEqual({
      after_frame_id: 6,
      reason: "The frames 3 to 6 are no longer stored.",
    })
    await client.next("pose_update", ({ data }) => data.frame_id === 10)
    expect(idsOf(client)).toEqual(ids(7, 10))
  })

  it("is rejected without an environment, with an invalid id, and while the store does not answer", async () => {
    const client = await established()
    client.send({ type: "subscribe", channel: "pose_updates", filters: { after_frame_id: 3 } })
    const { error } = await client.next("error")
    expect(error.details.field_errors[0]).toMatchObject({
      field: "after_frame_id",
      message: expect.stringContaining("needs environment_id"),
    })
    resume(client, -1)
    expect((await client.next("error")).error.details.field_errors[0].field).toBe("after_frame_id")
    stored.fails = true
    resume(client, 1)
    expect((await client.next("error")).error.code).toBe("SERVICE_UNAVAILABLE")
    expect(client.received.some(({ type }) => type === "subscription_confirmed")).toBe(false)
  })
})

describe("a subscription to all environments after frame ids", () => {
  const enrol = (...environmentIds: ReadonlyArray<string>) => {
    gateway.world.environments = environmentIds.map((id) => ({ environmentId: id, name: id, geometry: null }))
  }
  const resumeAll = (client: SocketClient, after_frame_ids: Record<string, number>, more: object = {}) =>
    client.send({ type: "subscribe", channel: "pose_updates", filters: { after_frame_ids, ...more } })
  const watchedAll = (...environmentIds: ReadonlyArray<string>) =>
    vi.waitFor(() => {
      const { watched } = gateway.world
      expect([...watched.keys()].toSorted()).toEqual(environmentIds.toSorted())
      expect([...watched.values()].every(({ size }) => size === 1)).toBe(true)
    }, 5_000)

  it("has every frame once and in order in more environments than a connection has subscriptions", async () => {
    const rooms = ids(1, 40).map((n) => `room-${n}`)
    enrol(...rooms)
    for (const environmentId of rooms) make(1, 10, { environmentId })
    const client = await established()
    const after = Object.fromEntries(rooms.slice(1).map((id) => [id, 5]))
    resumeAll(client, { ...after, nowhere: 5 }, { min_confidence: 0.5 })
    const confirmed = await client.next("subscription_confirmed")
    Schema.decodeUnknownSync(ServerMessage.subscription_confirmed)(confirmed, { onExcessProperty: "error" })
    expect(confirmed.filters_applied).toMatchObject({
      environment_id: null,
      after_frame_ids: { ...after, nowhere: 5 },
      min_confidence: 0.5,
    })
    const started = { after_frame_id: 5, reason: null }
    expect(confirmed.resumed_environments).toEqual(Object.fromEntries(rooms.slice(1).map((id) => [id, started])))
    await watchedAll(...rooms)
    for (const environmentId of rooms) make(11, 12, { environmentId })
    await vi.waitFor(() => expect(updatesOf(client)).toHaveLength(2 + 7 * 39))
    expect(rooms.map((id) => idsOf(client, id))).toEqual([ids(11, 12), ...rooms.slice(1).map(() => ids(6, 12))])
    for (const update of updatesOf(client)) {
      expect(update.subscription_id).toBe(confirmed.subscription_id)
      expect(update.data.persons).toHaveLength(1)
    }
    client.send({ type: "unsubscribe", subscription_id: confirmed.subscription_id })
    await client.next("unsubscribed")
    await watchedAll()
  })

  it("goes on when an environment is deleted, which continues after its last frame when it returns", async () => {
    const all = ["living-room", "attic", "cellar"]
    enrol("living-room", "attic")
    for (const environmentId of all) make(1, 3, { environmentId })
    const client = await established()
    resumeAll(client, { "living-room": 1, attic: 1, cellar: 1 })
    await watchedAll("living-room", "attic")
    enrol("living-room")
    const gone = Cause.fail(UnknownEnvironment.of("attic"))
    for (const queue of gateway.world.watched.get("attic")!) Queue.failCauseUnsafe(queue, gone)
    await watchedAll("living-room")
    make(4, 4)
    resume(client, 1, { environment_id: "attic" })
    expect((await client.next("error")).error.code).toBe("RESOURCE_NOT_FOUND")
    make(4, 5, { environmentId: "attic" })
    enrol(...all)
    await watchedAll(...all)
    make(6, 6, { environmentId: "attic" })
    await vi.waitFor(() => expect(updatesOf(client)).toHaveLength(10))
    expect(all.map((id) => idsOf(client, id))).toEqual([ids(2, 4), ids(2, 6), ids(2, 3)])
    expect(client.received.filter(({ type }) => type === "error")).toHaveLength(1)
  })

  it("is rejected with an environment, with an invalid id, and while the store does not answer", async () => {
    const client = await established()
    const fieldOf = async () => (await client.next("error")).error.details.field_errors[0].field
    resumeAll(client, { "living-room": 1 }, { environment_id: "living-room" })
    expect(await fieldOf()).toBe("after_frame_ids")
    resumeAll(client, { "living-room": -1 })
    expect(await fieldOf()).toBe("after_frame_ids.living-room")
    resumeAll(client, Object.fromEntries(ids(1, 4097).map((id) => [id, id])))
    expect(await fieldOf()).toBe("after_frame_ids")
    stored.fails = true
    resumeAll(client, { "living-room": 1 })
    expect((await client.next("error")).error.code).toBe("SERVICE_UNAVAILABLE")
  })
})

describe("the id of a message", () => {
  it("is repeated in the answer, also in an error", async () => {
    const client = await established()
    client.send({ type: "ping", id: "a" })
    expect((await client.next("pong")).id).toBe("a")
    client.send({ type: "subscribe", id: 7, channel: "pose_updates" })
    const { id, subscription_id } = await client.next("subscription_confirmed")
    expect(id).toBe(7)
    client.send({ type: "unsubscribe", id: "b", subscription_id })
    expect(await client.next("unsubscribed")).toEqual({ type: "unsubscribed", id: "b", subscription_id })
    client.send({ type: "unsubscribe", id: "c", subscription_id })
    expect((await client.next("error")).id).toBe("c")
    client.send({ type: "dance", id: 8 })
    expect((await client.next("error")).id).toBe(8)
    client.send({ type: "auth", id: 9, token: await gateway.token("viewer") })
    const authenticated = await client.next("authenticated")
    Schema.decodeUnknownSync(ServerMessage.authenticated)(authenticated, { onExcessProperty: "error" })
    expect(authenticated.id).toBe(9)
    client.send({ type: "ping" })
    expect(await client.next("pong")).not.toHaveProperty("id")
    client.send({ type: "ping", id: {} })
    const error = await client.next("error")
    expect(error).not.toHaveProperty("id")
    expect(error.error.details.field_errors[0].field).toBe("id")
  })
})
