/** `wavepose mqtt` as a process, between the real gRPC edge and a real Mosquitto. */
import { Effect } from "effect"
import { connect, type MqttClient } from "mqtt"
import { spawn } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RouterDouble } from "../../gateways/cluster.ts"
import { withGrpcServer } from "../../gateways/grpc/site.ts"
import { runCommand } from "../../harness/command.ts"
import { edgeRecord } from "../../harness/edge-records.ts"
import { hasMosquitto, startMosquitto, type TestBroker } from "../../harness/mosquitto.ts"
import { eventually, runtimeArguments } from "../../harness/service.ts"

const router = new RouterDouble(() => Effect.die("not asked for"))

describe.skipIf(!hasMosquitto)("wavepose mqtt", () => {
  let broker: TestBroker
  let home: MqttClient
  const received: Array<{ readonly topic: string; readonly payload: string }> = []
  const came = (topic: string, payload?: string) =>
    eventually(
      () =>
        new Promise<boolean>((resolve) =>
          setImmediate(() =>
            resolve(received.some((one) => one.topic === topic && (payload === undefined || one.payload === payload)))
          )
        ),
      Boolean,
    )
  beforeAll(async () => {
    broker = await startMosquitto()
    home = connect({ host: "127.0.0.1", port: broker.port, protocolVersion: 5 })
    home.on("message", (topic, payload) => received.push({ topic, payload: String(payload) }))
    await home.subscribeAsync("#")
  }, 30_000)
  afterAll(async () => {
    await home.endAsync(true)
    await broker.stop()
  })
  const environmentOf = (base: string) => ({
    WAVEPOSE_API_KEY: "viewer",
    WAVEPOSE_MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
    WAVEPOSE_MQTT_TOPIC: base,
  })

  /** The publisher in front of a node of this class. */
  const refused = (name: string, privacyClass: 0 | 1) =>
    withGrpcServer(
      ({ nodes, port }) =>
        Effect.promise(async () => {
          nodes.say(edgeRecord("fine"))
          nodes.say(edgeRecord("secret", { privacyClass }))
          const { code, stderr } = await runCommand(["mqtt", "--from", `grpc://127.0.0.1:${port}`], {
            env: environmentOf(name),
          })
          expect(code).toBe(2)
          expect(stderr).toContain(
            `wavepose: Node secret: A record of privacy class ${name} (${privacyClass}) may not leave by MQTT`,
          )
        }),
      {},
      router,
    )

  it("ends with 2 and a reason at a record of class raw or derived, and publishes nothing of it", async () => {
    await Promise.all([refused("raw", 0), refused("derived", 1)])
    expect(received.filter(({ payload, topic }) => `${topic}${payload}`.includes("secret"))).toEqual([])
  }, 30_000)

  it(
    "publishes what the service says, takes a node back that is silenced, and dies with its will",
    () =>
      withGrpcServer(
        ({ nodes, port }) =>
          Effect.promise(async () => {
            nodes.say(edgeRecord("node-1", { privacyClass: 3 }))
            const child = spawn(
              process.execPath,
              [...runtimeArguments(), "mqtt", "--from", `grpc://127.0.0.1:${port}`],
              { env: { ...process.env, ...environmentOf("whole") }, stdio: "ignore" },
            )
            const ended = new Promise((resolve) => child.once("exit", resolve))
            await came("whole/node-1/state")
            const { payload } = received.find(({ topic }) => topic === "whole/node-1/state")!
            expect(JSON.parse(payload)).toMatchObject({ presence: true, n_persons: 2, privacy_class: 3 })
            expect(payload).not.toMatch(/"(anomaly_score|breathing_rate_bpm)":/)
            const revoked = edgeRecord("node-1", { privacyClass: 3, seenMs: 1_800_000_000_000 })
            nodes.say({ ...revoked, entry: { ...revoked.entry, standing: "revoked" } })
            await came("homeassistant/device/whole/node-1/config", "")
            child.kill("SIGKILL")
            await ended
            await came("whole/availability", "offline")
          }),
        {},
        router,
      ),
    30_000,
  )
})
