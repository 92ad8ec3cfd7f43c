/**
 * The template of an embedded database: an empty PostgreSQL cluster. Creating one takes seconds, so it is created once per machine
 * and copied for each new data folder.
 *
 * Boundary: files only. `embedded-worker.ts` opens them, and migrations create the tables.
 *
 * Invariants:
 * 1. A template or database folder gets its final name only when it is complete.
 * 2. The name of a template depends on everything that it was created from. It contains no data of a site: no table, no key.
 */
import { PGlite } from "@electric-sql/pglite"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { cacheFolder } from "../../runtime/cache-folder.ts"

/** PGlite's defaults keep up to 160 MB of pages in memory and 1 GB of log on disk, which is too much for a home. */
export const configuration = ["shared_buffers = 16MB", "max_wal_size = 64MB"]

const templateName = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  const { version } = JSON.parse(await readFile(join(dirname(entry), "..", "package.json"), "utf8"))
  const key = createHash("sha256").update(JSON.stringify([version, configuration])).digest("hex").slice(0, 16)
  return `database-${key}`
}

const make = async (folder: string): Promise<void> => {
  const database = await PGlite.create({ dataDir: folder, postgresqlconf: configuration })
  await database.close()
}

/** Fills a temporary folder beside `folder` and renames it. If another process was faster, its folder is used. */
const inPlace = async (folder: string, fill: (partial: string) => Promise<void>): Promise<void> => {
  const partial = `${folder}.partial-${process.pid}`
  try {
    await rm(partial, { recursive: true, force: true })
    await mkdir(dirname(folder), { recursive: true })
    await fill(partial)
    await rename(partial, folder)
  } catch (cause) {
    await rm(partial, { recursive: true, force: true })
    if (!existsSync(folder)) throw cause
  }
}

const removeEarlier = async (cache: string, name: string): Promise<void> => {
  const earlier = (await readdir(cache)).filter((other) => /^database-\w+$/.test(other) && other !== name)
  await Promise.all(earlier.map((other) => rm(join(cache, other), { recursive: true, force: true })))
}

/**
 * The folder of this machine's template, created if needed. Rejects if no template can be kept.
 *
 * @param onMake is called before a template is created
 */
export const keepTemplate = async (
  { cache = cacheFolder, onMake }: { readonly cache?: string; readonly onMake?: () => void } = {},
): Promise<string> => {
  const name = await templateName()
  const template = join(cache, name)
  if (!existsSync(template)) {
    await mkdir(cache, { recursive: true })
    onMake?.()
    await inPlace(template, make)
    await removeEarlier(cache, name)
  }
  return template
}

/**
 * Creates the files of a new database. An existing folder is not changed. If no template can be kept or copied, the files are
 * created directly.
 */
export const newDatabase = async (folder: string, options: { readonly cache?: string } = {}): Promise<void> => {
  if (existsSync(folder)) return
  try {
    const template = await keepTemplate(options)
    await inPlace(folder, (partial) => cp(template, partial, { recursive: true }))
  } catch {
    await inPlace(folder, make)
  }
}
