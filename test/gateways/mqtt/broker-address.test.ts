import { Effect, Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import { readSettings } from "../../../deploy/settings/settings.ts"
import { readBrokerUrl, shownAddress } from "../../../gateways/mqtt/broker-address.ts"

describe("a broker's URL", () => {
  it.each([
    ["mqtt://host", "mqtt://host:1883", null, null],
    ["mqtts://host/", "mqtts://host:8883", null, null],
    ["mqtt://me:a%40b%3Ac@10.0.0.7:1884", "mqtt://10.0.0.7:1884", "me", "a@b:c"],
    ["mqtts://me@[::1]:8884", "mqtts://[::1]:8884", "me", null],
  ])("%s is read", (text, shown, username, password) => {
    const address = Result.getOrThrow(readBrokerUrl(text))
    expect(shownAddress(address)).toBe(shown)
    expect(address.username).toBe(username)
    expect(address.password === null ? null : Redacted.value(address.password)).toBe(password)
    expect(JSON.stringify(address)).not.toContain("a@b")
  })

  it.each([
    "",
    "host:1883",
    "http://host",
    "mqtt://",
    "mqtt://u:secret%zz@host",
    "mqtt://host/topic",
    "mqtt://host?x=1",
  ])(
    "%s is refused without repeating it",
    (text) => {
      const read = readBrokerUrl(text)
      expect(Result.isFailure(read) && read.failure).toMatch(/\.$/)
      expect(String(Result.isFailure(read) && read.failure)).not.toContain("secret")
    },
  )
})

describe("the settings of MQTT", () => {
  const read = (environment: Record<string, string>) => Effect.runPromise(Effect.result(readSettings(environment)))

  it("are absent without a broker, and have defaults with one", async () => {
    expect(Result.getOrThrow(await read({})).mqtt).toBe(null)
    expect(Result.getOrThrow(await read({ WAVEPOSE_MQTT_URL: "mqtt://u:p@host" })).mqtt).toMatchObject({
      base: "wavepose",
      discoveryPrefix: "homeassistant",
      caFile: null,
      address: { host: "host", username: "u" },
    })
  })

  it.each([
    [{ WAVEPOSE_MQTT_URL: "https://u:hunter2@host" }, "WAVEPOSE_MQTT_URL"],
    [{ WAVEPOSE_MQTT_URL: "mqtt://host", WAVEPOSE_MQTT_CA: "ca.pem" }, "WAVEPOSE_MQTT_CA"],
    [{ WAVEPOSE_MQTT_TOPIC: "a/b" }, "WAVEPOSE_MQTT_TOPIC"],
    [{ WAVEPOSE_MQTT_TOPIC: "a+" }, "WAVEPOSE_MQTT_TOPIC"],
    [{ WAVEPOSE_MQTT_DISCOVERY_PREFIX: "a/#" }, "WAVEPOSE_MQTT_DISCOVERY_PREFIX"],
    [{ WAVEPOSE_NODE_IDENTITY: "sometimes" }, "WAVEPOSE_NODE_IDENTITY"],
  ])("%j are rejected by name", async (environment, name) => {
    const result = await read(environment)
    const message = Result.isFailure(result) ? result.failure.message : ""
    expect(message).toContain(name)
    expect(message).not.toContain("hunter2")
  })
})
