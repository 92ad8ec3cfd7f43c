/** `wavepose node add` beside a real service: it says what is wrong until the node is heard with the key that it printed. */
import { spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeSigner } from "../../gateways/datagrams/signature.ts"
import { runCommand } from "../harness/command.ts"
import { ruviewDatagram } from "../harness/ruview.ts"
import { adminPassword, eventually, runtimeArguments, startService, type TestService } from "../harness/service.ts"

/** A proxy before the service, without an answer from it at the second examination. */
const interruptedProxy = async (target: string): Promise<{ readonly url: string; readonly server: Server }> => {
  let examinations = 0
  const server = createServer((incoming, outgoing) => {
    if (incoming.url!.endsWith("/system/diagnostics") && ++examinations === 2) {
      outgoing.writeHead(503).end()
      return
    }
    const { headers, method } = incoming
    incoming.pipe(request(`${target}${incoming.url}`, { method: method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

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
    const proxy = await interruptedProxy(service.pose)
    const args = ["node", "add", "node-1", "--environment", "kitchen", "--url", proxy.url]
    const child = spawn(process.execPath, [...runtimeArguments(), ...args], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const output = { stdout: "", stderr: "" }
    child.stdout!.on("data", (bytes) => output.stdout += String(bytes))
    child.stderr!.on("data", (bytes) => output.stderr += String(bytes))
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    const said = (text: RegExp) => eventually(() => Promise.resolve(output), ({ stderr }) => text.test(stderr))
    await said(/the service gives no diagnostics: status 503\. It is asked again\./)
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
    proxy.server.close()
    expect(output.stdout).toMatch(/node-1 is heard: \d+ CSI frames\/s, signed/)
  }, 120_000)

  it("prints one JSON object: the settings as long as it waits", async () => {
    const args = ["node", "add", "node-2", "--json", "--timeout", "1", "--url", service.pose]
    const { code, stdout } = await runCommand(args, { env: environment })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      node_id: "node-2",
      target_host: null,
      target_host_reason: expect.stringContaining("the service listens on loopback"),
      target_port: service.datagrams.port,
      node_number: "2",
      key: expect.stringMatching(/^wpk-/),
    })
  }, 60_000)

  it("ends with 1 where the node is not heard in time", async () => {
    const args = ["node", "add", "node-9", "--wait-only", "--timeout", "1", "--url", service.pose]
    const late = await runCommand(args, { env: environment })
    expect(late.code).toBe(1)
    expect(late.stderr).toMatch(/node-9 was not heard within 1 s\. To wait again: wavepose node add node-9 --wait-only/)
  }, 60_000)
})
