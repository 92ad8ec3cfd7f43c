/**
 * The folder of build products of the installed packages. It is beside the packages, so that a new installation removes it.
 */
import { fileURLToPath } from "node:url"

export const cacheFolder = fileURLToPath(new URL("../../node_modules/.cache/wavepose", import.meta.url))
