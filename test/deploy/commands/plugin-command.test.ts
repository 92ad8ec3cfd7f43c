import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { readManifest } from "../../../actors/home/plugins/manifest-files.ts"
import { pluginTemplate } from "../../../deploy/commands/plugin-template.ts"
import { runCommand } from "../../harness/command.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-plugin-command-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the template of a plugin", () => {
  it("has a valid manifest, and the service's types", () => {
    const files = new Map(pluginTemplate("front_door", "the types").map(({ file, text }) => [file, text]))
    const manifest = readManifest(files.get("manifest.json")!, "/plugins/front_door")
    expect(Result.isSuccess(manifest) && manifest.success.name).toBe("Front Door")
    expect(files.get("./api.ts")).toBe("the types")
    expect(files.get("plugin.ts")).toMatch(/} from "[.]\/api.ts"/)
    expect(files.get("README.md")).toContain('"plugin": "front_door"')
  })
})

describe("wavepose plugin", () => {
  it("writes a plugin once, and reports permissions and errors of manifests", async () => {
    const at = ["--folder", folder]
    expect(await runCommand(["plugin", "new", "arrivals", ...at])).toMatchObject({ code: 0, stderr: "" })
    const api = readFileSync(new URL("../../../actors/home/plugins/api.ts", import.meta.url), "utf8")
    expect(readFileSync(join(folder, "arrivals", "api.ts"), "utf8")).toBe(api)
    const [again, right] = await Promise.all([
      runCommand(["plugin", "new", "arrivals", ...at]),
      runCommand(["plugin", "check", ...at]),
    ])
    expect(again.code).toBe(1)
    expect(again.stderr).toContain("cannot be written")
    expect(right).toMatchObject({ code: 0, stderr: "" })
    expect(right.stdout).toContain("arrivals 0.1.0 is valid. Permissions on the machine: nothing; in the home: read")
    writeFileSync(join(folder, "arrivals", "manifest.json"), "{}")
    const wrong = await runCommand(["plugin", "check", ...at])
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toContain("arrivals: InvalidManifest")
  })
})
