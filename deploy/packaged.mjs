/**
 * The npm package: `npm pack` adds the console, the kernels and the service's bundle as built here, because an installation has no development
 * packages.
 *
 * Deno runs no TypeScript below `node_modules`, where npx puts the package. So the launcher copies the sources to the user's cache folder
 * once, beside a link to the packages that npm has installed.
 */
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"

/** What the package has beside its sources: the content of the cache of builds, the bundle (`bundle/build.mjs`), and the hash of the whole. */
export const prebuiltFolder = "prebuilt"
export const prebuiltId = "id"

/** Whether this folder of the project is a package that npm has installed. */
export const isInstalled = (folder) => basename(dirname(folder)) === "node_modules"

/** Old copies are removed; as many stay. */
const copiesMax = 3

const removeOld = (folder, except) => {
  const others = readdirSync(folder).filter((name) => name !== except && !name.startsWith(".")).sort()
  for (const name of others.slice(0, Math.max(0, others.length - copiesMax + 1))) {
    rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Copies an installed package to where its sources can run, unless this was done before.
 *
 * @param {string} installed the package's folder
 * @returns {string} the folder of the copy
 */
export const unpack = (installed) => {
  const id = readFileSync(join(installed, prebuiltFolder, prebuiltId), "utf8").trim()
  const place = createHash("sha256").update(`${id} ${installed}`).digest("hex").slice(0, 16)
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "wavepose")
  const copy = join(folder, place)
  if (existsSync(copy)) return copy
  const packages = dirname(installed.replace(/[/\\]$/, ""))
  const own = join(folder, `.${process.pid}-${place}`)
  mkdirSync(folder, { recursive: true })
  cpSync(installed, own, { recursive: true })
  rmSync(join(own, "node_modules"), { recursive: true, force: true })
  symlinkSync(packages, join(own, "node_modules"), "junction")
  const service = join(installed, prebuiltFolder, "service")
  cpSync(join(installed, prebuiltFolder), join(packages, ".cache", "wavepose"), {
    recursive: true,
    filter: (path) => path !== service,
  })
  renameSync(own, copy)
  removeOld(folder, place)
  return copy
}
