/**
 * Symbolic links in a plugin's folder. Deno follows them and checks the path before: what a link leads to has the permissions of the link's
 * place, so a plugin that came with links could use what its manifest does not name. It cannot make links itself.
 */
import { readdir, readlink, realpath } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { isWithin } from "./machine-permissions.ts"

/**
 * The path that a link names. Only for one that leads nowhere, as the lock file of an editor: what it names could come later. The links on
 * its way, if it has any, are looked at themselves.
 */
const namedBy = async (link: string): Promise<string> => resolve(dirname(link), await readlink(link).catch(() => "/"))

/** A link that leads out of the plugin's folder, or any link where it may write; null: none. */
export const strayLink = async (folder: string, writable: ReadonlyArray<string>): Promise<string | null> => {
  const waiting = [folder]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      const whole = join(path, entry.name)
      if (entry.isDirectory()) waiting.push(whole)
      if (!entry.isSymbolicLink()) continue
      const target = await realpath(whole).catch(() => namedBy(whole))
      if (!isWithin(target, folder) || writable.some((each) => isWithin(whole, each))) return whole
    }
  }
  return null
}
