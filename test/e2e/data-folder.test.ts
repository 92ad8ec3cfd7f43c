/** A data folder in use, as processes with the launcher's permissions see it; and the administrator's password that was lost. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { runCommand } from "../harness/command.ts"
import { hasPostgres, startPostgres } from "../harness/postgres.ts"
import { adminPassword, runtimeArguments, signIn, startService, type TestService } from "../harness/service.ts"

const root = mkdtempSync(join(tmpdir(), "wavepose-folder-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const dataDirectory = join(root, "data")
const lockPath = join(dataDirectory, ".lock")

const ports = ["PORT", "GRPC_PORT", "UDP_PORT", "NEXMON_PORT", "HOME_PORT", "CLUSTER_PORT", "BRIDGE_PORT"]
const env = {
  ...Object.fromEntries(ports.map((name) => [`WAVEPOSE_${name}`, "0"])),
  WAVEPOSE_BRIDGE: "off",
  WAVEPOSE_DATA_DIR: dataDirectory,
  DATABASE_URL: "",
}
const status = (service: TestService, password: string): Promise<number> =>
  fetch(`${service.pose}/api/v1/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password }),
  }).then((answer) => answer.status)

describe("a data folder in use", () => {
  it.skipIf(!("Deno" in globalThis))("is tested with the permissions that the launcher gives", () => {
    expect(runtimeArguments()).toContain(`--allow-run=${process.execPath}`)
    expect(runtimeArguments().filter((flag) => ["-A", "--allow-all", "--allow-run"].includes(flag))).toEqual([])
  })

  it("is rejected by every command that needs it, keeps its lock, and is free after kill -9", async () => {
    const service = await startService({ dataDirectory })
    const holder = readFileSync(lockPath, "utf8")
    expect(holder).toContain(`process ${service.process.pid} on `)
    const commands = [
      ["start", "--source", "none"],
      ["backup", join(root, "copy")],
      ["restore", join(root, "copy")],
      ["users", "reset-password"],
    ]
    for (const command of commands) {
      const { code, stderr, stdout } = await runCommand(command, { env })
      expect([command[0], code, stdout]).toEqual([command[0], 1, ""])
      expect(stderr).toContain(`The data folder ${dataDirectory} is in use by ${holder.trim()}.`)
      expect(stderr.trim().split("\n")).toHaveLength(1)
    }
    expect(existsSync(join(root, "copy"))).toBe(false)
    expect(readFileSync(lockPath, "utf8")).toBe(holder)
    expect((await (await signIn(service)).get("/system/status")).status).toBe(200)

    await service.kill()
    expect(readFileSync(lockPath, "utf8")).toBe(holder)
    const again = await startService({ dataDirectory })
    expect(again.output()).toContain(`was last used by ${holder.trim()}, which ended without closing it`)
    expect(await again.stop()).toBe(0)
    expect(existsSync(lockPath)).toBe(false)
    expect((await runCommand(["backup", join(root, "copy")], { env })).code).toBe(0)
  }, 120_000)

  it("accepts a reset of a lost password, and a start warns that WAVEPOSE_ADMIN_PASSWORD has no effect", async () => {
    const reset = await runCommand(["users", "reset-password"], { env })
    expect(reset.code).toBe(0)
    const password = reset.stdout.trim()
    expect(password).toMatch(/^[\w-]{24}$/)
    expect(reset.stderr).toContain('The user "admin" has a new password')
    expect((await runCommand(["users", "reset-password", "nobody"], { env })).stderr).toContain('no user "nobody"')

    const service = await startService({ dataDirectory })
    const warnings = service.output().split("\n").filter((line) =>
      line.includes("WAVEPOSE_ADMIN_PASSWORD has no effect")
    )
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain("wavepose user reset-password admin --password-from environment")
    expect(await status(service, adminPassword)).toBe(401)
    expect(await status(service, password)).toBe(200)
    await service.stop()

    const from = ["users", "reset-password", "admin", "--password-from"]
    const given = await runCommand([...from, "environment"], {
      env: { ...env, WAVEPOSE_ADMIN_PASSWORD: adminPassword },
    })
    expect([given.code, given.stdout]).toEqual([0, ""])
    const quiet = await startService({ dataDirectory })
    expect(quiet.output()).not.toContain("WAVEPOSE_ADMIN_PASSWORD")
    expect(await status(quiet, adminPassword)).toBe(200)
    await quiet.stop()
    const short = await runCommand([...from, "stdin"], { env, stdin: new TextEncoder().encode("short\n") })
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining("12 to 1024 characters")])
  }, 120_000)
})

it.skipIf(!await hasPostgres())("a password is reset in PostgreSQL while a node runs on it", async () => {
  const postgres = (await startPostgres())!
  const inPostgres = { ...env, DATABASE_URL: postgres.url }
  const early = await runCommand(["users", "reset-password"], { env: inPostgres })
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("schema version 0")])
  const service = await startService({ env: { DATABASE_URL: postgres.url } })
  const password = "one more long password"
  const stdin = new TextEncoder().encode(`${password}\n`)
  const reset = await runCommand(["users", "reset-password", "--password-from", "stdin"], { env: inPostgres, stdin })
  expect([reset.code, reset.stdout]).toEqual([0, ""])
  expect(await status(service, adminPassword)).toBe(401)
  expect(await status(service, password)).toBe(200)
  await service.stop()
  await postgres.stop()
}, 120_000)
