/**
 * A sensing node from an unknown sender to an entity in Home Assistant to a revoked node: with a real service, the commands and the MQTT publisher
 * as processes, datagrams over real sockets, and a real Mosquitto.
 */
import { connect, type MqttClient } from "mqtt"
import { spawn } from "node:child_process"
import { createSocket, type Socket } from "node:dgram"
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../harness/command.ts"
import { hasMosquitto, startMosquitto, type TestBroker } from "../harness/mosquitto.ts"
import { ruviewDatagram } from "../harness/ruview.ts"
import {
  adminPassword,
  eventually,
  runtimeArguments,
  signIn,
  startService,
  type TestService,
} from "../harness/service.ts"

const user = { name: "wave", password: "pass@word" }
const siteFile = join(tmpdir(), `wavepose-site-${process.pid}.json`)

const command = (...args: ReadonlyArray<string>) =>
  runCommand(args, { env: { WAVEPOSE_ADMIN_PASSWORD: adminPassword, WAVEPOSE_API_KEY: "" } })
/** A generous time limit of a process on a busy machine. */
const patienceMs = 60_000
const turn = <A>(read: () => A) => () => new Promise<A>((resolve) => setImmediate(() => resolve(read())))

describe("a sensing node", () => {
  let broker: TestBroker | null = null
  let home: MqttClient | null = null
  /** The last payload by topic. */
  const last = new Map<string, string>()
  let service: TestService
  let api: Awaited<ReturnType<typeof signIn>>
  let socket: Socket

  beforeAll(async () => {
    writeFileSync(
      siteFile,
      JSON.stringify({ environmentId: "flat", name: "Flat", geometry: null, routers: ["node-1"] }),
    )
    if (hasMosquitto) {
      broker = await startMosquitto({ user })
      home = connect({ host: "127.0.0.1", port: broker.port, username: user.name, password: user.password })
      home.on("message", (topic, payload) => void last.set(topic, String(payload)))
      await home.subscribeAsync("#")
    }
    service = await startService({
      args: ["--source", "none", "--site", siteFile],
      env: {
        WAVEPOSE_BRIDGE: "off",
        WAVEPOSE_HOME_PORT: "0",
        WAVEPOSE_MQTT_URL: broker === null ? "" : `mqtt://wave:pass%40word@127.0.0.1:${broker.port}`,
      },
    })
    api = await signIn(service)
    socket = createSocket("udp4")
  }, 60_000)
  afterAll(async () => {
    socket.close()
    await service.stop()
    await home?.endAsync(true)
    await broker?.stop()
    rmSync(siteFile, { force: true })
  }, 30_000)

  const door = async () => (await api.get("/system/diagnostics")).body.datagrams[0]
  let sequence = 0
  const send = (port: number) =>
    new Promise<void>((resolve, reject) =>
      socket.send(ruviewDatagram(1, sequence++), port, "127.0.0.1", (error) => error ? reject(error) : resolve())
    )
  /** Sends until the listener reports the expected status. */
  // deno-lint-ignore no-explicit-any
  const sendUntil = (port: number, holds: (door: any) => boolean) =>
    eventually(
      async () => {
        await send(port)
        return await door()
      },
      holds,
      patienceMs,
    )

  it("goes from unsigned to signed to revoked", async () => {
    const { port } = service.datagrams
    // It has no key yet: it is accepted, and the network is reported as unsigned.
    await sendUntil(port, ({ routers }) => routers[0]?.router_id === "node-1" && routers[0].signed === false)
    const listed = await eventually(
      async () => (await api.get("/sensing-nodes")).body,
      ({ nodes }) => nodes.length === 1,
      patienceMs,
    )
    expect(listed.network).toEqual({ policy: "open", signed: false, unsigned_nodes: ["node-1"] })

    const enrolled = await command("nodes", "enrol", "node-1", "--url", service.pose)
    expect(enrolled.code).toBe(0)
    const key = enrolled.stdout.trim()
    expect(key).toMatch(/^wpk-\d+-[0-9a-f]{64}$/)
    expect(service.output()).not.toContain(key.slice(-64))
    const refused = await sendUntil(port, ({ dropped }) => dropped.unsigned > 0)
    expect(refused.routers[0].last_drop.reason).toBe("unsigned")

    const relay = spawn(
      process.execPath,
      [...runtimeArguments(), "sign", "--listen", "127.0.0.1:0", "--to", `127.0.0.1:${port}`],
      { env: { ...process.env, WAVEPOSE_NODE_KEY: key } },
    )
    try {
      let said = ""
      relay.stdout.on("data", (bytes) => said += String(bytes))
      const relayPort = Number(
        await eventually(turn(() => /udp:.*?:(\d+)"/.exec(said)?.[1] ?? null), (match) => match !== null, patienceMs),
      )
      const accepted = (await door()).accepted
      await sendUntil(relayPort, ({ accepted: now, routers }) => routers[0].signed === true && now > accepted)
      // Its readings become entities as far as the signal supports them. After revocation these are withdrawn.
      if (broker !== null) await untilPublished(relayPort)
      expect((await api.post("/sensing-nodes/node-1/revocation", { reason: "sold" })).status).toBe(204)
      await sendUntil(relayPort, ({ dropped }) => dropped.revoked > 0)
    } finally {
      relay.kill("SIGKILL")
    }
    const { stdout } = await command("nodes", "list", "--url", service.pose)
    expect(stdout).toMatch(/node-1 +revoked +yes .*sold/)
    expect(stdout).toContain("This network is not signed.")
  }, 4 * patienceMs)

  /** Sends until Home Assistant has a state of the node. */
  const untilPublished = async (port: number) => {
    // It may have sent before and be silent since.
    last.delete("wavepose/node-1/state")
    await eventually(
      async () => {
        await send(port)
        return last.has("wavepose/node-1/state") && last.get("wavepose/node-1/availability") === "online"
      },
      Boolean,
      patienceMs,
    )
    expect(JSON.parse(last.get("wavepose/node-1/state")!)).toMatchObject({
      privacy_class: 2,
      provenance: { source: "live" },
    })
    const discovery = JSON.parse(last.get("homeassistant/device/wavepose/node-1/config")!)
    expect(discovery.components.presence.device_class).toBe("occupancy")
  }

  it.skipIf(!hasMosquitto)(
    "is taken back from Home Assistant; publishing stops and goes on with the configuration",
    async () => {
      const until = (topic: string, payload: string) =>
        eventually(turn(() => last.get(topic)), (said) => said === payload, patienceMs)
      await until("homeassistant/device/wavepose/node-1/config", "")
      expect(service.output()).toContain(`{"ready":"mqtt","url":"mqtt://127.0.0.1:${broker!.port}"}`)
      expect(service.output()).not.toMatch(/pass(@|%40)word/)
      expect((await api.put("/config", { streaming: { mqtt_enabled: false } })).status).toBe(200)
      await until("wavepose/availability", "offline")
      expect((await api.put("/config", { streaming: { mqtt_enabled: true } })).status).toBe(200)
      await until("wavepose/availability", "online")
      // The service's health contains the reason.
      const publishing = async (): Promise<{ readonly status: string; readonly reason: string | null }> => {
        const { components } = (await api.get("/health/detailed")).body
        return components.edge.ways_out.find(({ destination }: { destination: string }) => destination === "mqtt")
      }
      expect(await publishing()).toEqual({ destination: "mqtt", status: "active", reason: null })
      await broker!.kill()
      const away = await eventually(publishing, ({ status }) => status === "unavailable", patienceMs)
      expect(away.reason).toMatch(/^MQTT: .*; the publisher reconnects\.$/)
      await broker!.start()
      await eventually(publishing, ({ status }) => status === "active", patienceMs)
    },
    4 * patienceMs,
  )
})
