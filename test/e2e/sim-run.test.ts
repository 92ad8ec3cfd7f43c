/**
 * `wavepose sim` as its user runs it: into a running service, into a file, and from the file back into a service.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../harness/command.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-sim-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tenths = (scenario: string): ReadonlyArray<string> =>
  Array.from({ length: 10 }, (_, i) => `simulating ${scenario}: ${10 * (i + 1)} %`)

describe("sim run into a service", () => {
  let service: TestService
  let api: Awaited<ReturnType<typeof signIn>>
  let key = ""

  beforeAll(async () => {
    const site = await runCommand(["sim", "site", "one-link", "--seed", "4"])
    expect([site.code, site.stderr]).toEqual([0, ""])
    writeFileSync(join(folder, "site.json"), site.stdout)
    service = await startService({ args: ["--source", "none", "--site", join(folder, "site.json")] })
    api = await signIn(service)
    key = (await api.post("/auth/api-keys", { name: "sim run", role: "operator" })).body.key
  }, 90_000)
  afterAll(() => service?.kill())

  it("simulates to the end, as fast as the service accepts it, and reports its progress", async () => {
    const args = ["sim", "run", "one-link", "--seed", "4", "--seconds", "8", "--speed", "max"]
    const { code, stderr } = await runCommand([...args, "--to", `grpc://${service.grpc}`], {
      env: { WAVEPOSE_API_KEY: key },
    })
    expect(code).toBe(0)
    for (const line of tenths("one-link")) expect(stderr).toContain(line)
    expect(stderr).toMatch(/hops=80 /)
    expect(stderr).toMatch(/refusedBatches=0/)
    const latest = await eventually(
      () => api.get("/pose/latest?environment_id=one-link"),
      ({ status }) => status === 200,
    )
    expect(latest.body.metadata.provenance.source).toBe("simulated")
    // Empty rooms have no persons.
    expect(latest.body.persons).toEqual([])
  }, 90_000)

  it("reports an unknown API key", async () => {
    const { code, stderr } = await runCommand(
      ["sim", "run", "one-link", "--seconds", "1", "--to", `grpc://${service.grpc}`],
      { env: { WAVEPOSE_API_KEY: "no-such-key" } },
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/wavepose: /)
  }, 60_000)
})

describe("sim run into a file", () => {
  const file = join(folder, "room.csi")
  const run = (to: string, ...more: ReadonlyArray<string>) =>
    runCommand(["sim", "run", "small-room", "--seed", "3", "--seconds", "9", "--to", to, ...more])

  it("writes the same bytes at any speed, with the ground truth beside them", async () => {
    const first = await run(file)
    expect([first.code, first.stderr.trimEnd().split("\n")]).toEqual([0, tenths("small-room")])
    expect(first.stdout).toMatch(
      /^\d+ CSI frames of 9 s in .*room\.csi \(\d+\.\d MB\), ground truth in .*truth\.jsonl\n$/,
    )
    const slow = join(folder, "slow.csi")
    expect((await run(slow, "--speed", "5")).code).toBe(0)
    expect(readFileSync(file).equals(readFileSync(slow))).toBe(true)
    const truth = readFileSync(`${file}.truth.jsonl`, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(truth).toHaveLength(90)
    expect(truth.at(-1).persons[0]).toMatchObject({ environmentId: "small-room", activity: expect.any(String) })
  }, 120_000)

  it("writes a file that inspect reads and reports as simulated", async () => {
    const { code, stdout } = await runCommand(["inspect", file, "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      format: "wavepose-recording",
      hardware: "simulation of scenario small-room, seed 3",
      faults: [],
      subcarriers: 56,
      antennas: { rx: 3, tx: 1 },
      links: 30,
      duration_s: expect.closeTo(9, 1),
    })
  }, 60_000)

  it(
    "writes a file that start replays, with its sites calibrated while they are empty and every frame simulated",
    async () => {
      const service = await startService({ args: ["--replay", file] })
      try {
        await eventually(() => Promise.resolve(service.output()), (text) => text.includes("was SIMULATED"))
        const api = await signIn(service)
        const latest = await eventually(
          () => api.get("/pose/latest"),
          ({ body, status }) => status === 200 && body.metadata.provenance.calibrated,
          40_000,
        )
        expect(latest.body.metadata).toMatchObject({
          environment_id: "replay-small-room",
          provenance: { source: "simulated" },
        })
      } finally {
        await service.kill()
      }
    },
    90_000,
  )

  it.each<[string, ReadonlyArray<string>, RegExp, number?]>([
    ["a file without a length", ["small-room", "--to", "x.csi"], /--seconds/, 64],
    ["a scenario that is none", ["moon", "--seconds", "1", "--to", "x.csi"], /no scenario "moon"/, 64],
    ["a folder that is none", ["one-link", "--seconds", "1", "--to", "no/such/x.csi"], /cannot be written/],
    ["a speed that is none", ["one-link", "--speed", "quick", "--seconds", "1", "--to", "x.csi"], /speed/, 64],
  ])("rejects %s", async (_, args, message, exitCode = 1) => {
    const { code, stdout, stderr } = await runCommand(["sim", "run", ...args])
    expect(code).toBe(exitCode)
    expect(stdout + stderr).toMatch(message)
  }, 60_000)
})
