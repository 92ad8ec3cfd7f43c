/** The publisher against a real Mosquitto, with a client in Home Assistant's place. */
import { Cause, Effect, Exit, Fiber, Logger, Random, Redacted } from "effect"
import { connect, type IClientOptions, type MqttClient } from "mqtt"
import { connect as connectTcp, createServer, type Server, type Socket } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { BrokerAddress } from "../../../gateways/mqtt/broker-address.ts"
import { type PublisherOptions, publishToMqtt } from "../../../gateways/mqtt/publisher.ts"
import { EdgeFeed } from "../../../protocols/ports/edge-feed.ts"
import { makeTestFeed, type RecordParts, type TestFeed, variedRecord } from "../../harness/edge-feed.ts"
import { hasMosquitto, startMosquitto, type TestBroker } from "../../harness/mosquitto.ts"

const discoveryTopic = "homeassistant/device/wavepose/node-1/config"
const stateTopic = "wavepose/node-1/state"

interface Received {
  readonly topic: string
  readonly payload: string
  readonly retain: boolean
  readonly expiryS: number | undefined
}

/** A client that remembers what it was sent. */
interface Home {
  readonly client: MqttClient
  readonly received: Array<Received>
  /** Waits until something of all that came satisfies. */
  readonly until: (holds: (message: Received) => boolean) => Promise<Received>
  readonly last: (topic: string) => Received | undefined
}

const homes: Array<MqttClient> = []

const startHome = async (port: number, over: IClientOptions = {}): Promise<Home> => {
  const client = connect({
    host: "127.0.0.1",
    port,
    protocol: "mqtt",
    protocolVersion: 5,
    reconnectPeriod: 50,
    ...over,
  })
  homes.push(client)
  const received: Array<Received> = []
  const waiting = new Set<() => void>()
  client.on("error", () => {})
  client.on("message", (topic, payload, { properties, retain }) => {
    received.push({ topic, payload: String(payload), retain, expiryS: properties?.messageExpiryInterval })
    for (const check of waiting) check()
  })
  await client.subscribeAsync("#", { qos: 1, rap: true })
  return {
    client,
    received,
    last: (wanted) => received.findLast(({ topic }) => topic === wanted),
    until: (holds) =>
      new Promise((resolve) => {
        const check = () => {
          const found = received.find(holds)
          if (found === undefined) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
  }
}

interface Publisher {
  readonly feed: TestFeed
  readonly lines: Array<string>
  readonly exit: Promise<Exit.Exit<never, unknown>>
  readonly stop: () => Promise<void>
}

const publishers: Array<Publisher> = []

const addressOf = (port: number, over: Partial<BrokerAddress> = {}): BrokerAddress => ({
  tls: false,
  host: "127.0.0.1",
  port,
  username: null,
  password: null,
  ...over,
})

const startPublisher = (address: BrokerAddress, over: Partial<PublisherOptions> = {}): Publisher => {
  const feed = makeTestFeed()
  const lines: Array<string> = []
  const fiber = Effect.runFork(
    publishToMqtt({
      address,
      caPem: null,
      base: "wavepose",
      discoveryPrefix: "homeassistant",
      version: "1.2.3",
      onConnected: Effect.void,
      onDisconnected: () => Effect.void,
      ...over,
    }).pipe(
      Effect.provideService(EdgeFeed, feed.feed),
      // Each has an MQTT client id of its own.
      Random.withSeed(`publisher ${publishers.length}`),
      Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(String(message)))])),
    ),
  )
  const publisher = {
    feed,
    lines,
    exit: Effect.runPromise(Fiber.await(fiber)),
    stop: () => Effect.runPromise(Fiber.interrupt(fiber)).then(() => {}),
  }
  publishers.push(publisher)
  return publisher
}

const onTopic = (wanted: string, payload?: string) => ({ topic, payload: said }: Received) =>
  topic === wanted && (payload === undefined || said === payload)

afterEach(async () => {
  await Promise.all(publishers.splice(0).map(({ stop }) => stop()))
  await Promise.all(homes.splice(0).map((client) => client.endAsync(true)))
})

describe.skipIf(!hasMosquitto)("the MQTT publisher with a real broker", () => {
  let broker: TestBroker
  beforeAll(async () => void (broker = await startMosquitto()))
  afterAll(() => broker.stop())
  // Each test with a base topic of its own, for the broker keeps what was announced.
  let count = 0
  const newBase = () => `wavepose-${++count}`

  it("announces a node, then publishes its state; the broker retains only the announcement", async () => {
    const base = newBase()
    const home = await startHome(broker.port)
    const { feed, stop } = startPublisher(addressOf(broker.port), { base })
    feed.say(variedRecord("node-1"))
    const state = await home.until(onTopic(`${base}/node-1/state`))
    expect(JSON.parse(state.payload)).toMatchObject({
      presence: true,
      n_persons: 2,
      motion: 0.25,
      breathing_rate_bpm: 14.3,
      heartrate_bpm: 62,
      provenance: { source: "live" },
    })
    expect(state).toMatchObject({ retain: false, expiryS: 60 })
    await home.until(onTopic(`${base}/node-1/events`))
    const topics = home.received.map(({ topic }) => topic)
    const discovery = `homeassistant/device/${base}/node-1/config`
    expect(topics.indexOf(discovery)).toBeLessThan(topics.indexOf(`${base}/node-1/state`))
    const late = await startHome(broker.port)
    await late.until(onTopic(discovery))
    await late.until(onTopic(`${base}/node-1/availability`, "online"))
    await late.until(onTopic(`${base}/availability`, "online"))
    expect(late.last(`${base}/node-1/state`)).toBe(undefined)
    // It says good-bye itself, which is not its will.
    await stop()
    await late.until(onTopic(`${base}/availability`, "offline"))
  })

  it("answers several birth messages of Home Assistant once, with everything, after a short delay", async () => {
    const base = newBase()
    const { feed } = startPublisher(addressOf(broker.port), { base })
    feed.say(variedRecord("node-1"))
    const home = await startHome(broker.port)
    await home.until(onTopic(`homeassistant/device/${base}/node-1/config`))
    home.received.length = 0
    for (let i = 0; i < 3; i++) home.client.publish("homeassistant/status", "online")
    await home.until(onTopic(`${base}/node-1/state`))
    await home.until(onTopic(`${base}/node-1/events`))
    const of = (topic: string) => home.received.filter((message) => message.topic === topic)
    expect(of(`homeassistant/device/${base}/node-1/config`)).toHaveLength(1)
    expect(of(`${base}/availability`)).toHaveLength(1)
  })

  it("withdraws retained entities of a former class, and nodes that no longer exist", async () => {
    const base = newBase()
    const home = await startHome(broker.port)
    const discovery = (node: string) => `homeassistant/device/${base}/${node}/config`
    const first = startPublisher(addressOf(broker.port), { base })
    first.feed.say(variedRecord("node-1"))
    await home.until(onTopic(discovery("node-1")))
    await first.stop()
    home.received.length = 0
    const { feed } = startPublisher(addressOf(broker.port), { base })
    feed.say(variedRecord("node-1", { privacyClass: 3 }))
    // The first message removes the entities, the last one no longer names them.
    const removing = await home.until(({ payload, topic }) =>
      topic === discovery("node-1") && payload.includes(`"breathing":{"platform":"sensor"}`)
    )
    expect(JSON.parse(removing.payload).components.breathing).toEqual({ platform: "sensor" })
    home.received.splice(0, home.received.indexOf(removing) + 1)
    const { payload } = await home.until(onTopic(discovery("node-1")))
    expect(Object.keys(JSON.parse(payload).components)).toContain("presence")
    expect(payload).not.toContain("breathing")
    // A node that is revoked is withdrawn.
    home.received.length = 0
    feed.say(variedRecord("node-1", { privacyClass: 3, seenMs: 2_000, entry: { standing: "revoked" } }))
    await home.until(onTopic(discovery("node-1"), ""))
    await home.until(onTopic(`${base}/node-1/availability`, ""))
  })

  it("withdraws nodes that were removed, also while no publisher was running", async () => {
    const base = newBase()
    const home = await startHome(broker.port)
    const discovery = (node: string) => `homeassistant/device/${base}/${node}/config`
    const first = startPublisher(addressOf(broker.port), { base })
    for (const node of ["stays", "goes", "went"]) first.feed.say(variedRecord(node))
    for (const node of ["stays", "goes", "went"]) await home.until(onTopic(discovery(node)))
    await first.stop()
    const { feed } = startPublisher(addressOf(broker.port), { base, directoryCheck: { everyMs: 20, goneMs: 50 } })
    feed.say(variedRecord("stays"))
    feed.say(variedRecord("goes"))
    await home.until(onTopic(discovery("went"), ""))
    feed.remove("goes")
    await home.until(onTopic(discovery("goes"), ""))
    expect(home.received.filter(onTopic(discovery("stays"), ""))).toEqual([])
  })

  it("stays available when an earlier publisher says later that it, or a node, is gone", async () => {
    const base = newBase()
    const home = await startHome(broker.port)
    const first = startPublisher(addressOf(broker.port), { base })
    first.feed.say(variedRecord("node-1"))
    await home.until(onTopic(`${base}/node-1/availability`, "online"))
    home.received.length = 0
    const { feed } = startPublisher(addressOf(broker.port), { base })
    feed.say(variedRecord("node-1"))
    await home.until(onTopic(`${base}/availability`, "online"))
    await home.until(onTopic(`${base}/node-1/state`))
    home.received.length = 0
    await home.client.publishAsync(`${base}/node-1/availability`, "offline", { qos: 1, retain: true })
    await home.until(onTopic(`${base}/node-1/availability`, "online"))
    await first.stop()
    await home.until(onTopic(`${base}/availability`, "online"))
    expect(home.received.filter(({ topic }) => topic === `${base}/availability`).map(({ payload }) => payload))
      .toEqual(["offline", "online"])
    const late = await startHome(broker.port)
    await late.until(onTopic(`${base}/availability`, "online"))
    await late.until(onTopic(`${base}/node-1/availability`, "online"))
  })

  it("ends when the gate rejects a record, and publishes nothing of it", async () => {
    const base = newBase()
    const home = await startHome(broker.port)
    for (const privacyClass of [0, 1] as const) {
      const { exit, feed } = startPublisher(addressOf(broker.port), { base })
      await home.until(onTopic(`${base}/availability`, "online"))
      feed.say(variedRecord("secret", { privacyClass }))
      const ended = await exit
      expect(Exit.isFailure(ended) && Cause.pretty(ended.cause)).toMatch(/may not leave by MQTT/)
      await home.until(onTopic(`${base}/availability`, "offline"))
      home.received.length = 0
    }
    await home.client.publishAsync("end", "")
    await home.until(onTopic("end"))
    expect(home.received.filter(({ topic }) => topic.includes("secret"))).toEqual([])
  })

  it("uses MQTT 3.1.1 with a broker that does not support 5, whether it answers or closes the connection", async () => {
    for (const refusal of [Buffer.from("20020001", "hex"), null]) {
      const base = newBase()
      const old = await startOldBroker(broker.port, refusal)
      try {
        const home = await startHome(broker.port)
        const { feed, lines } = startPublisher(addressOf(old.port), { base })
        feed.say(variedRecord("node-1"))
        const state = await home.until(onTopic(`${base}/node-1/state`))
        expect(state.expiryS).toBe(undefined)
        expect(lines.join("\n")).toContain("version=3.1.1")
      } finally {
        await old.stop()
      }
    }
  })
})

/** A wire to a broker, on which a first packet may be answered otherwise, and which can be cut. */
const startWire = async (
  behind: number,
  intercept: (socket: Socket, first: Buffer) => boolean = () => false,
) => {
  const ends = new Set<Socket>()
  const server: Server = createServer((socket) => {
    ends.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => ends.delete(socket))
    socket.once("data", (bytes) => {
      if (intercept(socket, bytes)) return
      const upstream = connectTcp(behind, "127.0.0.1")
      upstream.on("error", () => socket.destroy())
      upstream.on("close", () => socket.destroy())
      socket.on("close", () => upstream.destroy())
      upstream.write(bytes)
      socket.pipe(upstream).pipe(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const cut = () => ends.forEach((socket) => socket.destroy())
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut,
    stop: () => {
      cut()
      return new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

/** A broker without MQTT 5: rejects it with the code of 3.1.1 or by closing, and forwards other connections to a real broker. */
const startOldBroker = (behind: number, refusal: Buffer | null) =>
  startWire(behind, (socket, connectPacket) => {
    // After the protocol's name comes its level.
    if (connectPacket[connectPacket.indexOf("MQTT") + 4] !== 5) return false
    if (refusal === null) socket.destroy()
    else socket.end(refusal)
    return true
  })

describe.skipIf(!hasMosquitto)("the MQTT publisher and a broker that", () => {
  const withBroker = async (
    options: Parameters<typeof startMosquitto>[0],
    test: (broker: TestBroker) => Promise<void>,
  ) => {
    const broker = await startMosquitto(options)
    try {
      await test(broker)
    } finally {
      await broker.stop()
    }
  }

  it("is killed and restarts without state: gets the announcements and the newest state again", () =>
    withBroker({}, async (broker) => {
      const { feed, lines } = startPublisher(addressOf(broker.port))
      const say = (n: number, parts: RecordParts = {}) =>
        feed.say(variedRecord("node-1", { seenMs: 1_000 + n, sensing: { nPersons: n }, ...parts }))
      const home = await startHome(broker.port)
      say(1)
      await home.until(onTopic(stateTopic))
      await broker.kill()
      home.received.length = 0
      for (let n = 2; n <= 5; n++) say(n)
      await broker.start()
      await home.until(onTopic(discoveryTopic))
      const state = await home.until(onTopic(stateTopic))
      expect(JSON.parse(state.payload).n_persons).toBe(5)
      expect(lines.filter((line) => line.includes("trying again")).length).toBeGreaterThan(0)
    }))

  it("loses the publisher: publishes its will", () =>
    withBroker({}, async (broker) => {
      const home = await startHome(broker.port)
      const wire = await startWire(broker.port)
      try {
        const { feed } = startPublisher(addressOf(wire.port))
        feed.say(variedRecord("node-1"))
        await home.until(onTopic("wavepose/availability", "online"))
        wire.cut()
        await home.until(onTopic("wavepose/availability", "offline"))
        // And a connection that is only cut is made again.
        home.received.length = 0
        await home.until(onTopic("wavepose/availability", "online"))
        await home.until(onTopic(stateTopic))
      } finally {
        await wire.stop()
      }
    }))

  it("requires TLS and a password: gets them, and neither is logged", () =>
    withBroker({ tls: true, user: { name: "wave", password: "s3cret@pass" } }, async (broker) => {
      const password = Redacted.make("s3cret@pass")
      const address = addressOf(broker.port, { tls: true, host: "localhost", username: "wave", password })
      const home = await startHome(broker.port, {
        protocol: "mqtts",
        host: "localhost",
        ca: broker.caPem!,
        username: "wave",
        password: "s3cret@pass",
      })
      const wrongAuthority = startPublisher(address)
      const wrongPassword = startPublisher({ ...address, password: Redacted.make("wrong") }, { caPem: broker.caPem })
      const right = startPublisher(address, { caPem: broker.caPem, base: "right" })
      right.feed.say(variedRecord("node-1"))
      await home.until(onTopic("right/node-1/state"))
      for (const { lines } of [wrongAuthority, wrongPassword]) {
        while (!lines.some((line) => line.includes("no connection"))) {
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      expect(wrongAuthority.lines.join("\n")).toMatch(/certificate|issuer/i)
      expect(wrongPassword.lines.join("\n")).toMatch(/not authorized|bad user/i)
      const all = [wrongAuthority, wrongPassword, right].flatMap(({ lines }) => lines).join("\n")
      expect(all).not.toMatch(/s3cret|wrong\b.*@/)
      expect(home.last("wavepose/availability")).toBe(undefined)
    }))
})
