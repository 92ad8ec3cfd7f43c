/** The scoreboard on real captures as Markdown, and as JSON. */
import type { BreathingFigures } from "./breathing-figures.ts"
import type { Interval } from "../../../sim/evaluation/bootstrap.ts"
import { figureKeys, type PresenceFigures } from "./presence-figures.ts"
import { learnings, type RecordingsBoard } from "./scoreboard.ts"

const figureNames: Readonly<Record<keyof PresenceFigures, string>> = {
  falsePresentPercent: "empty time called present, %",
  movingPresentPercent: "moving time called present, %",
  stillPresentPercent: "still time called present, %",
  emptyCoveragePercent: "empty time judged, %",
  movingCoveragePercent: "moving time judged, %",
  motionAuc: "motion, area under the curve",
}
const learningNames = {
  nothing: "nothing learned",
  leaveRecordingOut: "calibrated on another empty recording",
  leaveRoomOut: "threshold from the other rooms",
} as const satisfies Record<typeof learnings[number], string>

const textOf = (value: number | null, digits = 1): string => value === null ? "n/a" : value.toFixed(digits)

const figureText = (figures: PresenceFigures, key: keyof PresenceFigures): string =>
  textOf(figures[key], key === "motionAuc" ? 3 : 1)

const intervalText = (interval: Interval | null): string =>
  interval === null ? "n/a" : `${textOf(interval[0])} to ${textOf(interval[1])}`

const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head, ...body] = rows.map((cells) => `| ${cells.join(" | ")} |`)
  return [head, `|${rows[0]!.map(() => "---|").join("")}`, ...body].join("\n")
}

const breathingRow = ({ answeredPercent, capture, medianErrorBpm, wrongSeconds }: BreathingFigures) => [
  capture.name,
  textOf(capture.label.breathingPerMinute, 0),
  textOf(answeredPercent, 0),
  textOf(medianErrorBpm, 2),
  String(wrongSeconds),
]

/** The two detectors beside each other, with an interval of this project's first column. */
const summaryOf = (detectors: RecordingsBoard["detectors"]): string => {
  const columns = detectors.flatMap(({ intervals, means, name }, i) =>
    learnings.flatMap((learning) => {
      const cell = (key: keyof PresenceFigures) => figureText(means[learning], key)
      const column = { head: `${name}: ${learningNames[learning]}`, cell }
      const isFirst = i === 0 && learning === "nothing"
      return isFirst
        ? [column, { head: "95 %", cell: (key: keyof PresenceFigures) => intervalText(intervals[key]) }]
        : [
          column,
        ]
    })
  )
  return tableOf([
    ["", ...columns.map(({ head }) => head)],
    ...figureKeys.map((key) => [figureNames[key], ...columns.map(({ cell }) => cell(key))]),
  ])
}

const surrogatesOf = (surrogates: RecordingsBoard["surrogates"]): string =>
  tableOf([
    [
      "wavepose, nothing learned, the recordings as other receivers would deliver them",
      ...figureKeys.map((key) => figureNames[key]),
    ],
    ...surrogates.map(({ figures, name }) => [name, ...figureKeys.map((key) => figureText(figures, key))]),
  ])

/** @param omitted files without a label, and files that cannot be read */
export const recordingsText = (
  { breathing, detectors, hours, recordings, rooms, surrogates }: RecordingsBoard,
  omitted: { readonly unlabelled: ReadonlyArray<string>; readonly unreadable: ReadonlyArray<string> },
): string =>
  [
    `REAL CAPTURES: ${recordings} labelled recordings of ${rooms} rooms, ${
      hours.toFixed(2)
    } h with a known presence. ` +
    "Shares are of judged time; each recording counts the same. The intervals are of a bootstrap over recordings; those of " +
    "one room are alike.",
    "",
    summaryOf(detectors),
    "",
    surrogatesOf(surrogates),
    "",
    ...detectors.flatMap(({ name, recordings }) => [
      tableOf([
        [`${name}, nothing learned`, ...figureKeys.slice(0, -1).map((key) => figureNames[key])],
        ...recordings.map((one) => [
          one.name,
          ...figureKeys.slice(0, -1).map((key) => figureText(one.figures, key)),
        ]),
      ]),
      "",
    ]),
    tableOf([
      ["breathing", "counted, /min", "seconds with a rate, %", "median error, /min", "seconds with a wrong rate"],
      ...breathing.map(breathingRow),
    ]),
    "",
    `Not judged: ${omitted.unlabelled.length} files without a label, ${omitted.unreadable.length} that cannot be read` +
    `${omitted.unreadable.length === 0 ? "" : ` (${omitted.unreadable.join(", ")})`}.`,
  ].join("\n")

const short = (value: number | null): number | null => value === null ? null : Number(value.toPrecision(4))

const jsonKey = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const figuresJson = (figures: PresenceFigures) =>
  Object.fromEntries(figureKeys.map((key) => [jsonKey(key), short(figures[key])]))

const intervalsJson = (intervals: RecordingsBoard["detectors"][number]["intervals"]) =>
  Object.fromEntries(figureKeys.map((key) => [jsonKey(key), intervals[key]?.map(short) ?? null]))

export const recordingsJson = ({ breathing, detectors, hours, recordings, rooms, surrogates }: RecordingsBoard) => ({
  source: "recorded",
  recordings,
  rooms,
  hours: short(hours),
  detectors: Object.fromEntries(detectors.map(({ intervals, means, name, recordings }) => [name, {
    nothing_learned: figuresJson(means.nothing),
    nothing_learned_intervals: intervalsJson(intervals),
    leave_recording_out: figuresJson(means.leaveRecordingOut),
    leave_room_out: figuresJson(means.leaveRoomOut),
    recordings: Object.fromEntries(recordings.map((one) => [one.name, figuresJson(one.figures)])),
  }])),
  surrogates: Object.fromEntries(surrogates.map(({ figures, name }) => [name, figuresJson(figures)])),
  breathing: Object.fromEntries(breathing.map(({ capture, ...figures }) => [capture.name, {
    counted_bpm: capture.label.breathingPerMinute,
    seconds: figures.seconds,
    answered_percent: short(figures.answeredPercent),
    median_error_bpm: short(figures.medianErrorBpm),
    wrong_seconds: figures.wrongSeconds,
  }])),
})
