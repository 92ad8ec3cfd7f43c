/**
 * Where the recordings are: real captures that the project never commits.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const fallback = fileURLToPath(new URL("../../../shared/recordings", import.meta.url))

export const recordings = process.env.WAVEPOSE_RECORDINGS ?? fallback
export const hasRecordings = existsSync(recordings)
export const recording = (name: string): string => join(recordings, name)
