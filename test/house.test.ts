/**
 * The rules of the house, as a test: which room may import which, sizes, circles, purity of the core, unused code, stale references.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, matchesGlob, relative } from "node:path"
import { describe, expect, it } from "vitest"
import {
  circleOf,
  fileGraph,
  filesUnder,
  folderGraph,
  longFunctions,
  roomOf,
  rooms,
  root,
  sources,
  staleReferences,
  target,
  unusedExports,
  withoutComments,
} from "./harness/sources.ts"
import { partTests, slowCoreTests } from "../vitest.config.ts"

/** What each room may import of ours. */
const allowed: Record<typeof rooms[number], ReadonlyArray<typeof rooms[number]>> = {
  core: ["core"],
  protocols: ["protocols", "core"],
  actors: ["actors", "protocols", "core"],
  gateways: ["gateways", "protocols", "core"],
  sim: ["sim", "protocols", "core"],
  deploy: ["deploy", "actors", "gateways", "sim", "protocols", "core"],
  test: ["test", "deploy", "actors", "gateways", "sim", "protocols", "core"],
}

/** Packages that the core may use: functions of their arguments, and nothing else. */
const purePackages: ReadonlySet<string> = new Set(["fflate"])

/** What the core may not name: clocks, randomness, processes, devices, and anything asynchronous. */
const impureNames =
  /\b(Date|performance|process|Deno|fetch|setTimeout|setInterval|crypto|Promise|async|await|Worker|GPUDevice|GPUBuffer|SharedArrayBuffer)\b/g

/** The longest file and function. Tests may be longer. */
const fileLinesMax = 300
const functionLinesMax = 70

/** Where programs begin: all other files must be reached from here. */
const entries = [
  "deploy/main.ts",
  "deploy/eval/main.ts",
  "deploy/cluster-simulation/main.ts",
  "deploy/prepare.ts",
  "deploy/proto/main.ts",
  "deploy/proto/check.ts",
  "deploy/proto/clients.ts",
  "core/kernels/wasm/assembly/index.ts",
  "gateways/console/web/main.tsx",
  "protocols/clients/typescript/grpc.ts",
  "protocols/clients/typescript/mod.ts",
]

/** What runs in a browser has the browser's clock. */
const inBrowser = /^(gateways\/console\/web|gateways\/pose\/docs\/docs-script|protocols\/clients\/typescript)[/.]/

/** Exports that are used by what is generated from them, not by an import. */
const compiledApart = /^core\/kernels\/wasm\/assembly\//

const product = sources.filter(({ room }) => room !== "test")
const core = sources.filter(({ room }) => room === "core")

describe("the import graph", () => {
  it("has sources in every room", () => {
    for (const room of rooms) expect(sources.some((source) => source.room === room), room).toBe(true)
  })

  it("has no import of a room that is not allowed", () => {
    const broken = sources.flatMap((source) =>
      source.imports.flatMap((specifier) => {
        const path = target(source, specifier)
        const room = path === null ? undefined : roomOf(path)
        return room === undefined || allowed[source.room].includes(room) ? [] : [`${source.path} imports ${path}`]
      })
    )
    expect(broken).toEqual([])
  })

  it("has no circle of files", () => {
    expect(circleOf(fileGraph(sources))).toBeNull()
  })

  it("has no circle of folders", () => {
    expect(circleOf(folderGraph(fileGraph(product)))).toBeNull()
  })

  it("has no import of a file that does not exist", () => {
    const missing = sources.flatMap((source) =>
      source.imports.flatMap((specifier) => {
        const path = target(source, specifier)
        return path === null || !path.endsWith(".ts") || existsSync(join(root, path))
          ? []
          : [`${source.path} imports ${path}`]
      })
    )
    expect(missing).toEqual([])
  })
})

describe("purity", () => {
  it("the core uses no package but pure ones", () => {
    const impure = core.flatMap(({ imports, path }) =>
      imports.filter((specifier) => !specifier.startsWith(".") && !purePackages.has(specifier))
        .map((specifier) => `${path} imports ${specifier}`)
    )
    expect(impure).toEqual([])
  })

  it("the core has no clock, randomness, device or asynchronous code", () => {
    const impure = core.flatMap(({ path, text }) =>
      (withoutComments(text).match(impureNames) ?? []).map((word) => `${path} uses ${word}`)
    )
    expect(impure).toEqual([])
  })

  it("time and randomness are injected", () => {
    const wild = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(|\bperformance\.now\(/g
    const found = product.filter(({ path }) => !inBrowser.test(path)).flatMap(({ path, text }) =>
      (withoutComments(text).match(wild) ?? []).map((use) => `${path} uses ${use}`)
    )
    expect(found).toEqual([])
  })

  it("only deploy reads the variables of the environment", () => {
    const readers = product.filter(({ text }) => /process\.env\b/.test(withoutComments(text)))
    expect(readers.map(({ path }) => path).filter((path) => !path.startsWith("deploy/"))).toEqual([])
  })
})

describe("sizes", () => {
  it(`no file has over ${fileLinesMax} lines`, () => {
    const scripts = rooms.filter((room) => room !== "test").flatMap((room) =>
      filesUnder(join(root, room), [".mjs", ".py"]).map((file) => ({
        path: relative(root, file),
        text: readFileSync(file, "utf8"),
      }))
    )
    expect(scripts.length).toBeGreaterThan(0)
    const long = [...product, ...scripts].map(({ path, text }) => [path, text.split("\n").length - 1] as const)
    expect(long.filter(([, lines]) => lines > fileLinesMax)).toEqual([])
  })

  it(`no function has over ${functionLinesMax} lines`, () => {
    const long = product.flatMap((source) => longFunctions(source, functionLinesMax))
    expect(long).toEqual([])
  })

  it("no entity file has over 150 lines", () => {
    const entities = product.filter(({ path }) => path.startsWith("actors/") && path.endsWith("-entity.ts"))
    expect(entities.length).toBeGreaterThan(5)
    const long = entities.map(({ path, text }) => [path, text.split("\n").length - 1] as const)
    expect(long.filter(([, lines]) => lines > 150)).toEqual([])
  })
})

describe("comments", () => {
  it("every file has a header", () => {
    expect(product.filter(({ text }) => !text.startsWith("/**")).map(({ path }) => path)).toEqual([])
  })

  it("comments and documents mention only files that exist", () => {
    const documents = filesUnder(root, [".md"]).filter((file) => !file.endsWith("CHANGELOG.md"))
      .map((file) => ({ path: relative(root, file), text: readFileSync(file, "utf8") }))
    expect(staleReferences([...sources, ...documents])).toEqual([])
  })
})

describe("unused code", () => {
  it("every file is reached from an entry", () => {
    const byPath = new Map(sources.map((source) => [source.path, source]))
    const reached = new Set<string>()
    const visit = (path: string): void => {
      const source = byPath.get(path)
      if (source === undefined || reached.has(path)) return
      reached.add(path)
      for (const specifier of source.imports) {
        const next = target(source, specifier)
        if (next !== null) visit(next)
      }
    }
    entries.forEach(visit)
    expect(product.filter(({ path }) => !reached.has(path)).map(({ path }) => path)).toEqual([])
  })

  it("every export is imported by another file", () => {
    expect(unusedExports().filter((line) => !compiledApart.test(line))).toEqual([])
  })
})

describe("tests", () => {
  it("no test of the project pure runs the simulator", () => {
    const graph = fileGraph(sources)
    const reaches = (path: string, seen = new Set<string>()): boolean => {
      if (seen.has(path)) return false
      seen.add(path)
      return path.startsWith("sim/simulation/") || [...graph.get(path) ?? []].some((next) => reaches(next, seen))
    }
    const simulating = sources.map(({ path }) => path).filter((path) =>
      path.startsWith("test/core/") && path.endsWith(".test.ts") && reaches(path)
    )
    expect(simulating.filter((path) => !slowCoreTests.includes(path))).toEqual([])
    expect(slowCoreTests.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it("no test of the project parts opens a socket, a process or a thread of its own", () => {
    const binding = /"node:(net|dgram|https?|http2|tls|child_process|worker_threads)"|\bstartService\(/
    const tests = sources.filter(({ path }) => path.endsWith(".test.ts") && path !== "test/house.test.ts")
    const matched = (pattern: string) => tests.filter(({ path }) => matchesGlob(path, pattern))
    expect(partTests.flatMap(matched).filter(({ text }) => binding.test(text)).map(({ path }) => path)).toEqual([])
    expect(partTests.filter((pattern) => matched(pattern).length === 0)).toEqual([])
  })

  it("no test is alone, postponed, or sleeps", () => {
    const marks = new RegExp(
      `\\.(${["only", "todo"].join("|")})\\(|Effect\\.${"sleep"}\\(|(?<!prevent)set${"Timeout"}\\(`,
    )
    const found = sources.filter(({ path, room, text }) =>
      room === "test" && !path.startsWith("test/bench/") && path !== "test/house.test.ts" &&
      marks.test(withoutComments(text))
    )
    expect(found.map(({ path }) => path)).toEqual([])
  })
})
