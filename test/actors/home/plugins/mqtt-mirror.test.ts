/** The MQTT mirror on a real Mosquitto, with a client in the role of Home Assistant. */
import { Deferred, Effect } from "effect"
import { connect, type MqttClient } from "mqtt"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  commandedEntity,
  commandOf,
  entityMessages,
} from "../../../../actors/home/plugins/built-in/mqtt_mirror/entity-messages.ts"
import { mqttMirror } from "../../../../actors/home/plugins/built-in/mqtt_mirror/plugin.ts"
import { calibrateButton, thresholdNumber } from "../../../../actors/home/plugins/built-in/wavepose/control-entities.ts"
import { environmentDevice } from "../../../../actors/home/plugins/built-in/wavepose/environment-entities.ts"
import type { Sensed } from "../../../../actors/home/plugins/built-in/wavepose/sensor-entities.ts"
import { deviceDefaults, entityDefaults } from "../../../../actors/home/plugins/registry-entries.ts"
import { makePluginHost } from "../../../../actors/home/plugins/plugin-host.ts"
import { helperServices } from "../../../../actors/home/services/helpers.ts"
import { defineService } from "../../../../actors/home/services/service.ts"
import { makeServiceRegistry } from "../../../../actors/home/services/registry.ts"
import { makeStates } from "../../../../actors/home/services/states.ts"
import { layerMqttLink } from "../../../../gateways/mqtt/link.ts"
import type { EntityState, JsonObject } from "../../../../protocols/domain/home.ts"
import type { DeviceEntry, EntityEntry } from "../../../../protocols/domain/home-registry.ts"
import { HomeRegistries } from "../../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../../protocols/ports/home-runtime.ts"
import { processes } from "./plugins.ts"
import { layerHome } from "../../../harness/home.ts"
import { hasMosquitto, startMosquitto, type TestBroker } from "../../../harness/mosquitto.ts"

const names = { base: "wavepose", discoveryPrefix: "homeassistant" }
const shed: DeviceEntry = { ...deviceDefaults, deviceId: "test-shed", identifiers: [["test", "shed"]], name: "Shed" }
const inShed: EntityEntry = {
  ...entityDefaults,
  entityId: "sensor.new",
  uniqueId: "new",
  platform: "test",
  deviceId: "test-shed",
}
const unregistered = { entity: null, device: null }

const stateOf = (entityId: string, state: string, attributes: JsonObject = {}): EntityState => ({
  entityId,
  state,
  attributes,
  lastChangedUs: 0,
  lastUpdatedUs: 0,
  lastReportedUs: 0,
  context: { id: "c", parentId: null, userId: null },
})
const shown = (state: EntityState, switchable = (_: string) => false) =>
  entityMessages(names, state, unregistered, switchable, "1.0")
const announced = (state: EntityState, switchable?: (domain: string) => boolean) => {
  const [first] = shown(state, switchable)
  return { topic: first!.topic, ...JSON.parse(first!.payload) }
}

describe("an entity over MQTT", () => {
  it("is announced as its component, with a command topic if it can be commanded", () => {
    expect(announced(stateOf("input_boolean.guests", "on", { friendly_name: "Guests" }))).toMatchObject({
      topic: "homeassistant/switch/wavepose_home/input_boolean_guests/config",
      name: "Guests",
      unique_id: "wavepose_home_input_boolean_guests",
      command_topic: "wavepose/home/input_boolean/guests/set",
      payload_on: "on",
      state_off: "off",
      device: { identifiers: ["wavepose_home"] },
      origin: { name: "wavepose" },
    })
    expect(announced(stateOf("input_number.n", "1.0", { min: 0, max: 9, step: 0.5 }))).toMatchObject({
      topic: "homeassistant/number/wavepose_home/input_number_n/config",
      min: 0,
      max: 9,
      step: 0.5,
    })
    expect(announced(stateOf("input_select.s", "a", { options: ["a", "b"] }))).toMatchObject({ options: ["a", "b"] })
    expect(announced(stateOf("binary_sensor.door", "on", { device_class: "door" }))).toMatchObject({
      device_class: "door",
    })
    expect(announced(stateOf("binary_sensor.door", "on"))).not.toHaveProperty("command_topic")
    expect(announced(stateOf("light.lamp", "on"), (domain) => domain === "light").topic).toContain("/switch/")
    expect(announced(stateOf("light.lamp", "on")).topic).toContain("/sensor/")
  })

  it("has the class of its state, also without a unit", () => {
    const classOf = (attributes: JsonObject) => announced(stateOf("sensor.n", "1", attributes)).state_class
    expect(classOf({ state_class: "total" })).toBe("total")
    expect(classOf({ state_class: "total", unit_of_measurement: "kWh" })).toBe("total")
    expect([classOf({ unit_of_measurement: "W" }), classOf({})]).toEqual(["measurement", undefined])
  })

  it("publishes unknown and unavailable states in Home Assistant's words", () => {
    const payloads = (state: string) => shown(stateOf("sensor.x", state)).slice(1, 3).map(({ payload }) => payload)
    expect(payloads("7")).toEqual(["online", "7"])
    expect(payloads("unknown")).toEqual(["online", "None"])
    expect(payloads("unavailable")).toEqual(["offline", "None"])
  })

  it("is not mirrored if the publisher announces it or the privacy gate rejects it", () => {
    expect(shown(stateOf("sensor.node_motion", "1", { node_id: "node", privacy_class: "anonymous" }))).toEqual([])
    expect(shown(stateOf("binary_sensor.hall_fall", "on", { privacy_class: "derived" }))).toEqual([])
    expect(shown(stateOf("binary_sensor.hall_fall", "on", { privacy_class: "made-up" }))).toEqual([])
    expect(shown(stateOf("binary_sensor.hall_fall", "on", { privacy_class: "restricted" }))).toHaveLength(4)
  })

  it("accepts commands only on its own topics", () => {
    const command = (topic: string, payload: string) => {
      const entityId = commandedEntity(names, topic)
      return entityId === null
        ? null
        : commandOf(entityId, payload, (domain) => domain === "light", { state: null, platform: null })
    }
    expect(command("wavepose/home/input_boolean/guests/set", "on")).toEqual({
      domain: "input_boolean",
      service: "turn_on",
      data: { entity_id: "input_boolean.guests" },
    })
    expect(command("wavepose/home/light/lamp/set", "off")).toMatchObject({ domain: "light", service: "turn_off" })
    expect(command("wavepose/home/input_number/n/set", "4")).toMatchObject({ data: { value: "4" } })
    expect(command("wavepose/home/switch/lamp/set", "on")).toBeNull()
    expect(command("other/home/input_boolean/guests/set", "on")).toBeNull()
    expect(command("wavepose/home/input_boolean/guests/set", "perhaps")).toBeNull()
  })
})

describe("a control over MQTT", () => {
  const device = environmentDevice({ environmentId: "hall", name: "Hall", geometry: null }, "hall")
  const ofSensed = ({ attributes, entityId, state }: Sensed) => stateOf(entityId, state, attributes)
  const button = ofSensed(calibrateButton("hall", device))
  const number = ofSensed(thresholdNumber(0.3))
  const command = (state: EntityState, payload: string, platform: string | null = "wavepose") =>
    commandOf(state.entityId, payload, () => false, { state, platform })

  it("is a button without a state, or a number with its range", () => {
    const shownButton = announced(button)
    expect(shownButton).toMatchObject({
      topic: "homeassistant/button/wavepose_home/button_hall_calibrate_empty/config",
      command_topic: "wavepose/home/button/hall_calibrate_empty/set",
      payload_press: "PRESS",
    })
    expect(shownButton).not.toHaveProperty("state_topic")
    expect(announced(number)).toMatchObject({
      topic: "homeassistant/number/wavepose_home/number_wavepose_person_threshold/config",
      min: 0,
      max: 1,
      step: 0.05,
      mode: "slider",
    })
    expect(shown(number)[2]!.payload).toBe("0.3")
  })

  it("calls the service that its attributes name", () => {
    expect(command(button, "PRESS")).toEqual({
      domain: "wavepose",
      service: "calibrate",
      data: { environment_id: "hall" },
    })
    expect(command(number, "0.45")).toEqual({
      domain: "wavepose",
      service: "set_person_threshold",
      data: { value: 0.45 },
    })
  })

  it("rejects other payloads, and entities whose attributes name no service", () => {
    expect(command(button, "on")).toBeNull()
    for (const payload of ["", "much", "NaN", "1e999"]) expect(command(number, payload)).toBeNull()
    expect(command(stateOf("button.made_up", "unknown"), "PRESS")).toBeNull()
    expect(command(stateOf("number.made_up", "1", { command: { service: "a b", data: {} } }), "1")).toBeNull()
  })

  it("calls only services of the plugin that registered it", () => {
    const nice = (service: string) => stateOf("button.nice", "unknown", { command: { service, data: { plugin: "x" } } })
    expect(command(nice("homeassistant.unload_plugin"), "PRESS", "nice")).toBe(
      "button.nice may not call homeassistant.unload_plugin: its plugin is nice, and a command names a service of the entity's plugin.",
    )
    expect(command(nice("nice.ring"), "PRESS", "nice")).toEqual({
      domain: "nice",
      service: "ring",
      data: { plugin: "x" },
    })
    // An entity that no plugin has registered calls nothing, and the entities of the service call nothing but its own services.
    for (const platform of [null, "wavepose"]) {
      expect(command(nice("nice.ring"), "PRESS", platform)).toBeTypeOf("string")
    }
    expect(command({ ...number, entityId: "number.nice" }, "1", "nice")).toBeTypeOf("string")
  })
})

describe.runIf(hasMosquitto)("the mirror", () => {
  let broker: TestBroker
  let client: MqttClient
  const kept = new Map<string, string>()
  /** All that was said on a topic. */
  const heard = new Map<string, Array<string>>()
  const checks = new Set<() => void>()
  beforeAll(async () => {
    broker = await startMosquitto()
    client = connect(`mqtt://127.0.0.1:${broker.port}`)
    client.on("message", (topic, payload) => {
      kept.set(topic, String(payload))
      heard.set(topic, [...heard.get(topic) ?? [], String(payload)])
      for (const check of checks) check()
    })
    await client.subscribeAsync("#", { qos: 1 })
  })
  afterAll(async () => {
    client?.end(true)
    await broker?.stop()
  })
  const said = (topic: string, payload: string | RegExp) =>
    Effect.promise(() =>
      new Promise<void>((resolve) => {
        const check = () => {
          const now = kept.get(topic)
          if (now === undefined || !(typeof payload === "string" ? now === payload : payload.test(now))) return
          checks.delete(check)
          resolve()
        }
        checks.add(check)
        check()
      })
    )

  it("publishes new, changed and removed entities, and performs commands", () =>
    Effect.gen(function* () {
      const runtime = yield* HomeRuntime
      const registry = yield* makeServiceRegistry
      for (const service of yield* helperServices(yield* makeStates)) yield* registry.register(service)
      const setup = yield* mqttMirror("1.0")
      const builtIns = new Map([["mqtt_mirror", setup]])
      const host = yield* makePluginHost({ folder: null, secret: [], processes, builtIns }, registry)
      const replica = yield* runtime.replica
      const context = yield* runtime.context(null)
      const write = (entityId: string, state: string) =>
        runtime.write(entityId, { state, attributes: { friendly_name: "Guests" }, forceUpdate: false, context })
      const topic = "wavepose/home/input_boolean/guests"

      yield* write("input_boolean.guests", "off")
      yield* host.start
      yield* said("wavepose/home/availability", "online")
      yield* said("homeassistant/switch/wavepose_home/input_boolean_guests/config", /"name":"Guests"/)
      yield* said(`${topic}/state`, "off")
      const changed = yield* Effect.callback<void>((resume) => {
        const end = replica.listen(() => {
          if (replica.one("input_boolean.guests")?.state !== "on") return
          end()
          resume(Effect.void)
        })
        client.publish(`${topic}/set`, "on", { qos: 1 })
      })
      expect(changed).toBeUndefined()
      yield* said(`${topic}/state`, "on")
      // A button calls the service that its attributes name.
      const pressed = yield* Deferred.make<JsonObject>()
      yield* registry.register(defineService({
        domain: "wavepose",
        name: "calibrate",
        fields: { environment_id: { selector: { text: {} } } },
        run: ({ data }) => Effect.as(Deferred.succeed(pressed, { ...data }), null),
      }))
      const button = calibrateButton(
        "hall",
        environmentDevice({ environmentId: "hall", name: "Hall", geometry: null }, "hall"),
      )
      const { attributes, deviceId, entityId, state, uniqueId } = button
      const registries = yield* HomeRegistries
      yield* registries.put(
        "entity",
        [{ ...entityDefaults, entityId, uniqueId, deviceId, platform: "wavepose" }],
        context,
      )
      yield* runtime.write(entityId, { state, attributes, forceUpdate: false, context })
      yield* said("wavepose/home/button/hall_calibrate_empty/availability", "online")
      // A button of another plugin does not get the permissions of the mirror: the press of this one has no effect.
      const command = { service: "wavepose.calibrate", data: { environment_id: "attic" } }
      yield* runtime.write("button.nice", { state, attributes: { command }, forceUpdate: false, context })
      yield* said("wavepose/home/button/nice/availability", "online")
      client.publish("wavepose/home/button/nice/set", "PRESS", { qos: 1 })
      client.publish("wavepose/home/button/hall_calibrate_empty/set", "PRESS", { qos: 1 })
      expect(yield* Deferred.await(pressed)).toEqual({ environment_id: "hall" })
      // Home Assistant keeps the device that an entity was first announced with, so that has to be the right one.
      yield* registries.put("device", [shed], context)
      yield* registries.put("entity", [inShed], context)
      const config = "homeassistant/sensor/wavepose_home/sensor_new/config"
      yield* write("sensor.new", "5")
      yield* said("wavepose/home/sensor/new/state", "5")
      expect(heard.get(config)!.map((payload) => JSON.parse(payload).device.name)).toEqual(["Shed"])
      yield* registries.put("device", [{ ...shed, name: "Barn" }], context)
      yield* said(config, /"Barn"/)
      // While it is registered it stays announced, because Home Assistant deletes its user's settings of withdrawn entities.
      const ofNew = (what: string) => `wavepose/home/sensor/new/${what}`
      yield* runtime.remove("sensor.new", context)
      yield* said(ofNew("attributes"), "")
      expect([kept.get(ofNew("availability")), kept.get(ofNew("state"))]).toEqual(["offline", ""])
      expect(kept.get(config)).toMatch(/"Barn"/)
      yield* write("sensor.new", "6")
      yield* said(ofNew("attributes"), /Guests/)
      expect([kept.get(ofNew("availability")), kept.get(ofNew("state"))]).toEqual(["online", "6"])
      yield* runtime.remove("sensor.new", context)
      yield* registries.remove("entity", ["sensor.new"], context)
      yield* said(config, "")
      yield* host.unload("mqtt_mirror")
      yield* said("wavepose/home/availability", "offline")
    }).pipe(
      Effect.scoped,
      Effect.provide(layerMqttLink({
        ...names,
        address: { tls: false, host: "127.0.0.1", port: broker.port, username: null, password: null },
        caPem: null,
        enabled: Effect.succeed(true),
      })),
      Effect.provide(layerHome),
      Effect.runPromise,
    ))
})
