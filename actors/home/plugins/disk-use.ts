/**
 * The disk usage of a plugin: the size of the folders that it may write.
 *
 * In its own folder all files count, also those that the plugin did not write. In other folders only the growth counts: `measureGrowth`
 * subtracts the size at the beginning.
 */
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { type DiskUsage, filesMax } from "../../../core/home/plugin-budget.ts"

/** Stops after one file more than a plugin may have. */
const measure = async (paths: ReadonlyArray<string>): Promise<DiskUsage> => {
  const waiting = [...paths]
  let bytes = 0
  let files = 0
  for (let path = waiting.pop(); path !== undefined && files <= filesMax; path = waiting.pop()) {
    // The plugin may delete it at any time.
    const entry = await lstat(path).catch(() => null)
    if (entry === null) continue
    files += 1
    bytes += entry.isFile() ? Math.max(entry.size, entry.blocks * 512) : 0
    if (!entry.isDirectory()) continue
    for (const name of await readdir(path).catch(() => [])) waiting.push(join(path, name))
  }
  return { bytes, files }
}

/** Returns a function that measures the size of all folders, less the present size of the outer ones. */
export const measureGrowth = async (own: ReadonlyArray<string>, outer: ReadonlyArray<string>) => {
  const before = await measure(outer)
  return async (): Promise<DiskUsage> => {
    const now = await measure([...own, ...outer])
    return { bytes: now.bytes - before.bytes, files: now.files - Math.min(before.files, filesMax) }
  }
}
