/**
 * The disk usage of a plugin: the size of the folders that it may write, and what the disk has left.
 *
 * In its own folder all files count, also those that the plugin did not write. Elsewhere only the growth since the first measurement counts,
 * whoever wrote. It outlives the plugin's processes: else each restart would give the plugin its budget again. Only an operator's load or
 * reload does that.
 * Boundary: a file that is removed while the plugin has it open has no size here. The space that the disk has left bounds it, and it is free
 * when the process has ended.
 */
import { readdir, realpath, stat, statfs } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type DiskSpace, type DiskUsage, filesMax } from "../../../core/home/plugin-budget.ts"
import { permissionsOf } from "../../../protocols/domain/plugin.ts"
import type { FoundPlugin } from "./launched-plugin.ts"
import { isWithin } from "./machine-permissions.ts"

type Size = Pick<DiskUsage, "bytes" | "files">

/** Sizes of a plugin's folders at their first measurement, by path. */
export type FirstSizes = Map<string, Size>

/** Stops after one file more than the greatest number. */
const sizeOf = async (paths: ReadonlyArray<string>, most: number): Promise<Size> => {
  const waiting = [...paths]
  /** Links can lead to the same folder in several ways, or in a circle. */
  const seen = new Set<string>()
  let bytes = 0
  let files = 0
  for (let path = waiting.pop(); path !== undefined && files <= most; path = waiting.pop()) {
    // The plugin may remove it at any time. It can write where a link leads.
    const entry = await stat(path).catch(() => null)
    const folder = entry?.isDirectory() ? await realpath(path).catch(() => null) : null
    if (entry === null || (folder !== null && seen.has(folder))) continue
    files += 1
    bytes += entry.isFile() ? Math.max(entry.size, entry.blocks * 512) : 0
    if (folder === null) continue
    seen.add(folder)
    for (const name of await readdir(path).catch(() => [])) waiting.push(join(path, name))
  }
  return { bytes, files }
}

/** The disk of a path; of a path that does not exist, that of the next folder above. */
const diskSpaceOf = async (path: string): Promise<DiskSpace> => {
  const disk = await statfs(path).catch(() => null)
  if (disk !== null) return { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize }
  return dirname(path) === path ? { freeBytes: Infinity, totalBytes: Infinity } : diskSpaceOf(dirname(path))
}

const sum = (sizes: ReadonlyArray<Size>, value: keyof Size): number =>
  sizes.reduce((total, size) => total + size[value], 0)

/** The disk of one plugin. */
interface PluginDisk {
  /** A folder that it may write and that has too many files to be measured; null: none. */
  readonly tooLarge: string | null
  readonly measure: () => Promise<DiskUsage>
}

/** The disk of a plugin; null if it may write nothing. */
export const pluginDisk = async (
  { folder, manifest }: FoundPlugin,
  firstSizes: FirstSizes,
  spaceOf = diskSpaceOf,
): Promise<PluginDisk | null> => {
  const written = permissionsOf(manifest).machine.write.map((path) => resolve(folder, path))
  if (written.length === 0) return null
  const [own, outer] = [true, false].map((inside) => written.filter((path) => isWithin(path, folder) === inside))
  let tooLarge: string | null = null
  for (const path of outer!.filter((each) => !firstSizes.has(each))) {
    const first = await sizeOf([path], filesMax)
    if (first.files > filesMax) tooLarge = path
    else firstSizes.set(path, first)
  }
  const growthOf = async (path: string): Promise<Size> => {
    const first = firstSizes.get(path)!
    const now = await sizeOf([path], first.files + filesMax)
    return { bytes: Math.max(0, now.bytes - first.bytes), files: Math.max(0, now.files - first.files) }
  }
  const measure = async (): Promise<DiskUsage> => {
    const sizes = await Promise.all([sizeOf(own!, filesMax), ...outer!.map(growthOf)])
    const disks = await Promise.all(written.map(spaceOf))
    return { bytes: sum(sizes, "bytes"), files: sum(sizes, "files"), disks }
  }
  return { tooLarge, measure }
}
