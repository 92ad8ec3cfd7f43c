/** `wavepose node add` beside a real service: it says what is wrong until the node is heard with the key that it printed. */
import { spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeSigner } from "../../gateways/datagrams/signature.ts"
import { runCommand } from "../harness/command.ts"
import { ruviewDatagram } from "../harness/ruview.ts"
import { adminPassword, eventually, runtimeArguments, startService, type TestService } from "../harness/service.ts"

describe("wavepose node add", () => {
  let service: TestService
  const environment = { WAVEPOSE_ADMIN_PASSWORD: adminPassword, WAVEPOSE_API_KEY: "" }
  beforeAll(async () => {
    service = await startService()
  }, 60_000)
  afterAll(async () => {
    await service.stop()
  })

  it("prints the settings, says what is wrong, and ends when the node is heard", async () => {
    const args = ["node", "add", "node-1", "--environment", "kitchen", "--url", service.pose]
    const child = spawn(process.execPath, [...runtimeArguments(), ...args], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const output = { stdout: "", stderr: "" }
    child.stdout!.on("data", (bytes) => output.stdout += String(bytes))
    child.stderr!.on("data", (bytes) => output.stderr += String(bytes))
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    const said = (text: RegExp) => eventually(() => Promise.resolve(output), ({ stderr }) => text.test(stderr))
    await said(/no datagram was ever received\..*WAVEPOSE_HOST/)
    expect(output.stdout).toMatch(/target port +\d+ \(UDP\)/)
    expect(output.stdout).toMatch(/node number +1$/m)
    const key = /wpk-\S+/.exec(output.stdout)![0]

    const { host, port } = service.datagrams
    const socket = createSocket("udp4")
    let sequence = 0
    let send = (bytes: Uint8Array): Uint8Array => bytes
    const sending = eventually(() => {
      socket.send(send(ruviewDatagram(1, ++sequence)), port, host)
      return Promise.resolve(child.exitCode)
    }, (code) => code !== null)
    await said(/node-1 arrive and are dropped \(unsigned\)\..*Give the node its key/)
    send = makeSigner(key, 1)!
    expect(await ended).toBe(0)
    await sending
    socket.close()
    expect(output.stdout).toMatch(/node-1 is heard: \d+ CSI frames\/s, signed/)
  }, 120_000)

  it("ends with 1 where the node is not heard in time", async () => {
    const args = ["node", "add", "node-9", "--wait-only", "--timeout", "1", "--url", service.pose]
    const late = await runCommand(args, { env: environment })
    expect(late.code).toBe(1)
    expect(late.stderr).toMatch(/node-9 was not heard within 1 s\. To wait again: wavepose node add node-9 --wait-only/)
  }, 60_000)
})
