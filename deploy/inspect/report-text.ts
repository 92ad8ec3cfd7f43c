/** An inspection as text for a terminal. */
import type { RadioLayout } from "../../core/formats/csi-batch.ts"
import type { LayoutCount } from "../../core/inspection/census.ts"
import { channelText } from "../../core/inspection/channel-text.ts"
import type { Inspection } from "../../core/inspection/inspector.ts"
import type { PacketTiming } from "../../core/inspection/packet-timing.ts"
import type { PresenceSummary } from "../../core/inspection/presence-summary.ts"
import { supportOf } from "../../core/inspection/capabilities.ts"
import type { RateSummary } from "../../core/vitals/summary.ts"
import { type InspectedCapture, notCounted, noValues, unnamedHardware } from "./report-json.ts"

const faultsShown = 10
const layoutsShown = 5
const labelWidth = 13
/** A larger share of unused frames has a warning. */
const unusedShareMax = 0.1

const row = (label: string, text: string): string => `${label.padEnd(labelWidth)}${text}`
/** A line that continues the row before it. */
const more = (text: string): string => row("", text)

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`

const timeOf = (seconds: number): string =>
  seconds < 1 ? `${Number((1000 * seconds).toPrecision(3))} ms` : `${Number(seconds.toPrecision(3))} s`

/** A spread that is below the inspection's resolution (`packet-timing.ts`). */
const jitterOf = (jitterS: number, intervalS: number): string =>
  jitterS < 0.02 * intervalS ? `below ${timeOf(0.02 * intervalS)}` : timeOf(jitterS)

const linksRow = ({ busiestLinks, links }: Inspection): string => {
  const named = busiestLinks.map(({ frames, transmitterId }) => `${transmitterId} (${count(frames, "frame")})`)
  return row("links", `${links}: from ${named.join(", ")}${links > named.length ? ", ..." : ""}`)
}

const antennasOf = ({ receiveAntennas, transmitAntennas }: RadioLayout): string =>
  `${receiveAntennas} receiving, ${transmitAntennas} transmitting`

const layoutRows = (layouts: ReadonlyArray<LayoutCount>): ReadonlyArray<string> => {
  const [{ layout }, ...others] = layouts as [LayoutCount, ...Array<LayoutCount>]
  const shown = others.slice(0, layoutsShown)
  return [
    row("antennas", antennasOf(layout)),
    row("subcarriers", `${layout.subcarrierIndices.length}, ${channelText(layout, "around ")}`),
    ...shown.map(({ frames, layout }) =>
      more(
        `${count(frames, "frame")} of another layout: ${antennasOf(layout)}, ${
          count(layout.subcarrierIndices.length, "subcarrier")
        }, ${channelText(layout, "around ")}`,
      )
    ),
    ...(others.length > shown.length ? [more(`and ${count(others.length - shown.length, "more layout")}`)] : []),
  ]
}

const timingRows = ({ durationS, gaps, intervalMedianS, jitterS, rateHz }: PacketTiming): ReadonlyArray<string> => {
  if (durationS === null || rateHz === null || intervalMedianS === null || jitterS === null || gaps === null) {
    return [row("duration", "unknown: the capture has fewer than two different times")]
  }
  return [
    row("duration", `${durationS.toFixed(2)} s`),
    row(
      "rate",
      `${rateHz.toFixed(2)} frames/s; interval ${timeOf(intervalMedianS)} (median), jitter ${
        jitterOf(jitterS, intervalMedianS)
      }`,
    ),
    row(
      "gaps",
      gaps.count === 0
        ? `none; the longest interval is ${timeOf(gaps.longestS)}`
        : `${gaps.count} of more than 0.25 s and five intervals, together ${
          (100 * gaps.share).toFixed(0)
        } % of the time; the longest ${timeOf(gaps.longestS)}`,
    ),
  ]
}

const faultRows = ({ faults, faultsOmitted }: Inspection): ReadonlyArray<string> => {
  const total = faults.length + faultsOmitted
  if (total === 0) return [row("faults", "none")]
  const shown = faults.slice(0, faultsShown)
  return [
    row("faults", `${count(total, "part")} could not be decoded`),
    ...shown.map(({ message, offset, reason }) => more(`at byte ${offset} (${reason}): ${message}`)),
    ...(total > shown.length ? [more(`and ${total - shown.length} more`)] : []),
  ]
}

const warningRows = ({ frames, unused, warnings }: Inspection): ReadonlyArray<string> => [
  ...(unused.frames > unusedShareMax * frames
    ? [
      row(
        "warning",
        `${unused.frames} of ${count(frames, "frame")} cannot be used for presence and rates: ${unused.reasons}`,
      ),
    ]
    : []),
  ...warnings.slice(0, faultsShown).map(({ message }) => row("warning", message)),
]

const presenceRows = ({ confidence, motion, present, reason, share }: PresenceSummary): ReadonlyArray<string> => [
  row(
    "presence",
    present === null
      ? `unknown: ${reason}`
      : `${present ? "a person is present" : "no person is present"} (confidence ${confidence.toFixed(2)}; present ${
        (100 * share!).toFixed(0)
      } % of the time that could be judged)`,
  ),
  row("motion", motion === null ? `unknown: ${reason}` : motion.toFixed(3)),
]

const rateRow = (label: string, { rateBpm, reason }: RateSummary): string =>
  row(label, rateBpm === null ? `unknown: ${reason}` : `${rateBpm.toFixed(1)} /min`)

export const inspectionText = ({ file, format, hardware }: InspectedCapture, inspection: Inspection): string => {
  const { amplitudeMean, breathing, frames, heart, layouts, loss, presence, timing } = inspection
  return [
    row("file", file),
    row("format", format),
    row("hardware", hardware ?? `unknown: ${unnamedHardware}`),
    row("frames", String(frames)),
    linksRow(inspection),
    ...layoutRows(layouts),
    ...timingRows(timing),
    row("loss", loss === null ? `unknown: ${notCounted}` : `${(100 * loss).toFixed(2)} %`),
    ...faultRows(inspection),
    ...warningRows(inspection),
    row(
      "amplitude",
      amplitudeMean === null ? `unknown: ${noValues}` : `${amplitudeMean.toPrecision(6)} (mean of |H| in raw units)`,
    ),
    ...presenceRows(presence),
    rateRow("breathing", breathing),
    rateRow("heart rate", heart),
    "",
    "What this capture can support:",
    ...supportOf(inspection).map(({ reason, supported, use }) =>
      `  ${use.padEnd(24)}${supported.padEnd(6)}  ${reason}`
    ),
  ].join("\n")
}
