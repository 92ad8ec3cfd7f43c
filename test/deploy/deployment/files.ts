/** The files of the deployment, and what they are compared with. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import { root } from "../../harness/sources.ts"

export const pathOf = (name: string): string => join(root, name)
export const textOf = (name: string): string => readFileSync(pathOf(name), "utf8")

/** The documents of a YAML file. */
// deno-lint-ignore no-explicit-any
export const yamlOf = (name: string): ReadonlyArray<any> =>
  parseAllDocuments(textOf(name), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${name}: ${document.errors.join("; ")}`)
    return document.toJS()
  })

const settingFiles = readdirSync(pathOf("deploy/settings")).map((file) => textOf(`deploy/settings/${file}`)).join("\n")

/** The variables in a text that no setting reads. */
export const unknownVariables = (text: string): ReadonlyArray<string> =>
  [...new Set(text.match(/\b(?:WAVEPOSE_[A-Z_]+|DATABASE_URL)\b/g) ?? [])]
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(settingFiles))

/** A reference to an image that names a version, which is not `latest` or a branch. */
export const pinnedImage = /^[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z0-9.-]+)?$/

/** Whether a program is on this machine. */
export const has = (program: string): boolean => spawnSync("which", [program]).status === 0

/** Runs a program; its exit status, null without one, and its output. */
export const output = (
  program: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {},
) => {
  const env = { ...process.env, ...variables }
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", env })
  return { status, text: `${stdout}${stderr}` }
}
