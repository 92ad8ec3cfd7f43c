import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type FirstSizes, pluginDisk } from "../../../../actors/home/plugins/disk-use.ts"
import { filesMax } from "../../../../core/home/plugin-budget.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-disk-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pluginThatWrites = (write: ReadonlyArray<string>) => ({
  folder: join(folder, "plugin"),
  builtIn: false,
  manifest: { domain: "plugin", name: "Plugin", version: "1.0.0", permissions: { machine: { write } } },
})
/** Makes empty files. */
const makeFiles = (path: string, count: number, name: string) => {
  mkdirSync(path, { recursive: true })
  for (let n = 0; n < count; n++) writeFileSync(join(path, `${name}${n}`), "")
}

describe("the disk of a plugin", () => {
  it("is none if it may write nothing", async () => {
    expect(await pluginDisk(pluginThatWrites([]), new Map())).toBeNull()
  })

  it("is its own folder, and what others have grown by since the first measurement, each measured to its end", async () => {
    const plugin = pluginThatWrites(["./data", join(folder, "many"), join(folder, "later", "on")])
    makeFiles(join(folder, "many"), filesMax - 1, "before")
    const firstSizes: FirstSizes = new Map()
    const first = (await pluginDisk(plugin, firstSizes))!
    expect(await first.measure()).toMatchObject({ bytes: 0, files: 0 })
    makeFiles(join(folder, "many", "a"), 9, "a")
    makeFiles(join(folder, "later", "on"), 1, "b")
    makeFiles(join(folder, "plugin", "data"), 3, "c")
    writeFileSync(join(folder, "many", "a", "big"), new Uint8Array(2 ** 20))
    for (const { measure } of [first, (await pluginDisk(plugin, firstSizes))!]) {
      const { bytes, disks, files } = await measure()
      expect(bytes).toBeGreaterThanOrEqual(2 ** 20)
      expect(files).toBe(11 + 2 + 4)
      expect(disks).toHaveLength(3)
      for (const { freeBytes, totalBytes } of disks) {
        expect(freeBytes).toBeGreaterThan(0)
        expect(totalBytes).toBeGreaterThanOrEqual(freeBytes)
      }
    }
  })

  it("includes what a link leads to", async () => {
    mkdirSync(join(folder, "linked"))
    symlinkSync(join(folder, "target"), join(folder, "linked", "link"))
    const { measure } = (await pluginDisk(pluginThatWrites([join(folder, "linked")]), new Map()))!
    mkdirSync(join(folder, "target"))
    writeFileSync(join(folder, "target", "file"), new Uint8Array(2 ** 20))
    expect((await measure()).bytes).toBeGreaterThanOrEqual(2 ** 20)
  })

  it("counts a folder once to which links lead, also in a circle", async () => {
    const path = join(folder, "circle")
    makeFiles(path, 60, "file")
    symlinkSync(".", join(path, "local"))
    symlinkSync(path, join(path, "same"))
    const firstSizes: FirstSizes = new Map()
    expect((await pluginDisk(pluginThatWrites([path]), firstSizes))!.tooLarge).toBeNull()
    expect(firstSizes.get(path)).toMatchObject({ files: 61 })
  })

  it("is not measured where a folder has more files than the budget", async () => {
    const path = join(folder, "crowded")
    makeFiles(path, filesMax, "before")
    expect((await pluginDisk(pluginThatWrites([path]), new Map()))!.tooLarge).toBe(path)
  })
})
