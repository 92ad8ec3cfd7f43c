/**
 * `wavepose doctor` as its user runs it, against real services: healthy, without a source, with an unknown sender, stopped, and without its database.
 */
import { createSocket } from "node:dgram"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { storeSilentText } from "../../protocols/pose-api/health.ts"
import { runCommand } from "../harness/command.ts"
import { adminPassword, eventually, signIn, startService, type TestService } from "../harness/service.ts"

interface Finding {
  readonly check: string
  readonly verdict: string
  readonly finding: string
  readonly advice: string | null
}

const doctor = async (service: Pick<TestService, "pose">, env: Record<string, string> = {}) => {
  const { code, stderr, stdout } = await runCommand(["doctor", "--json", "--url", service.pose], {
    env: { WAVEPOSE_API_KEY: "", WAVEPOSE_ADMIN_PASSWORD: adminPassword, ...env },
  })
  const report = stdout === "" ? null : JSON.parse(stdout) as { healthy: boolean; findings: Array<Finding> }
  return { code, stderr, healthy: report?.healthy, findings: report?.findings ?? [] }
}

const found = (findings: ReadonlyArray<Finding>, check: RegExp): Finding | undefined =>
  findings.find((finding) => check.test(finding.check))

/** The finding that frames arrive late. */
const isLate = / s old \((late|stale)\)\. The (source|processor|environment|store) is behind/

describe("the doctor at a simulated room", () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ args: ["--scenario", "small-room"] })
    const api = await signIn(service)
    const frames = () => api.get("/pose/latest")
    await eventually(frames, ({ body, status }) => status === 200 && body.metadata.provenance.calibrated, 40_000)
  }, 60_000)
  afterAll(() => service?.kill())

  // They only read, and each examination waits for seconds: they run at the same time.
  const together = { concurrent: true, timeout: 60_000 }

  it("finds that frames flow: exit status 0", together, async () => {
    const { code, findings, healthy, stderr } = await doctor(service)
    const wrong = findings.filter(({ verdict }) => verdict !== "ok")
    // On a machine that is too slow for the simulator, frames are late, and the doctor reports only that.
    expect(wrong.filter(({ finding }) => !isLate.test(finding))).toEqual([])
    expect([code, healthy]).toEqual(wrong.length === 0 ? [0, true] : [1, false])
    if (wrong.length === 0) expect(stderr).toBe("")
    expect(found(findings, /^frames of small-room/)?.finding).toMatch(/[1-9]\d* within \d+ s/)
    expect(found(findings, /^clocks/)?.verdict).toBe("ok")
  })

  it("accepts an API key of an operator, but not one of a viewer", together, async () => {
    const api = await signIn(service)
    const keyOf = async (role: string) => (await api.post("/auth/api-keys", { name: role, role })).body.key as string
    const keys = await Promise.all([keyOf("operator"), keyOf("viewer")])
    const [operator, viewer] = await Promise.all([
      doctor(service, { WAVEPOSE_API_KEY: keys[0] }),
      doctor(service, { WAVEPOSE_API_KEY: keys[1] }),
    ])
    expect(found(operator.findings, /^access/)).toBeUndefined()
    expect(found(operator.findings, /^frames of small-room/)).toBeDefined()
    expect(viewer.code).toBe(1)
    expect(found(viewer.findings, /^access/)).toMatchObject({
      verdict: "problem",
      advice: expect.stringMatching(/operator/),
    })
  })

  it("names the variables that it needs, and reports a wrong password", together, async () => {
    const [none, wrong] = await Promise.all([
      doctor(service, { WAVEPOSE_ADMIN_PASSWORD: "" }),
      doctor(service, { WAVEPOSE_ADMIN_PASSWORD: "wrong" }),
    ])
    expect(none).toMatchObject({ code: 1, findings: [], stderr: expect.stringMatching(/WAVEPOSE_API_KEY/) })
    expect(wrong.code).toBe(1)
    expect(found(wrong.findings, /^access/)?.verdict).toBe("problem")
  })

  it("finds that the system is stopped", async () => {
    const api = await signIn(service)
    await api.post("/system/stop", { force: true })
    await eventually(() => api.get("/system/status"), ({ body }) => body.status === "stopped")
    const { code, findings } = await doctor(service)
    expect(code).toBe(1)
    expect(found(findings, /^system/)).toMatchObject({ verdict: "problem", advice: expect.stringMatching(/start/) })
  }, 60_000)
})

describe("the doctor at a service that waits for routers", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-doctor-"))
  const socket = createSocket("udp4")
  let service: TestService
  let sending: NodeJS.Timeout | undefined

  /** A RuView node's datagram of 64 bins. */
  const datagram = (node: number): Buffer => {
    const bytes = Buffer.alloc(20 + 128)
    bytes.writeUInt32LE(0xC5110001, 0)
    bytes.writeUInt8(node, 4)
    bytes.writeUInt8(1, 5)
    bytes.writeUInt16LE(64, 6)
    bytes.writeUInt32LE(2437, 8)
    for (let i = 0; i < 128; i++) bytes.writeInt8((i % 20) - 10, 20 + i)
    return bytes
  }
  const sendOn = (bytes: Buffer): void => {
    clearInterval(sending)
    sending = setInterval(() => socket.send(bytes, service.datagrams.port, service.datagrams.host), 20)
  }

  beforeAll(async () => {
    const site = join(folder, "site.json")
    writeFileSync(
      site,
      JSON.stringify({ environmentId: "flat-1", name: "Flat 1", geometry: null, routers: ["node-1"] }),
    )
    service = await startService({ args: ["--source", "none", "--site", site] })
  }, 60_000)
  afterAll(async () => {
    clearInterval(sending)
    socket.close()
    await service?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  it("finds that no datagram comes, and that only this machine could send one", async () => {
    const { code, findings, stderr } = await doctor(service)
    expect(code).toBe(1)
    expect(stderr).toMatch(/findings are problems/)
    expect(found(findings, /^datagrams/)).toMatchObject({
      verdict: "problem",
      finding: "no datagram was ever received",
      advice: expect.stringMatching(/WAVEPOSE_HOST/),
    })
    expect(found(findings, /^router node-1/)).toMatchObject({ verdict: "problem" })
    expect(found(findings, /^frames of flat-1/)).toMatchObject({ verdict: "problem" })
  }, 60_000)

  it("names a router that is not enrolled", async () => {
    sendOn(datagram(9))
    const { code, findings } = await doctor(service)
    expect(code).toBe(1)
    expect(found(findings, /^datagrams/)).toMatchObject({
      verdict: "problem",
      finding: expect.stringContaining("node-9"),
      advice: expect.stringContaining("--site"),
    })
  }, 60_000)

  it("names the sender of datagrams that are not CSI", async () => {
    sendOn(Buffer.from("this is not a packet of a router"))
    const { findings } = await doctor(service)
    expect(found(findings, /^datagrams/)?.finding).toMatch(/127\.0\.0\.1 .*wrong magic/)
  }, 60_000)

  it("finds that frames flow from an enrolled router, and what they cannot support", async () => {
    sendOn(datagram(1))
    const api = await signIn(service)
    await eventually(() => api.get("/pose/latest"), ({ status }) => status === 200)
    const { code, findings } = await doctor(service)
    expect(code).toBe(0)
    expect(found(findings, /^router node-1/)?.verdict).toBe("ok")
    expect(found(findings, /^calibration/)?.verdict).toBe("limit")
    expect(found(findings, /^location/)).toMatchObject({
      verdict: "limit",
      advice: expect.stringContaining("geometry"),
    })
  }, 60_000)
})

describe("the doctor where nothing runs", () => {
  it("reports that no service answers", async () => {
    const { code, findings, stderr } = await doctor({ pose: "http://127.0.0.1:9" })
    expect(code).toBe(69)
    expect(stderr).toMatch(/^wavepose: No service answers at http:/)
    expect(findings).toMatchObject([{ check: "service", verdict: "problem", advice: expect.stringMatching(/--url/) }])
  }, 60_000)
})

describe("the doctor at a service whose database does not answer", () => {
  it("says so, because without a database nobody can sign in", async () => {
    const health = { status: "degraded", version: "0.1.0", reasons: [storeSilentText] }
    const failure = { error: { code: "STORE_UNAVAILABLE", message: "The store cannot be reached at present." } }
    const server = createServer((request, response) => {
      const isHealth = request.url === "/api/v1/health"
      response.writeHead(isHealth ? 200 : 503).end(JSON.stringify(isHealth ? health : failure))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { code, findings } = await doctor({ pose: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    server.close()
    expect(code).toBe(1)
    expect(findings.map(({ check }) => check)).toEqual(["service", "store"])
    expect(found(findings, /^store/)).toMatchObject({
      finding: expect.stringContaining("the database does not answer"),
      advice: expect.stringContaining("Start PostgreSQL"),
    })
  }, 60_000)
})
