/**
 * The built files of the web console, read once into memory: the page, its script, style sheet and icon, each as it is and compressed.
 *
 * Files under `assets` have the hash of their content in their names, so browsers keep them for good; the page is asked for each time.
 */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { entityTagOf } from "../http/entity-tag.ts"

/** A file as it is served. */
export interface ConsoleAsset {
  /** The path of its address: `/` for the page. */
  readonly path: string
  readonly mediaType: string
  readonly isImmutable: boolean
  readonly etag: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
  readonly brotli: Uint8Array<ArrayBuffer>
}

const mediaTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
}

const readAsset = async (folder: string, name: string): Promise<ConsoleAsset> => {
  const read = (ending: string) => readFile(join(folder, `${name}${ending}`)) as Promise<Buffer<ArrayBuffer>>
  const [bytes, gzip, brotli] = await Promise.all([read(""), read(".gz"), read(".br")])
  return {
    path: name === "index.html" ? "/" : `/${name}`,
    mediaType: mediaTypes[name.split(".").at(-1)!] ?? "application/octet-stream",
    isImmutable: name !== "index.html",
    etag: entityTagOf(bytes),
    bytes,
    gzip,
    brotli,
  }
}

/** The files of the build in use below `folder`; empty when the console was not built there. Other failures of reading reject. */
export const readConsoleAssets = async (folder: string): Promise<ReadonlyArray<ConsoleAsset>> => {
  const key = await readFile(join(folder, "current"), "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null
    throw cause
  })
  if (key === null) return []
  const build = join(folder, key)
  const assets = (await readdir(join(build, "assets"))).filter((name) => !/\.(gz|br)$/.test(name)).sort()
  return await Promise.all(
    ["index.html", ...assets.map((name) => `assets/${name}`)].map((name) => readAsset(build, name)),
  )
}
