/** The npm package: its content, and the copy that the launcher of an installed package runs. */
import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isInstalled, prebuiltFolder, prebuiltId, unpack } from "../../../deploy/packaged.mjs"
import { root } from "../../harness/sources.ts"

describe("the npm package", () => {
  it("has the sources, the model and the lists of data, and no tests", () => {
    const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
    const [{ files }] = JSON.parse(listed) as [{ files: ReadonlyArray<{ path: string }> }]
    const paths = files.map(({ path }) => path)
    const needed = [
      "deploy/launch.mjs",
      "deploy/main.ts",
      "deploy/permissions.json",
      "deno.json",
      "README.md",
      "LICENSE",
    ]
    expect(paths).toEqual(expect.arrayContaining([...needed, "deploy/models/wavepose.safetensors"]))
    expect(paths).toEqual(
      expect.arrayContaining(["sim/scenarios/living-room.json", "core/kernels/wasm/assembly/index.ts"]),
    )
    expect(paths.filter((path) => /^(test|node_modules|\.)/.test(path))).toEqual([])
  }, 60_000)
})

describe("an installed package", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "wavepose-package-")))
  const packages = join(folder, "node_modules")
  const installed = `${join(packages, "wavepose")}/`
  const before = process.env.XDG_CACHE_HOME

  const build = (id: string) => {
    mkdirSync(join(installed, "deploy"), { recursive: true })
    mkdirSync(join(installed, prebuiltFolder, "console"), { recursive: true })
    writeFileSync(join(installed, "deploy", "main.ts"), `// ${id}`)
    writeFileSync(join(installed, prebuiltFolder, "console", "current"), id)
    writeFileSync(join(installed, prebuiltFolder, prebuiltId), `${id}\n`)
  }

  beforeAll(() => {
    process.env.XDG_CACHE_HOME = join(folder, "cache")
    mkdirSync(join(packages, "effect"), { recursive: true })
  })
  afterAll(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME
    else process.env.XDG_CACHE_HOME = before
    rmSync(folder, { recursive: true, force: true })
  })

  it("is one whose folder is in node_modules", () => {
    expect([installed, `${root}/`, root].map(isInstalled)).toEqual([true, false, false])
  })

  it("is copied once, beside a link to its packages, with what was built before", () => {
    build("first")
    const copy = unpack(installed)
    expect(copy).not.toContain("node_modules")
    expect(readFileSync(join(copy, "deploy", "main.ts"), "utf8")).toBe("// first")
    expect(existsSync(join(copy, "node_modules", "effect"))).toBe(true)
    expect(readFileSync(join(packages, ".cache", "wavepose", "console", "current"), "utf8")).toBe("first")
    writeFileSync(join(copy, "deploy", "main.ts"), "// used")
    expect(unpack(installed)).toBe(copy)
    expect(readFileSync(join(copy, "deploy", "main.ts"), "utf8")).toBe("// used")
  })

  it("is copied again when another build is installed, and old copies are bounded", () => {
    for (const id of ["second", "third", "fourth", "fifth"]) {
      build(id)
      expect(readFileSync(join(unpack(installed), "deploy", "main.ts"), "utf8")).toBe(`// ${id}`)
    }
    expect(readdirSync(join(folder, "cache", "wavepose"))).toHaveLength(3)
  })
})
