/**
 * The home API of the real service, as the client of Home Assistant's own frontend uses it, unmodified. Numbers in brackets are those of
 * a list of observed behaviour of Home Assistant.
 */
import {
  type Connection,
  createConnection,
  createLongLivedTokenAuth,
  ERR_INVALID_AUTH,
  getConfig,
  getServices,
  getStates,
  getUser,
  type HassConfig,
  type HassEntities,
  type HassServices,
  subscribeConfig,
  subscribeEntities,
  subscribeServices,
} from "home-assistant-js-websocket"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signIn, startService, type TestService } from "../harness/service.ts"

const dataDirectory = mkdtempSync(join(tmpdir(), "wavepose-home-"))
const given = "a-token-of-the-settings"
let service: TestService
let url: string
let connection: Connection

const start = (port = "0") =>
  startService({
    env: { WAVEPOSE_HOME_TOKENS: given, WAVEPOSE_HOME_PORT: port, WAVEPOSE_BRIDGE: "off" },
    dataDirectory,
  })

const connect = () => createConnection({ auth: createLongLivedTokenAuth(url, given) })

beforeAll(async () => {
  service = await start()
  url = service.home
  connection = await connect()
}, 60_000)
afterAll(async () => {
  connection?.close()
  await service?.stop()
  rmSync(dataDirectory, { recursive: true, force: true })
}, 30_000)

const set = (entityId: string, body: object, token = given) =>
  fetch(`${url}/api/states/${entityId}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })

/** Subscribes, and returns the first matching value, already received or later. */
const following = <A>(subscribe: (reported: (value: A) => void) => () => void) => {
  let newest: A | undefined
  const waiting = new Set<() => void>()
  const stop = subscribe((value) => {
    newest = value
    for (const look of [...waiting]) look()
  })
  const until = (fits: (value: A) => boolean): Promise<A> =>
    new Promise((resolve) => {
      const look = () => {
        if (newest === undefined || !fits(newest)) return
        waiting.delete(look)
        resolve(newest)
      }
      waiting.add(look)
      look()
    })
  return { until, stop }
}

describe("home-assistant-js-websocket", () => {
  it("connects, and reads its user, configuration and states", async () => {
    expect(connection.haVersion).toMatch(/^\d{4}\.\d{1,2}\.\d+$/)
    expect(await getUser(connection)).toMatchObject({ is_admin: true, is_owner: true })
    expect((await getConfig(connection)).state).toBe("RUNNING")
    expect(Object.keys(await getServices(connection))).toEqual(
      expect.arrayContaining(["homeassistant", "input_boolean"]),
    )
    expect(Array.isArray(await getStates(connection))).toBe(true)
    await connection.ping()
  })

  it("[146] follows the configuration and the services", async () => {
    // Five seconds after a new service, connected or not, the client requests all services and does not catch a failure. So it follows
    // them after all are registered, on a connection that ends with this test: another test kills the service.
    const ofPlugin = async () => Object.keys((await getServices(connection))["wavepose"] ?? {})
    await expect.poll(ofPlugin, { timeout: 20_000 }).toContain("acknowledge_alert")
    const other = await connect()
    const config = following<HassConfig>((reported) => subscribeConfig(other, reported))
    const services = following<HassServices>((reported) => subscribeServices(other, reported))
    expect((await config.until(() => true)).components).toContain("input_boolean")
    expect(Object.keys(await services.until(() => true))).toContain("scene")
    config.stop()
    services.stop()
    other.close()
  }, 30_000)

  it("follows entities: new ones, changes, service calls and removals", async () => {
    const entities = following<HassEntities>((reported) => subscribeEntities(connection, reported))
    expect((await set("input_boolean.lamp", { state: "off", attributes: { friendly_name: "Lamp" } })).status).toBe(201)
    const there = await entities.until((all) => all["input_boolean.lamp"]?.state === "off")
    expect(there["input_boolean.lamp"]!.attributes).toEqual({ friendly_name: "Lamp" })
    await connection.sendMessagePromise({
      type: "call_service",
      domain: "homeassistant",
      service: "turn_on",
      target: { entity_id: "input_boolean.lamp" },
    })
    const on = (await entities.until((all) => all["input_boolean.lamp"]?.state === "on"))["input_boolean.lamp"]!
    expect(on.attributes).toEqual({ friendly_name: "Lamp" })
    expect(new Date(on.last_changed).getTime()).toBeGreaterThan(
      new Date(there["input_boolean.lamp"]!.last_changed).getTime(),
    )
    await fetch(`${url}/api/states/input_boolean.lamp`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${given}` },
    })
    await entities.until((all) => all["input_boolean.lamp"] === undefined)
    entities.stop()
  })

  it("[143] is notified of a wrong token, and does not try again", async () => {
    const auth = createLongLivedTokenAuth(url, "wrong")
    await expect(createConnection({ auth, setupRetry: 5 })).rejects.toBe(ERR_INVALID_AUTH)
  })

  it("[145] authenticates with a token of the pose API until it is revoked", async () => {
    const api = await signIn(service)
    const { body: made, status } = await api.post("/home/tokens", { name: "tablet" })
    expect([status, made.name, made.created_by]).toEqual([201, "tablet", "admin"])
    expect((await api.get("/home/tokens")).body.tokens).toEqual(expect.arrayContaining([
      { token_id: made.token_id, name: "tablet", created_at: made.created_at, created_by: "admin" },
      expect.objectContaining({ created_at: null, created_by: "WAVEPOSE_HOME_TOKENS" }),
    ]))
    const tablet = await createConnection({ auth: createLongLivedTokenAuth(url, made.token) })
    expect(await getUser(tablet)).toMatchObject({ id: made.token_id, name: "tablet" })
    const refused = new Promise((resolve) => tablet.addEventListener("reconnect-error", (_, error) => resolve(error)))
    expect((await api.delete(`/home/tokens/${made.token_id}`)).status).toBe(204)
    expect(await refused).toBe(ERR_INVALID_AUTH)
    expect((await set("sensor.tablet", { state: 1 }, made.token)).status).toBe(401)
    expect((await api.delete(`/home/tokens/${made.token_id}`)).status).toBe(404)
  })

  it("reconnects after the node was killed, and finds all states unchanged", async () => {
    const entities = following<HassEntities>((reported) => subscribeEntities(connection, reported))
    const kept = await set("sensor.kept", { state: "21.5", attributes: { unit_of_measurement: "°C" } })
    const before = await kept.json() as { readonly attributes: object }
    await entities.until((all) => all["sensor.kept"] !== undefined)
    const ready = new Promise<void>((resolve) => connection.addEventListener("ready", () => resolve()))
    await service.kill()
    service = await start(new URL(url).port)
    await ready
    const states = await getStates(connection)
    expect(states.find(({ entity_id }) => entity_id === "sensor.kept")).toEqual(before)
    expect((await set("sensor.kept", { state: "22", attributes: before.attributes })).status).toBe(200)
    const after = (await entities.until((all) => all["sensor.kept"]?.state === "22"))["sensor.kept"]!
    expect(after.attributes).toEqual({ unit_of_measurement: "°C" })
    const period = await fetch(`${url}/api/history/period?filter_entity_id=sensor.kept&minimal_response`, {
      headers: { authorization: `Bearer ${given}` },
    })
    const [reported] = await period.json() as ReadonlyArray<ReadonlyArray<{ state: string }>>
    expect(reported!.map(({ state }) => state)).toEqual(["21.5", "22"])
    entities.stop()
  }, 60_000)
})
