/** The folder of third-party recordings, which are never in this repository. Tests are skipped if the folder is missing. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = process.env.WAVEPOSE_RECORDINGS ??
  fileURLToPath(new URL("../../../shared/recordings", import.meta.url))

/** Whether this recording or folder of recordings exists. */
export const hasRecordings = (name: string): boolean => existsSync(recordingFile(name))

/** The path of a recording. */
export const recordingFile = (name: string): string => `${folder}/${name}`

export const recording = (name: string): Uint8Array => new Uint8Array(readFileSync(recordingFile(name)))

/** A NumPy file of complex64: its shape and its values, interleaved, the last index fastest. */
export const complexArray = (
  name: string,
): { readonly shape: ReadonlyArray<number>; readonly values: Float32Array } => {
  const bytes = recording(name)
  const headerBytes = new DataView(bytes.buffer).getUint16(8, true)
  const header = new TextDecoder().decode(bytes.subarray(10, 10 + headerBytes))
  const shape = /'shape': \(([^)]*)\)/.exec(header)![1]!.split(",").filter((n) => n.trim() !== "").map(Number)
  const values = new Float32Array(bytes.slice(10 + headerBytes).buffer)
  return { shape, values: /'fortran_order': True/.test(header) ? transposed(shape, values) : values }
}

/** A matrix whose first index is fastest, turned over. */
const transposed = ([rows, columns]: ReadonlyArray<number>, values: Float32Array): Float32Array => {
  const turned = new Float32Array(values.length)
  for (let r = 0, to = 0; r < rows!; r++) {
    for (let c = 0; c < columns!; c++, to += 2) {
      turned[to] = values[2 * (c * rows! + r)]!
      turned[to + 1] = values[2 * (c * rows! + r) + 1]!
    }
  }
  return turned
}
