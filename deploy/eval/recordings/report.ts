/** The scoreboard on real captures as Markdown, and as JSON. */
import type { BreathingFigures } from "./breathing-figures.ts"
import type { ReadFiles } from "./captures.ts"
import type { Interval } from "../../../sim/evaluation/bootstrap.ts"
import { type FigureKey, figureKeys, type PresenceFigures } from "./presence-figures.ts"
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
  quietStart: "after 10 s of the empty room",
  leaveRecordingOut: "calibrated on another empty recording",
  leaveRoomOut: "threshold from the other rooms",
} as const satisfies Record<typeof learnings[number], string>

const textOf = (value: number | null, digits = 1): string => value === null ? "n/a" : value.toFixed(digits)

const figureText = (figures: PresenceFigures, key: keyof PresenceFigures): string =>
  textOf(figures[key], key === "motionAuc" ? 3 : 1)

const intervalText = (interval: Interval | null): string =>
  interval === null ? "" : ` (${textOf(interval[0])} to ${textOf(interval[1])})`

const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head, ...body] = rows.map((cells) => `| ${cells.join(" | ")} |`)
  return [head, `|${rows[0]!.map(() => "---|").join("")}`, ...body].join("\n")
}

const breathingRow = (figures: BreathingFigures) => [
  figures.capture.name,
  figures.countedBpm.length === 0 ? "n/a" : figures.countedBpm.join(", "),
  textOf(figures.answeredPercent, 0),
  textOf(figures.medianErrorBpm, 2),
  String(figures.wrongSeconds),
  String(figures.emptySeconds),
]

/** The two detectors beside each other. What a detector cannot be judged with has no column. */
const summaryOf = (detectors: RecordingsBoard["detectors"]): string => {
  const columns = detectors.flatMap(({ counts, intervals, means, name }) =>
    learnings.filter((learning) => counts[learning] > 0).map((learning) => ({
      head: `${name}: ${learningNames[learning]}`,
      count: String(counts[learning]),
      cell: (key: FigureKey) => figureText(means[learning], key) + intervalText(intervals[learning][key]),
    }))
  )
  return tableOf([
    ["", ...columns.map(({ head }) => head)],
    ["recordings", ...columns.map(({ count }) => count)],
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

const listOf = (names: ReadonlyArray<string>): string => names.length === 0 ? "" : ` (${names.join("; ")})`

/** @param files files without a label, those that cannot be read, and the faults of those that can be read in part */
export const recordingsText = (
  { breathing, detectors, hours, recordings, rooms, surrogates }: RecordingsBoard,
  files: ReadFiles,
): string =>
  [
    `REAL CAPTURES: ${recordings} labelled recordings of ${rooms} rooms, ${
      hours.toFixed(2)
    } h with a known presence. ` +
    "Shares are of judged time; each recording counts the same. Brackets are 95 % intervals of a bootstrap over recordings; " +
    "those of one room are alike.",
    "",
    summaryOf(detectors),
    "",
    surrogatesOf(surrogates),
    "",
    ...detectors.flatMap(({ learned, name, recordings }) => [
      tableOf([
        [`${name}, ${learningNames[learned]}`, ...figureKeys.slice(0, -1).map((key) => figureNames[key])],
        ...recordings.map((one) => [
          one.name,
          ...figureKeys.slice(0, -1).map((key) => figureText(one.figures, key)),
        ]),
      ]),
      "",
    ]),
    tableOf([
      [
        "breathing",
        "counted, /min",
        "occupied seconds with a rate, %",
        "median error, /min",
        "seconds with a wrong rate",
        "empty seconds with a rate",
      ],
      ...breathing.map(breathingRow),
    ]),
    "",
    `Not judged: ${files.unlabelled.length} files without a label, ${files.unreadable.length} that cannot be read` +
    `${listOf(files.unreadable)}. Judged, but read in part: ${files.faulty.length} files` +
    `${listOf(files.faulty.map(({ faults, name, packets }) => `${name}: ${faults} faults, ${packets} packets`))}.`,
  ].join("\n")

const short = (value: number | null): number | null => value === null ? null : Number(value.toPrecision(4))

const jsonKey = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const figuresJson = (figures: PresenceFigures) =>
  Object.fromEntries(figureKeys.map((key) => [jsonKey(key), short(figures[key])]))

const intervalsJson = (intervals: RecordingsBoard["detectors"][number]["intervals"][typeof learnings[number]]) =>
  Object.fromEntries(figureKeys.map((key) => [jsonKey(key), intervals[key]?.map(short) ?? null]))

const learningKeys = {
  nothing: "nothing_learned",
  quietStart: "quiet_start",
  leaveRecordingOut: "leave_recording_out",
  leaveRoomOut: "leave_room_out",
} as const satisfies Record<typeof learnings[number], string>

const detectorJson = (board: RecordingsBoard["detectors"][number]) => ({
  ...Object.fromEntries(learnings.map((learning) => [learningKeys[learning], {
    recordings: board.counts[learning],
    ...figuresJson(board.means[learning]),
    intervals: intervalsJson(board.intervals[learning]),
  }])),
  recordings_learned: learningKeys[board.learned],
  recordings: Object.fromEntries(board.recordings.map((one) => [one.name, figuresJson(one.figures)])),
})

export const recordingsJson = ({ breathing, detectors, hours, recordings, rooms, surrogates }: RecordingsBoard) => ({
  source: "recorded",
  recordings,
  rooms,
  hours: short(hours),
  detectors: Object.fromEntries(detectors.map((board) => [board.name, detectorJson(board)])),
  surrogates: Object.fromEntries(surrogates.map(({ figures, name }) => [name, figuresJson(figures)])),
  breathing: Object.fromEntries(breathing.map(({ capture, ...figures }) => [capture.name, {
    counted_bpm: figures.countedBpm,
    seconds: figures.seconds,
    answered_percent: short(figures.answeredPercent),
    median_error_bpm: short(figures.medianErrorBpm),
    wrong_seconds: figures.wrongSeconds,
    empty_seconds: figures.emptySeconds,
  }])),
})
