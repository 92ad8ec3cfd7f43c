/**
 * Compressed beamforming reports: the channel between an 802.11ac or 802.11ax station and an access point, as reported by the station.
 *
 * Owns the body of the action frame: the VHT or HE MIMO control field, the signal-to-noise ratio of each column, and the angles
 * (IEEE 802.11-2020, 9.4.1.47 to 9.4.1.49 and 9.6.22.2; 802.11ax-2021, 9.4.1.64, 9.4.1.65 and 9.6.31.2). Boundary:
 * `beamforming-feedback.ts` reads the frame around it, `givens-angles.ts` the matrices. The fields that a report for several users adds
 * after the angles, and reports of the channel quality only, are not read.
 */
import { heFeedbackTones, vhtFeedbackTones } from "./feedback-tones.ts"
import { type AngleBits, angleBytes, AngleDecoder } from "./givens-angles.ts"
import { i8, u16, u32 } from "./little-endian.ts"
import { toneSpacingHz } from "./ofdm-tones.ts"
import type { Refusal } from "./record-stream.ts"

/** The control field of a report: its kind, without its values. */
export interface ReportKind {
  readonly standard: "vht" | "he"
  /** Rows of a matrix: antennas (space-time streams) of the access point. */
  readonly rows: number
  /** Columns: streams that the station can receive. */
  readonly columns: number
  readonly bandwidthHz: number
  readonly subcarrierSpacingHz: number
  readonly subcarrierIndices: Int16Array
  readonly bits: AngleBits
}

export interface BeamformingReport {
  readonly kind: ReportKind
  /** Mean over the subcarriers, one per column, from -10 to 53.75. */
  readonly snrDb: ReadonlyArray<number>
  /** V, interleaved complex [row][column][subcarrier], with orthonormal columns; overwritten by the next report. */
  readonly matrices: Float32Array
}

const vhtCategory = 21
const heCategory = 30
const compressedAction = 0

/** Whether an action frame's body is a compressed beamforming report, by its first two bytes. */
export const isBeamformingReport = (category: number, action: number): boolean =>
  (category === vhtCategory || category === heCategory) && action === compressedAction

/** A control field, by the names of the standard. */
interface Control {
  readonly standard: "vht" | "he"
  readonly bytes: number
  readonly columns: number
  readonly rows: number
  readonly megahertz: number
  readonly grouping: number | undefined
  readonly codebook: number
  /** 0 for a single user, 1 for several. */
  readonly feedback: number
  readonly segments: number
  readonly isFirst: boolean
  readonly firstUnit: number
  readonly lastUnit: number
  /** 802.11be adds a field before the report. */
  readonly extended: boolean
}

const controlOf = (bytes: Uint8Array, at: number, isHe: boolean): Control => {
  const low = u16(bytes, at)
  const units = isHe ? u32(bytes, at + 1) >>> 8 : 0
  return {
    standard: isHe ? "he" : "vht",
    bytes: isHe ? 5 : 3,
    columns: (low & 7) + 1,
    rows: ((low >> 3) & 7) + 1,
    megahertz: 20 << ((low >> 6) & 3),
    grouping: isHe ? [4, 16][(low >> 8) & 1] : [1, 2, 4][(low >> 8) & 3],
    codebook: (low >> (isHe ? 9 : 10)) & 1,
    feedback: isHe ? (low >> 10) & 3 : (low >> 11) & 1,
    segments: (low >> 12) & 7,
    isFirst: low >> 15 === 1,
    firstUnit: units & 0x7f,
    lastUnit: (units >> 7) & 0x7f,
    extended: isHe && (bytes[at + 4]! & 0x10) !== 0,
  }
}

/** Bits of the angles by feedback and codebook. With a spacing of 16 tones, several users have the finer codebook only. */
const bitsOf = ({ codebook, feedback, grouping }: Control): AngleBits => {
  if (feedback === 0) return codebook === 0 ? { phi: 4, psi: 2 } : { phi: 6, psi: 4 }
  return codebook === 0 && grouping !== 16 ? { phi: 7, psi: 5 } : { phi: 9, psi: 7 }
}

const kindOf = (control: Control): ReportKind | Refusal => {
  const { columns, feedback, firstUnit, grouping, lastUnit, megahertz, rows, standard } = control
  if (feedback > 1) return unsupported("the report has the channel quality only")
  if (!control.isFirst || control.segments !== 0) return unsupported("the report is one segment of several")
  if (control.extended) return unsupported("the report omits parts of the channel")
  if (rows < 2 || columns > rows) return { reason: "bad-field", message: `matrices of ${rows} x ${columns}` }
  if (grouping === undefined) return { reason: "bad-field", message: "the grouping is a reserved value" }
  const subcarrierIndices = standard === "vht"
    ? vhtFeedbackTones(megahertz, grouping)
    : heFeedbackTones(megahertz, grouping, firstUnit, lastUnit)
  if (subcarrierIndices === null || subcarrierIndices.length < 2) {
    return unsupported(`no tones are known for the resource units ${firstUnit} to ${lastUnit} of ${megahertz} MHz`)
  }
  return {
    standard,
    rows,
    columns,
    bandwidthHz: megahertz * 1e6,
    subcarrierSpacingHz: toneSpacingHz(standard),
    subcarrierIndices,
    bits: bitsOf(control),
  }
}

const unsupported = (message: string): Refusal => ({ reason: "unsupported-layout", message })

/** A kind of report, with its decoder. */
interface Known {
  readonly kind: ReportKind
  readonly decoder: AngleDecoder
  readonly matrices: Float32Array
}

/** Maximum number of cached decoders, so that a capture of noise has bounded memory. */
const knownMax = 16

/** Reads the reports of one capture. */
export class BeamformingReportReader {
  readonly #known = new Map<string, Known>()

  /** Reads the body `bytes[at..end)` of an action frame that `isBeamformingReport`, or returns why it cannot be used. */
  read(bytes: Uint8Array, at: number, end: number): BeamformingReport | Refusal {
    const isHe = bytes[at] === heCategory
    const control = at + 2
    if (end - control < 5) return { reason: "truncated", message: "the report ends within its control field" }
    const known = this.#knownAs(controlOf(bytes, control, isHe))
    if ("reason" in known) return known
    const { decoder, kind, matrices } = known
    const { bits, columns, rows, subcarrierIndices: { length: tones } } = kind
    const snrs = control + (isHe ? 5 : 3)
    const expected = columns + angleBytes(rows, columns, tones, bits)
    if (end - snrs < expected) {
      return { reason: "truncated", message: `${end - snrs} bytes of report, its control field announces ${expected}` }
    }
    decoder.read(bytes, snrs + columns, tones, matrices)
    return { kind, snrDb: Array.from({ length: columns }, (_, i) => 22 + i8(bytes, snrs + i) / 4), matrices }
  }

  #knownAs(control: Control): Known | Refusal {
    const key = Object.values(control).join()
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const kind = kindOf(control)
    if ("reason" in kind) return kind
    if (this.#known.size >= knownMax) this.#known.clear()
    const { bits, columns, rows, subcarrierIndices } = kind
    const made = {
      kind,
      decoder: new AngleDecoder(rows, columns, bits),
      matrices: new Float32Array(2 * rows * columns * subcarrierIndices.length),
    }
    this.#known.set(key, made)
    return made
  }
}
