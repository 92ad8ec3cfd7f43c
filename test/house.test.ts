/**
 * The rules of the house, as a test: who imports whom, how long a file may be, what a pure room may touch, and that
 * nothing lies about unused.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const rooms = ["core", "protocols", "actors", "gateways", "sim", "deploy", "test"] as const
type Room = typeof rooms[number]

/** What each room may import of ours. */
const allowed: Record<Room, ReadonlyArray<Room>> = {
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

/** Longest file that is still one concept. Tests and tables may be longer than code. */
const linesMax = 300

/** Where programs begin: everything else must be reached from here. */
const entries = ["deploy/main.ts", "deploy/eval.ts", "deploy/prepare.ts", "core/kernels/wasm/assembly/index.ts"]

interface Source {
  /** From the root, with slashes. */
  readonly path: string
  readonly room: Room
  readonly text: string
  /** Specifiers of imports, re-exports, and workers started by URL. */
  readonly imports: ReadonlyArray<string>
}

const filesUnder = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "generated" || entry.name === "node_modules") return []
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesUnder(path) : path.endsWith(".ts") ? [path] : []
  })

const importPattern = /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|new URL\()"([^"]+)"/g

const sources: ReadonlyArray<Source> = rooms.flatMap((room) =>
  filesUnder(join(root, room)).map((file) => {
    const text = readFileSync(file, "utf8")
    return {
      path: relative(root, file),
      room,
      text,
      imports: [...text.matchAll(importPattern)].map((match) => match[1]!),
    }
  })
)

/** The path of an import of ours, or null for a package. */
const target = (source: Source, specifier: string): string | null =>
  specifier.startsWith(".") ? relative(root, resolve(root, dirname(source.path), specifier)) : null

const roomOf = (path: string): Room | undefined => rooms.find((room) => path.startsWith(`${room}/`))

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "")

describe("the house", () => {
  it("finds its sources", () => {
    for (const room of rooms) expect(sources.some((source) => source.room === room), room).toBe(true)
  })

  it("keeps the import graph", () => {
    const broken = sources.flatMap((source) =>
      source.imports.flatMap((specifier) => {
        const path = target(source, specifier)
        const room = path === null ? undefined : roomOf(path)
        return room === undefined || allowed[source.room].includes(room) ? [] : [`${source.path} imports ${path}`]
      })
    )
    expect(broken).toEqual([])
  })

  it("keeps the core pure: no package but pure ones, no clock, no randomness", () => {
    const impure = sources.filter(({ room }) => room === "core").flatMap(({ imports, path, text }) => [
      ...imports.filter((specifier) => !specifier.startsWith(".") && !purePackages.has(specifier))
        .map((specifier) => `${path} imports ${specifier}`),
      ...withoutComments(text).match(/\b(Date|performance|process|Deno|fetch|setTimeout|setInterval|crypto)\b/g)
        ?.map((word) => `${path} uses ${word}`) ?? [],
    ])
    expect(impure).toEqual([])
  })

  it("takes time and randomness from where they are injected", () => {
    const wild = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(|\bperformance\.now\(/g
    const found = sources.filter(({ room }) => room !== "test").flatMap(({ path, text }) =>
      (withoutComments(text).match(wild) ?? []).map((use) => `${path} uses ${use}`)
    )
    expect(found).toEqual([])
  })

  it("reads the environment's variables in the entry alone", () => {
    const readers = sources.filter(({ room, text }) => room !== "test" && /process\.env\b/.test(withoutComments(text)))
    expect(readers.map(({ path }) => path).filter((path) => !path.startsWith("deploy/"))).toEqual([])
  })

  it("keeps a file one concept", () => {
    const long = sources.filter(({ room }) => room !== "test").map((
      { path, text },
    ) => [path, text.split("\n").length - 1])
    expect(long.filter(([, lines]) => lines as number > linesMax)).toEqual([])
  })

  it("has a header in every file", () => {
    const bare = sources.filter(({ room, text }) => room !== "test" && !text.startsWith("/**"))
    expect(bare.map(({ path }) => path)).toEqual([])
  })

  it("keeps nothing that is not used", () => {
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
    expect(sources.filter(({ path, room }) => room !== "test" && !reached.has(path)).map(({ path }) => path)).toEqual(
      [],
    )
  })

  it("imports only what exists", () => {
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

  it("has no test that is alone or sleeps", () => {
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
