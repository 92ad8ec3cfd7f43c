/**
 * Builds the bundle of the service: all modules of `deploy/main.ts` in a few files without comments, types and line breaks.
 *
 * Deno keeps the text of every module twice, in V8 and in its module graph, with the comments: 1,200 modules take 35 MB more of each process
 * than the bundle, and a start takes a third of a second of CPU time more. The bundle has the names of the sources, so a stack trace says in
 * which function an error was thrown. Threads, plugins and data files are those of the sources: `import.meta.url` is replaced by the place of
 * the source. Plain JavaScript: the launcher runs it on any Node >= 20; an unchanged service costs some milliseconds.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, extname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** Where bundles are kept, each in a folder under the hash of its content, so that a running service keeps its own. */
const bundles = join(root, "prebuilt", "service")
const pointer = join(bundles, "current")
/** From a bundle's folder to the project's. */
const up = "../../../"
/** Bundles of running services may be older than the last one. */
const bundlesMax = 4

/** This file decides what a bundle is. */
const ownPath = relative(root, fileURLToPath(import.meta.url))

/** Native packages, and those that are loaded only if they are installed. */
const external = ["@node-rs/argon2", "webgpu", "gpu.js"]

/**
 * The entries. Effect reads a part of Node that the first one hides, and shared files are evaluated before the files that import them, so it
 * has a file of its own.
 */
const entries = { first: "actors/runtime/deno-fibers.ts", service: "deploy/main.ts" }
const mainText = 'import "./first.mjs"\nimport "./service.mjs"\n'

/** Begins each file. CommonJS packages call `require` and read their folder's name; a module of a bundle has neither. */
const banner =
  'import{createRequire as bundleRequire}from"node:module";import{fileURLToPath as bundlePath}from"node:url";' +
  "const bundleUrl=import.meta.url,require=bundleRequire(bundleUrl);"

const placeText = (path) => JSON.stringify(up + relative(root, path).replaceAll("\\", "/"))

/** Gives modules the places of their sources. */
const places = {
  name: "places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8")
      if (!/import\.meta\.url|__dirname/.test(text)) return undefined
      const contents = text.replaceAll("import.meta.url", `new URL(${placeText(path)},bundleUrl).href`)
        .replace(/\b__dirname\b/g, `bundlePath(new URL(${placeText(join(path, ".."))},bundleUrl))`)
      return { contents, loader: extname(path).endsWith("ts") ? "ts" : "js" }
    }),
}

const bundle = async (esbuild) => {
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, path]) => ({ in: join(root, path), out })),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "esnext",
    outdir: "bundle",
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    minifyWhitespace: true,
    // V8 keeps a text in two bytes a character if one of them is not Latin-1.
    charset: "ascii",
    legalComments: "none",
    banner: { js: banner },
    external,
    plugins: [places],
    metafile: true,
    write: false,
    logLevel: "silent",
  })
  // Otherwise its process lives as long as the launcher, that is as long as the service.
  await esbuild.stop()
  const files = outputFiles.map(({ contents, path }) => ({ name: basename(path), contents }))
  return {
    inputs: [...Object.keys(metafile.inputs), ownPath],
    files: [...files, { name: "main.mjs", contents: mainText }],
  }
}

/** The bundler; null if it is not installed, as in a production installation. */
const bundlerOf = () => {
  try {
    return createRequire(import.meta.url)("esbuild")
  } catch {
    return null
  }
}

const stampOf = (path) => {
  const { mtimeMs, size } = statSync(join(root, path), { throwIfNoEntry: false }) ?? {}
  return `${size} ${mtimeMs}`
}

const readCurrent = () => {
  try {
    const current = JSON.parse(readFileSync(pointer, "utf8"))
    return existsSync(join(bundles, current.key, "main.mjs")) ? current : null
  } catch {
    return null
  }
}

const removeOld = (except) => {
  const old = readdirSync(bundles).filter((name) => /^[0-9a-f]{16}$/.test(name) && name !== except)
    .map((name) => ({ path: join(bundles, name), atMs: statSync(join(bundles, name)).mtimeMs }))
    .sort((a, b) => b.atMs - a.atMs)
  for (const { path } of old.slice(bundlesMax - 1)) rmSync(path, { recursive: true, force: true })
}

const write = ({ files, inputs }, version) => {
  const hash = createHash("sha256")
  for (const { contents, name } of files) hash.update(name).update(contents)
  const key = hash.digest("hex").slice(0, 16)
  const folder = join(bundles, key)
  if (!existsSync(folder)) {
    const own = join(bundles, `.${process.pid}-${key}`)
    mkdirSync(own, { recursive: true })
    for (const { contents, name } of files) writeFileSync(join(own, name), contents)
    renameSync(own, folder)
  }
  const stamps = Object.fromEntries(inputs.map((path) => [path, stampOf(path)]))
  writeFileSync(`${pointer}.${process.pid}`, JSON.stringify({ key, version, stamps }))
  renameSync(`${pointer}.${process.pid}`, pointer)
  removeOld(key)
  return folder
}

const isFresh = ({ stamps, version }, bundler) =>
  version === bundler.version && Object.entries(stamps).every(([path, stamp]) => stampOf(path) === stamp)

/**
 * Builds the bundle unless its sources and the bundler are those of the last build. Without the bundler the last build is used.
 *
 * @returns {Promise<string>} the file to run; rejects if there is no bundle and none can be made
 */
export const buildService = async () => {
  const current = readCurrent()
  const bundler = bundlerOf()
  if (current !== null && (bundler === null || isFresh(current, bundler))) return join(bundles, current.key, "main.mjs")
  if (bundler === null) throw new Error("the bundler (esbuild, a development package) is not installed")
  return join(write(await bundle(bundler), bundler.version), "main.mjs")
}
