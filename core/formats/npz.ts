/**
 * NumPy `.npz` archives: the neutral container (`csi-arrays.ts`), and ESPectre's data sets, which have `csi_data` instead
 * (`espectre-npz.ts`).
 *
 * Boundary: `npz-arrays.ts` reads the arrays. An archive has its directory at the end and its arrays in any order, so it is read as a
 * whole file.
 */
import { type ArrayContent, contentOf, type CsiArrays, deliver, timesNamesIn, tooManyFrames } from "./csi-arrays.ts"
import { stridesOf } from "./csi-axes.ts"
import { espectreFrames, espectreLayout } from "./espectre-npz.ts"
import { u16, u32 } from "./little-endian.ts"
import type { NpyArray } from "./npy.ts"
import { NpzArrays } from "./npz-arrays.ts"
import type { Refusal } from "./record-stream.ts"
import type { FileReader, GivenRate } from "./whole-file.ts"
import { zipLocalMagic } from "./zip.ts"

/** Reads an archive. */
export const readNpz: FileReader = (file, out, rate) => {
  const content = readContent(file, rate)
  if ("reason" in content) {
    out.fault(0, content)
    return null
  }
  deliver(content, out)
  return content.layout === espectreLayout ? "ESP32 (ESPectre)" : null
}

/** Reads the arrays of a file and checks them against each other. */
const readContent = (file: Uint8Array, rate: GivenRate): ArrayContent | Refusal => {
  const archive = NpzArrays.in(file)
  if ("reason" in archive) return archive
  const entry = archive.entry("csi")
  if (entry === undefined) {
    return archive.entry("csi_data") === undefined ? archive.foreign() : readEspectre(archive)
  }
  const csi = archive.read("csi")
  const indices = archive.readOptional("subcarrier_index")
  const bandwidth = archive.readOptional("bandwidth_hz")
  const center = archive.readOptional("center_frequency_hz")
  for (const part of [csi, indices, bandwidth, center]) if (part !== null && "reason" in part) return part
  const times = timesNamesIn(archive.names).map((name) => ({ name, array: archive.read(name) }))
  const arrays = { csi, times, indices, bandwidth, center } as CsiArrays & { readonly csi: NpyArray }
  return contentOf(arrays, "npz", rate, (frames) => {
    const inPlace = !entry.deflated && !arrays.csi.fortranOrder
    return {
      offset: entry.offset + (inPlace ? arrays.csi.offset : 0),
      frameBytes: inPlace && frames > 0 ? (entry.bytes - arrays.csi.offset) / frames : 0,
    }
  })
}

/** Reads a data set of ESPectre. */
const readEspectre = (archive: NpzArrays): ArrayContent | Refusal => {
  const data = archive.read("csi_data")
  if ("reason" in data) return data
  const durationMs = archive.read("duration_ms")
  if ("reason" in durationMs) return durationMs
  const tooMany = tooManyFrames(data.shape[0]!, espectreLayout.subcarrierIndices.length)
  if (tooMany !== null) return tooMany
  const frames = espectreFrames(data, durationMs)
  if ("reason" in frames) return frames
  const positions = Array.from(espectreLayout.subcarrierIndices, (_, i) => i)
  const { offset } = archive.entry("csi_data")!
  const strides = stridesOf(frames.csi, { frame: 0, rx: null, tx: null, column: 1 })
  return { ...frames, strides, offset, frameBytes: 0, layout: espectreLayout, positions }
}

/** Whether a capture begins like an archive of NumPy arrays. */
export const looksLikeNpz = (head: Uint8Array): boolean => {
  if (head.length < 30 || u32(head, 0) !== zipLocalMagic) return false
  return new TextDecoder().decode(head.subarray(30, 30 + u16(head, 26))).endsWith(".npy")
}
