/**
 * The source tree as data, for the rules of the house: files, imports, exports, functions, comments, and circles in a graph.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "oxc-parser"

export const root = fileURLToPath(new URL("../..", import.meta.url))
export const rooms = ["core", "protocols", "actors", "gateways", "sim", "deploy", "test"] as const
type Room = typeof rooms[number]

interface Source {
  /** From the root, with slashes. */
  readonly path: string
  readonly room: Room
  readonly text: string
  /** Specifiers of imports, re-exports, and workers started by URL. */
  readonly imports: ReadonlyArray<string>
}

const generated = new Set(["generated", "node_modules"])

/** All files under a folder whose name ends in one of `extensions`, generated ones left out. */
export const filesUnder = (directory: string, extensions: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (generated.has(entry.name) || entry.name.startsWith(".")) return []
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return filesUnder(path, extensions)
    return extensions.some((extension) => path.endsWith(extension)) ? [path] : []
  })

const importPattern = /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|new URL\()"([^"]+)"/g

const readSource = (room: Room, file: string): Source => {
  const text = readFileSync(file, "utf8")
  return {
    path: relative(root, file),
    room,
    text,
    imports: [...text.matchAll(importPattern)].map((match) => match[1]!),
  }
}

/** Every TypeScript file of every room. */
export const sources: ReadonlyArray<Source> = rooms.flatMap((room) =>
  filesUnder(join(root, room), [".ts", ".tsx"]).map((file) => readSource(room, file))
)

/** The path of an import within the repository, or null for a package. */
export const target = (source: Source, specifier: string): string | null =>
  specifier.startsWith(".") ? relative(root, resolve(root, dirname(source.path), specifier)) : null

export const roomOf = (path: string): Room | undefined => rooms.find((room) => path.startsWith(`${room}/`))

export const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "")

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The import graph of the existing files. */
export const fileGraph = (among: ReadonlyArray<Source>): Graph => {
  const paths = new Set(among.map(({ path }) => path))
  return new Map(among.map((source) => {
    const targets = source.imports.map((specifier) => target(source, specifier))
    return [source.path, new Set(targets.filter((path) => path !== null && paths.has(path)) as ReadonlyArray<string>)]
  }))
}

/** The import graph of folders. A folder has its direct files only. */
export const folderGraph = (files: Graph): Graph => {
  const graph = new Map<string, Set<string>>()
  for (const [file, targets] of files) {
    const folder = dirname(file)
    const known = graph.get(folder) ?? new Set()
    graph.set(folder, known)
    for (const path of targets) if (dirname(path) !== folder) known.add(dirname(path))
  }
  return graph
}

/** One circle of a graph as a path, or null. */
export const circleOf = (graph: Graph): ReadonlyArray<string> | null => {
  const done = new Set<string>()
  const way: Array<string> = []
  const visit = (node: string): ReadonlyArray<string> | null => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node]
    if (done.has(node)) return null
    way.push(node)
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next)
      if (circle !== null) return circle
    }
    way.pop()
    done.add(node)
    return null
  }
  for (const node of graph.keys()) {
    const circle = visit(node)
    if (circle !== null) return circle
  }
  return null
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

/** Functions of a file with more lines than allowed, including the closures within them. */
export const longFunctions = ({ path, text }: Source, linesMax: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  const look = ({ end, start }: { readonly start: number; readonly end: number }): void => {
    const lines = text.slice(start, end).split("\n").length
    if (lines > linesMax) found.push(`${path}:${lineAt(text, start)} has ${lines} lines`)
  }
  const { program } = parseSync(path, text)
  new Visitor({ FunctionDeclaration: look, FunctionExpression: look, ArrowFunctionExpression: look }).visit(program)
  return found
}

const importedNames = /(?:import|export)\s+(?:type\s+)?([\s\S]*?)\s+from\s+"([^"]+)"/g
const wholeModule = /(?:\bimport\(\s*|new URL\()"([^"]+)"/g

/** Names that a file declares and exports. */
const exportedNames = ({ path, text }: Source): ReadonlyArray<string> =>
  parseSync(path, text).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, moduleRequest }) =>
      moduleRequest === null && exportName.name !== null ? [exportName.name] : []
    )
  )

/** For each file, the names that other files import from it; `*` for the whole module. */
const usedNames = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const used = new Map<string, Set<string>>()
  const use = (source: Source, specifier: string, names: ReadonlyArray<string>): void => {
    const path = target(source, specifier)
    if (path === null) return
    const known = used.get(path) ?? new Set()
    used.set(path, known)
    for (const name of names) known.add(name)
  }
  for (const source of sources) {
    for (const [, clause, specifier] of source.text.matchAll(importedNames)) {
      const braces = clause!.match(/\{([\s\S]*)\}/)?.[1] ?? ""
      const names = braces.split(",").map((name) => name.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0]!)
      use(source, specifier!, clause!.includes("*") ? ["*"] : names)
    }
    for (const [, specifier] of source.text.matchAll(wholeModule)) use(source, specifier!, ["*"])
  }
  return used
}

/** Exports that no other file imports. */
export const unusedExports = (): ReadonlyArray<string> => {
  const used = usedNames()
  return sources.flatMap((source) => {
    const names = used.get(source.path) ?? new Set()
    if (names.has("*")) return []
    return exportedNames(source).filter((name) => !names.has(name)).map((name) => `${source.path} exports ${name}`)
  })
}

const comments = /\/\*[\s\S]*?\*\/|\/\/.*$/gm
const reference = /(?<![\w/.@>-])(?:\.{0,2}\/)?((?:[\w-]+\/)*[\w-]+\.(?:ts|mjs|proto|py))\b/g

/** Programs of others that documents name. */
const foreignPrograms: ReadonlySet<string> = new Set(["idf.py"])

/** References of comments and documents to files that do not exist. */
export const staleReferences = (documents: ReadonlyArray<Pick<Source, "path" | "text">>): ReadonlyArray<string> => {
  const existing = filesUnder(root, [".ts", ".mjs", ".proto", ".py"]).map((file) => `/${relative(root, file)}`)
  const exists = (mentioned: string): boolean => existing.some((path) => path.endsWith(`/${mentioned}`))
  return documents.flatMap(({ path, text }) => {
    const prose = path.endsWith(".md") ? [text] : text.match(comments) ?? []
    return prose.flatMap((part) => [...part.matchAll(reference)].map((match) => match[1]!))
      .filter((mentioned) => !foreignPrograms.has(mentioned) && !exists(mentioned)).map((mentioned) =>
        `${path} mentions ${mentioned}`
      )
  })
}
