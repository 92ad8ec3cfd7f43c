/**
 * Where the machine keeps what it made itself out of the packages: beside them, so that it goes when they are installed anew.
 */
import { fileURLToPath } from "node:url"

export const cacheFolder = fileURLToPath(new URL("../../node_modules/.cache/wavepose", import.meta.url))
