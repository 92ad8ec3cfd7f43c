/** Two real processes with the same MQTT broker on one PostgreSQL: one publishes, and the other takes over when it stops or is killed. */
import { connect, type MqttClient } from "mqtt"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasMosquitto, startMosquitto, type TestBroker } from "../harness/mosquitto.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../harness/postgres.ts"
import { eventually, hasJoined, signIn, startService, type TestService } from "../harness/service.ts"

const availability = "wavepose/availability"
/** The other node publishes within this time after one is stopped or killed. */
const takeOverMsMax = 15_000

describe.skipIf(!hasMosquitto || !await hasPostgres())("two gateways with the same broker", () => {
  let postgres: TestPostgres
  let broker: TestBroker
  let home: MqttClient
  const services: Array<TestService> = []
  const said: Array<string> = []

  const start = async () => {
    const env = { DATABASE_URL: postgres.url, WAVEPOSE_MQTT_URL: `mqtt://127.0.0.1:${broker.port}` }
    const service = await startService({ env })
    services.push(service)
    return service
  }

  beforeAll(async () => {
    postgres = (await startPostgres())!
    broker = await startMosquitto()
    home = connect({ host: "127.0.0.1", port: broker.port, protocolVersion: 5 })
    home.on("message", (_, payload) => said.push(String(payload)))
    await home.subscribeAsync(availability, { qos: 1 })
    await start()
    await hasJoined(await start())
  }, 120_000)

  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()))
    await home?.endAsync(true)
    await broker?.stop()
    await postgres?.stop()
  }, 30_000)

  /** The services that publish, by their own reports. */
  const publishing = async () => {
    const reports = await Promise.all(services.map(async (service) => {
      const { body } = await (await signIn(service)).get("/health/detailed?form=bare")
      const states: ReadonlyArray<{ destination: string; status: string }> = body.components.edge.ways_out
      return { service, mqtt: states.find(({ destination }) => destination === "mqtt") }
    }))
    return reports.filter(({ mqtt }) => mqtt?.status === "active").map(({ service }) => service)
  }
  const isOnline = (from: number) =>
    eventually(() => Promise.resolve(said.slice(from)), (all) => all.at(-1) === "online", takeOverMsMax)

  it("has one publisher, which the other one replaces when it stops or is killed", async () => {
    for (const end of ["stop", "kill"] as const) {
      if (services.length < 2) await hasJoined(await start())
      await isOnline(0)
      const [publisher, ...others] = await eventually(publishing, ({ length }) => length > 0)
      expect(others).toEqual([])
      const before = said.length
      const endedMs = performance.now()
      await publisher![end]()
      services.splice(services.indexOf(publisher!), 1)
      await isOnline(before)
      console.info(`published again ${Math.round(performance.now() - endedMs)} ms after the ${end}`)
      expect(said.slice(before)).toEqual(["offline", "online"])
      expect(await eventually(publishing, ({ length }) => length > 0)).toEqual(services)
    }
  }, 180_000)
})
