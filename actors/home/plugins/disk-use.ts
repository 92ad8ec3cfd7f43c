/**
 * The disk usage of a plugin: the size of the folders that it may write, and what the disk has left.
 *
 * In its own folder all files count, also those that the plugin did not write. Elsewhere only the growth since the first measurement counts,
 * which outlives the plugin's processes: else each start would give it its budget again.
 * Boundary: a file that is removed while the plugin has it open has no size here. The space that the disk has left bounds it, and it is free
 * when the process has ended.
 */
import { readdir, stat, statfs } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type DiskUsage, filesMax } from "../../../core/home/plugin-budget.ts"
import { permissionsOf } from "../../../protocols/domain/plugin.ts"
import type { FoundPlugin } from "./launched-plugin.ts"
import { isWithin } from "./machine-permissions.ts"

type Size = Pick<DiskUsage, "bytes" | "files">

/** Sizes of folders at their first measurement, by plugin and path, while the host lives. */
export type FirstSizes = Map<string, Size>

/** Stops after one file more than the greatest number. */
const sizeOf = async (paths: ReadonlyArray<string>, most: number): Promise<Size> => {
  const waiting = [...paths]
  let bytes = 0
  let files = 0
  for (let path = waiting.pop(); path !== undefined && files <= most; path = waiting.pop()) {
    // The plugin may remove it at any time. It can write where a link leads.
    const entry = await stat(path).catch(() => null)
    if (entry === null) continue
    files += 1
    bytes += entry.isFile() ? Math.max(entry.size, entry.blocks * 512) : 0
    if (!entry.isDirectory()) continue
    for (const name of await readdir(path).catch(() => [])) waiting.push(join(path, name))
  }
  return { bytes, files }
}

/** What the disk of a path has left; of a path that does not exist, that of the next folder above. */
const freeBytesOf = async (path: string): Promise<number> => {
  const disk = await statfs(path).catch(() => null)
  if (disk !== null) return disk.bavail * disk.bsize
  return dirname(path) === path ? Infinity : freeBytesOf(dirname(path))
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
): Promise<PluginDisk | null> => {
  const written = permissionsOf(manifest).machine.write.map((path) => resolve(folder, path))
  if (written.length === 0) return null
  const [own, outer] = [true, false].map((inside) => written.filter((path) => isWithin(path, folder) === inside))
  const keyOf = (path: string) => `${manifest.domain} ${path}`
  let tooLarge: string | null = null
  for (const path of outer!.filter((each) => !firstSizes.has(keyOf(each)))) {
    const first = await sizeOf([path], filesMax)
    if (first.files > filesMax) tooLarge = path
    else firstSizes.set(keyOf(path), first)
  }
  const growthOf = async (path: string): Promise<Size> => {
    const first = firstSizes.get(keyOf(path))!
    const now = await sizeOf([path], first.files + filesMax)
    return { bytes: Math.max(0, now.bytes - first.bytes), files: Math.max(0, now.files - first.files) }
  }
  const measure = async (): Promise<DiskUsage> => {
    const sizes = await Promise.all([sizeOf(own!, filesMax), ...outer!.map(growthOf)])
    const freeBytes = Math.min(...await Promise.all(written.map(freeBytesOf)))
    return { bytes: sum(sizes, "bytes"), files: sum(sizes, "files"), freeBytes }
  }
  return { tooLarge, measure }
}
