/**
 * Runs before `npm pack`: builds the console, the kernels and the service's bundle, and puts them into `prebuilt`, with a hash of all packed
 * sources.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildService } from "./bundle/build.mjs"
import { buildConsole } from "./console/build.mjs"
import { prebuiltFolder, prebuiltId } from "./packaged.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const cache = join(root, "node_modules", ".cache", "wavepose")
const target = join(root, prebuiltFolder)

await buildConsole()
const deno = createRequire(import.meta.url)("deno/install_api.cjs").runInstall()
const { status } = spawnSync(deno, ["run", "--quiet", "-A", join(root, "deploy", "prepare.ts")], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
})
if (status !== 0) throw new Error("the kernels could not be built")

rmSync(target, { recursive: true, force: true })
mkdirSync(target)
const built = readdirSync(cache).filter((name) => name === "console" || /^kernels-\w+\.wasm$/.test(name))
for (const name of built) cpSync(join(cache, name), join(target, name), { recursive: true })
await buildService()

const hash = createHash("sha256")
const add = (path) => {
  if (statSync(path).isDirectory()) { for (const name of readdirSync(path).sort()) add(join(path, name)) }
  else hash.update(path.slice(root.length)).update(readFileSync(path))
}
const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
for (const name of [...files, "package.json"]) add(join(root, name))
writeFileSync(join(target, prebuiltId), `${hash.digest("hex")}\n`)
