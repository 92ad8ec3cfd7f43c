/** The build of the kernels, which is cached by the hash of its inputs. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { loadKernelModule } from "../../../../actors/runtime/kernels/kernel-module.ts"

const root = await mkdtemp(join(tmpdir(), "wavepose-"))
afterAll(() => rm(root, { recursive: true, force: true }))

const imported = "answer.ts"
let sources: string
let folder: string
const write = (name: string, text: string) => writeFile(join(sources, name), text)

beforeEach(async () => {
  sources = await mkdtemp(join(root, "sources-"))
  folder = join(await mkdtemp(join(root, "cache-")), "not", "there", "yet")
  await write("index.ts", `export { answer } from "./${imported}"`)
  await write(imported, "export function answer(): i32 { return 42 }")
})

describe("the kernels' module", () => {
  it("is compiled on first use, and cached", async () => {
    let builds = 0
    const load = () => loadKernelModule({ sources, folder, onBuild: () => builds++ })
    const first = await load()
    const second = await load()
    expect([first.built, second.built, builds]).toEqual([true, false, 1])
    expect(new Uint8Array(second.bytes)).toEqual(new Uint8Array(first.bytes))
    expect([...first.bytes.subarray(0, 4)]).toEqual([0, 0x61, 0x73, 0x6d])
  }, 60_000)

  it("is compiled again when a source has changed, and replaces the earlier one", async () => {
    const first = await loadKernelModule({ sources, folder })
    await write(imported, "export function answer(): i32 { return 43 }")
    const second = await loadKernelModule({ sources, folder })
    expect(second.built).toBe(true)
    expect(new Uint8Array(second.bytes)).not.toEqual(new Uint8Array(first.bytes))
    expect(await readdir(folder)).toHaveLength(1)
  }, 60_000)

  it("rejects with the compiler's message when the sources are wrong, and caches nothing", async () => {
    await write(imported, "export function answer(): i32 { return missing }")
    await expect(loadKernelModule({ sources, folder })).rejects.toThrow(/missing[\s\S]*answer\.ts/)
    await expect(readdir(folder)).rejects.toThrow("ENOENT")
  }, 60_000)

  it("is compiled even if it cannot be cached", async () => {
    await write("file", "")
    const { bytes, built } = await loadKernelModule({ sources, folder: join(sources, "file", "cache") })
    expect(built).toBe(true)
    expect(bytes.length).toBeGreaterThan(0)
  }, 60_000)
})
