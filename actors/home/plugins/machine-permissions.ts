/**
 * The permissions of a plugin on the machine, as the runtime takes them, and what no manifest can permit.
 */
import { isAbsolute, relative, resolve } from "node:path"
import type { GrantedPermissions } from "../../../protocols/domain/plugin.ts"

/**
 * A plugin's permissions under Deno's names; false: none.
 *
 * @param modules folders with the modules that run the plugin
 */
export const machinePermissions = (
  folder: string,
  { env, net, read, sys, write }: GrantedPermissions["machine"],
  modules: ReadonlyArray<string>,
): Readonly<Record<string, ReadonlyArray<string> | false>> => ({
  read: [folder, ...modules, ...read.map((path) => resolve(folder, path))],
  write: write.length === 0 ? false : write.map((path) => resolve(folder, path)),
  net: net.length === 0 ? false : [...net],
  env: env.length === 0 ? false : [...env],
  sys: sys.length === 0 ? false : [...sys],
  run: false,
  ffi: false,
  import: false,
})

/** Permissions as flags of `deno run`: what is not allowed is denied, because the process cannot prompt. */
export const permissionFlags = (
  permissions: Readonly<Record<string, ReadonlyArray<string> | false>>,
): ReadonlyArray<string> =>
  Object.entries(permissions).map(([name, values]) =>
    // A doubled comma is part of a value.
    values === false ? `--deny-${name}` : `--allow-${name}=${values.map((value) => value.replaceAll(",", ",,")).join()}`
  )

/** Whether a path is another one or within it. */
export const isWithin = (path: string, outer: string): boolean => {
  const way = relative(outer, path)
  return way === "" || (!way.startsWith("..") && !isAbsolute(way))
}

/** Variables that hold the service's own secrets. */
const secretVariable = /^(WAVEPOSE_.*|DATABASE_URL)$/i

/**
 * What a manifest asks for that is never given: null when there is nothing of the kind.
 *
 * @param secret folders of the service that plugins have no business in; a plugin's own folder may lie in one
 */
export const forbidden = (
  folder: string,
  { env, read, write }: GrantedPermissions["machine"],
  secret: ReadonlyArray<string>,
): string | null => {
  const named = env.find((name) => secretVariable.test(name))
  if (named !== undefined) return `it may never read the variable ${named}, which can hold a secret of the service`
  for (const path of write) {
    const whole = resolve(folder, path)
    if (isWithin(folder, whole)) {
      return `it may not write ${path}: it could change its own manifest. Name a folder within`
    }
    if (isWithin(whole, folder) && /\.(ts|js|mjs|json)$/.test(whole)) return `it may not write its own source ${path}`
  }
  for (const path of [...read, ...write]) {
    const whole = resolve(folder, path)
    if (isWithin(whole, folder)) continue
    const touched = secret.find((each) => isWithin(whole, each) || isWithin(each, whole))
    if (touched !== undefined) return `it may not have ${path}: the service keeps its own data there`
  }
  return null
}
