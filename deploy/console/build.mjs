/**
 * Builds the web console: bundles `gateways/console/web` with esbuild, compresses every file, and keeps the result under the hash of what it
 * was made from. Plain JavaScript: the launcher runs it on any Node >= 20 before the service starts; an unchanged console costs some
 * milliseconds.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

const root = fileURLToPath(new URL("../..", import.meta.url))
const sources = join(root, "gateways", "console", "web")
/** Where builds are kept. */
export const consoleFolder = join(root, "node_modules", ".cache", "wavepose", "console")

/** Browsers of the last three years; nothing is lowered for older ones. */
const target = ["chrome120", "firefox121", "safari17.4"]

const filesUnder = (directory) =>
  readdirSync(directory, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesUnder(path) : [path]
  })

const hashOf = (...parts) => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

const bundle = async () => {
  const { build, stop } = createRequire(import.meta.url)("esbuild")
  const { outputFiles } = await build({
    entryPoints: [join(sources, "main.tsx"), join(sources, "main.css")],
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    target,
    jsx: "automatic",
    jsxImportSource: "preact",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: "assets",
    legalComments: "none",
    write: false,
    logLevel: "silent",
  })
  // Otherwise its process lives as long as the launcher, that is as long as the service.
  await stop()
  const assets = outputFiles.map(({ contents, path }) => ({ path: `assets/${path.split(/[/\\]/).at(-1)}`, contents }))
  const icon = readFileSync(join(sources, "icon.svg"))
  const iconPath = `assets/icon-${hashOf(icon).slice(0, 8)}.svg`
  const nameOf = (stem, ending) =>
    assets.find(({ path }) => path.startsWith(`assets/${stem}-`) && path.endsWith(ending)).path
  const page = readFileSync(join(sources, "index.html"), "utf8")
    .replace("assets/icon.svg", iconPath)
    .replace("assets/main.css", nameOf("main", ".css"))
    .replace("assets/main.js", nameOf("main", ".js"))
  return [{ path: "index.html", contents: Buffer.from(page) }, { path: iconPath, contents: icon }, ...assets]
}

/** Writes a file and its compressed forms. */
const writeAsset = (directory, { contents, path }) => {
  const file = join(directory, path)
  writeFileSync(file, contents)
  writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }))
  writeFileSync(`${file}.br`, brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
}

/** The version of the bundler; null if it is not installed, as in a production installation, whose console was built before. */
const bundlerVersion = () => {
  try {
    return createRequire(import.meta.url)("esbuild/package.json").version
  } catch {
    return null
  }
}

/**
 * Builds the console unless its sources and the bundler are those of the last build. The folder's `current` file names the build in use.
 * Without the bundler the last build is used.
 *
 * @returns {Promise<boolean>} whether it was built now; rejects if there is no build and none can be made
 */
export const buildConsole = async () => {
  const version = bundlerVersion()
  if (version === null) {
    if (existsSync(join(consoleFolder, "current"))) return false
    throw new Error(
      "its bundler (esbuild, a development package) is not installed, and there is no earlier build. Run `npm ci`.",
    )
  }
  const key = hashOf(version, ...filesUnder(sources).flatMap((file) => [file.slice(root.length), readFileSync(file)]))
    .slice(0, 16)
  const pointer = join(consoleFolder, "current")
  if (existsSync(pointer) && readFileSync(pointer, "utf8") === key && existsSync(join(consoleFolder, key))) return false
  const assets = await bundle()
  const own = join(consoleFolder, `.${process.pid}-${key}`)
  mkdirSync(join(own, "assets"), { recursive: true })
  for (const asset of assets) writeAsset(own, asset)
  rmSync(join(consoleFolder, key), { recursive: true, force: true })
  renameSync(own, join(consoleFolder, key))
  writeFileSync(`${pointer}.${process.pid}`, key)
  renameSync(`${pointer}.${process.pid}`, pointer)
  for (const name of readdirSync(consoleFolder)) {
    if (/^[0-9a-f]{16}$/.test(name) && name !== key) rmSync(join(consoleFolder, name), { recursive: true, force: true })
  }
  return true
}
