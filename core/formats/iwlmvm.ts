/**
 * CSI of the Intel AX200 and AX210, as their firmware passes it to the iwlmvm driver. FeitCSI and PicoScenes record it.
 *
 * Owns the tones of a report and the order of its values: int16 pairs [rx][tx][tone], the tones ascending. The IMAGINARY part comes
 * first.
 *
 * The sources disagree on the order of the parts. FeitCSI's documentation ("CSI format"), its own program (`src/Csi.cpp`) and CSIKit
 * have the real part first. PicoScenes did so until commit 39c4ee4 of RXS-Parsing-Core (19 July 2022, "Fix bug in MVM
 * CSI parsing"), which swapped the parts; since then `CSISegment.cxx` reads the imaginary part first. Captures confirm this order.
 * With the real part first, the response is conjugated and its delays are mirrored: in captures of 80 and 160 MHz all echoes would precede
 * the direct path. With the imaginary part first, the phase falls with the frequency in every frame of every known capture (a delay of 70
 * to 250 ns), as for the Intel 5300, whose order is known from its reference outputs.
 */
import { subcarriersOf, tonePlanOf, type TransmissionFormat } from "./ofdm-tones.ts"

/** Bytes of one complex value. */
export const iwlmvmValueBytes = 4

/** Positions of the tones in a report. */
export interface ReportTones {
  readonly format: TransmissionFormat
  readonly megahertz: number
  /** Indices of the tones, ascending. */
  readonly subcarrierIndices: Int16Array
  /** Values of one stream in the report, including fillers. */
  readonly values: number
  /** First filler, and the number of fillers: 0 except at 160 MHz. */
  readonly gapAt: number
  readonly gapValues: number
}

/** Fillers with which some firmware extends a half of 160 MHz to a power of two. */
const fillers: Readonly<Partial<Record<TransmissionFormat, number>>> = { vht: 14, he: 28 }

/** The forms of a report: all tones; all without the pilots; all, with fillers between the halves of 160 MHz. */
const formsOf = (format: TransmissionFormat, megahertz: number): ReadonlyArray<ReportTones> => {
  const plan = tonePlanOf(format, megahertz)
  if (plan === null) return []
  const form = (subcarrierIndices: Int16Array, gapValues = 0): ReportTones => ({
    format,
    megahertz,
    subcarrierIndices,
    values: subcarrierIndices.length + gapValues,
    gapAt: subcarrierIndices.length / 2,
    gapValues,
  })
  const all = subcarriersOf(plan)
  const filler = megahertz === 160 ? fillers[format] ?? 0 : 0
  return [form(all), form(subcarriersOf(plan, false)), ...filler > 0 ? [form(all, filler)] : []]
}

const forms = Map.groupBy(
  (["legacy", "ht", "vht", "he"] as const).flatMap((format) =>
    [20, 40, 80, 160].flatMap((megahertz) => formsOf(format, megahertz))
  ),
  ({ values }) => values,
)

/** The tones of a report with `values` values per stream; null if no transmission of this format and bandwidth has as many. */
export const reportTonesOf = (format: TransmissionFormat, megahertz: number, values: number): ReportTones | null =>
  forms.get(values)?.find((form) => form.format === format && form.megahertz === megahertz) ?? null

/** Reads the values of `streams` streams from `at` to interleaved (re, im) [stream][tone]. */
export const readReport = (
  bytes: Uint8Array,
  at: number,
  streams: number,
  { gapAt, gapValues, subcarrierIndices, values }: ReportTones,
  out: Int16Array,
): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, streams * values * iwlmvmValueBytes)
  const firstNumbers = 2 * (gapValues === 0 ? values : gapAt)
  const numbers = 2 * subcarrierIndices.length
  for (let stream = 0; stream < streams; stream++) {
    const to = stream * numbers
    const from = stream * values * iwlmvmValueBytes
    readValues(view, from, out, to, to + firstNumbers)
    readValues(view, from + (gapAt + gapValues) * iwlmvmValueBytes, out, to + firstNumbers, to + numbers)
  }
}

const readValues = (view: DataView, from: number, out: Int16Array, to: number, end: number): void => {
  for (; to < end; to += 2, from += iwlmvmValueBytes) {
    const word = view.getInt32(from, true)
    out[to] = word >> 16
    out[to + 1] = word << 16 >> 16
  }
}
