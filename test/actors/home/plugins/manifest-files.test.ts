import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { forbidden, machinePermissions } from "../../../../actors/home/plugins/machine-permissions.ts"
import { findPlugins, readManifest } from "../../../../actors/home/plugins/manifest-files.ts"
import { writePlugin } from "./plugins.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-manifests-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const whole = { domain: "lamp", name: "Lamp", version: "1.2.3" }
const read = (manifest: unknown, at = "/plugins/lamp") => readManifest(JSON.stringify(manifest), at)
const messageOf = (manifest: unknown) => {
  const result = read(manifest)
  return Result.isFailure(result) ? result.failure.message : "valid"
}

describe("a manifest", () => {
  it("needs a domain, a name and a version, and may have unknown keys", () => {
    expect(read({ ...whole, quality_scale: "gold", mqtt: ["lamp/+"] })).toMatchObject({ success: whole })
  })

  it.each([
    [{ name: "Lamp", version: "1" }, "domain"],
    [{ domain: "lamp", version: "1" }, "name"],
    [{ domain: "lamp", name: "Lamp" }, "version"],
    [{ ...whole, version: "soon" }, "version"],
    [{ ...whole, domain: "Lamp" }, "slug"],
    [{ ...whole, domain: "other" }, "its folder lamp"],
    [{ ...whole, iot_class: "magic" }, "iot_class"],
    [{ ...whole, integration_type: "toy" }, "integration_type"],
    [{ ...whole, dependencies: ["a-b"] }, "dependencies"],
    [{ ...whole, main: "../other.ts" }, "main"],
    [{ ...whole, permissions: { machine: { run: ["sh"] } } }, "run"],
    [{ ...whole, permissions: { everything: true } }, "everything"],
    [{ ...whole, permissions: { services: ["turn_on"] } }, "services"],
    ["text", "object"],
  ])("%j is not valid, and the message contains %s", (manifest, word) => {
    expect(messageOf(manifest)).toContain(word)
  })

  it("is rejected if it is not JSON", () => {
    expect(readManifest("{", "/plugins/lamp")).toMatchObject({ failure: { _tag: "InvalidManifest" } })
  })
})

describe("permissions of the machine", () => {
  const none = { read: [], write: [], net: [], env: [], sys: [] }
  const secret = ["/data"]

  it("are those of the manifest and the plugin's own folder, and never programs, native code or remote code", () => {
    expect(machinePermissions("/plugins/lamp", none, ["/modules"])).toEqual({
      read: ["/plugins/lamp", "/modules"],
      write: false,
      net: false,
      env: false,
      sys: false,
      run: false,
      ffi: false,
      import: false,
    })
    expect(machinePermissions("/plugins/lamp", { ...none, read: ["/etc/hosts"], write: ["state"], net: ["a:1"] }, []))
      .toMatchObject({ read: ["/plugins/lamp", "/etc/hosts"], write: ["/plugins/lamp/state"], net: ["a:1"] })
  })

  it.each([
    [{ env: ["WAVEPOSE_JWT_SECRET"] }],
    [{ env: ["DATABASE_URL"] }],
    [{ write: ["."] }],
    [{ write: ["/plugins"] }],
    [{ write: ["manifest.json"] }],
    [{ write: ["./plugin.ts"] }],
    [{ read: ["/"] }],
    [{ read: ["/data/encryption-keys"] }],
    [{ read: ["../../data"] }],
  ])("are never %j", (asked) => {
    expect(forbidden("/plugins/lamp", { ...none, ...asked }, secret)).not.toBeNull()
  })

  it("may be within the plugin's own folder, wherever that is", () => {
    const asked = { ...none, read: ["notes"], write: ["state"], env: ["TZ"] }
    expect(forbidden("/data/plugins/lamp", asked, secret)).toBeNull()
  })
})

describe("a folder of plugins", () => {
  it("lists the plugins with a manifest, each with its error", async () => {
    writePlugin(folder, "good", {})
    writePlugin(folder, "bad", { manifest: { version: "" } })
    writePlugin(folder, "greedy", { manifest: { permissions: { machine: { read: ["/"] } } } })
    mkdirSync(join(folder, "no_manifest"))
    mkdirSync(join(folder, "unreadable", "manifest.json"), { recursive: true })
    writeFileSync(join(folder, "a-file"), "")
    const found = await Effect.runPromise(findPlugins({ path: folder, builtIn: false }, ["/data"]))
    const tags = [...found].map(([domain, read]) => [domain, Result.isSuccess(read) ? "ok" : read.failure._tag])
    expect(tags).toEqual([["bad", "InvalidManifest"], ["good", "ok"], ["greedy", "InvalidManifest"], [
      "unreadable",
      "Io",
    ]])
  })

  it("rejects a plugin with a link to what its permissions do not name", async () => {
    const linked = mkdtempSync(join(tmpdir(), "wavepose-linked-"))
    const write = { manifest: { permissions: { machine: { write: ["./data"] } } } }
    const links: ReadonlyArray<readonly [domain: string, target: string, link: string]> = [
      ["inside", "plugin.ts", "other.ts"],
      ["edited", "user@host.123:1", ".#plugin.ts"],
      ["outside", join(linked, "inside"), "files"],
      ["nowhere", join(linked, "later"), "files"],
      ["above", "../later", "files"],
      ["writable", linked, "data"],
      ["overwrites", "../plugin.ts", "data/notes"],
    ]
    for (const [domain, target, link] of links) {
      const path = writePlugin(linked, domain, write)
      if (link.startsWith("data/")) mkdirSync(join(path, "data"))
      symlinkSync(target, join(path, link))
    }
    const found = await Effect.runPromise(findPlugins({ path: linked, builtIn: false }, []))
    rmSync(linked, { recursive: true })
    const reasonOf = (domain: string) => {
      const read = found.get(domain)!
      return Result.isSuccess(read) ? null : read.failure.message
    }
    for (const domain of ["inside", "edited"]) expect(reasonOf(domain)).toBeNull()
    for (const [domain, , link] of links.slice(2)) expect(reasonOf(domain)).toContain(`may not have the link ${link}`)
  })

  it("is empty if the folder does not exist", async () => {
    const found = await Effect.runPromise(findPlugins({ path: join(folder, "absent"), builtIn: false }, []))
    expect(found.size).toBe(0)
  })
})
