/** Start and stop of a service as a process: errors are found before any part starts, and a stop logs no error. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createSocket } from "node:dgram"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { runCommand } from "../harness/command.ts"
import { adminPassword, eventually, freePorts, startService } from "../harness/service.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-start-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const quiet = {
  ...freePorts,
  WAVEPOSE_BRIDGE: "off",
  WAVEPOSE_ADMIN_PASSWORD: adminPassword,
  DATABASE_URL: "",
}

/** Starts a service that must not start, but exit with this code; returns its one line. */
const fails = async (
  exitCode: number,
  name: string,
  args: ReadonlyArray<string>,
  env: Record<string, string>,
): Promise<string> => {
  const data = join(folder, name)
  const { code, stderr, stdout } = await runCommand(["start", ...args], {
    env: { ...quiet, WAVEPOSE_DATA_DIR: data, ...env },
  })
  expect(code).toBe(exitCode)
  expect(stdout).toBe("")
  expect(stderr.trim().split("\n")).toHaveLength(1)
  // No part has started: the database would have created its folder.
  expect(existsSync(data)).toBe(false)
  return stderr
}

describe("a start that cannot succeed", () => {
  it("ends with one line for a scenario that does not exist", async () => {
    expect(await fails(64, "scenario", ["--scenario", "hom"], {})).toMatch(/^wavepose: There is no scenario "hom"/)
  })

  it("ends with one line that names every busy port and its variable", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    const socket = createSocket("udp4")
    await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve))
    const { port } = server.address() as { port: number }
    const udp = socket.address().port
    const line = await fails(1, "port", ["--source", "none"], {
      WAVEPOSE_HOME_PORT: String(port),
      WAVEPOSE_UDP_PORT: String(udp),
    })
    expect(line).toContain(`TCP 127.0.0.1:${port} is in use (WAVEPOSE_HOME_PORT)`)
    expect(line).toContain(`UDP 127.0.0.1:${udp} is in use (WAVEPOSE_UDP_PORT)`)
    server.close()
    socket.close()
  })
})

describe("a stop", () => {
  it("ends the children first, and logs no warning and no error", async () => {
    const service = await startService({
      args: ["--scenario", "home"],
      env: { WAVEPOSE_BRIDGE: "on", WAVEPOSE_LOG_FORMAT: "json" },
    })
    await eventually(() => Promise.resolve(service.output()), (text) => text.includes('"ready":"bridge"'), 60_000)
    const before = service.output().length
    expect(await service.stop()).toBe(0)
    const entries = service.output().slice(before).split("\n").filter((line) => line !== "").map((line) =>
      JSON.parse(line) as { readonly level: string; readonly component: string; readonly message: string }
    )
    expect(entries.filter(({ level }) => level !== "info")).toEqual([])
    expect(entries.filter(({ component, message }) => component === "bridge" && /opened again/.test(message)))
      .toEqual([])
  }, 120_000)
})
