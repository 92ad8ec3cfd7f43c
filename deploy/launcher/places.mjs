/** Where the project is, and whether npm has installed it as a package. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isInstalled, unpack } from "../packaged.mjs"

const project = fileURLToPath(new URL("../..", import.meta.url))
/** npm has installed this as a package, with its dependencies. */
export const installed = isInstalled(project)
export const root = installed ? unpack(project) : project
export const marker = join(root, "node_modules", ".wavepose-lock")

/** The user's working directory. npm runs scripts in the project's folder. */
export const here = process.env.INIT_CWD ?? process.cwd()
