/** Labels of a room in words, and how presence agreed with them. Pure. */
import type { LabelsPage, RoomLabel } from "../service/types.ts"

export type LabelState = RoomLabel["state"]

export const labelWords: Readonly<Record<LabelState, string>> = {
  empty: "Nobody here",
  moving: "Somebody moved",
  still: "Somebody kept still",
}

/** Share of false statements above which a calibration is advised. */
const falseShareMax = 0.02

const percent = (part: number, whole: number): string => `${Math.round(100 * part / whole)} %`

/** What the stored frames said meanwhile. */
export const agreementText = ({ frames: { absent, present, total }, state }: RoomLabel): string => {
  if (total === 0) return "no frames are stored of it"
  const decided = present + absent
  if (decided === 0) return "presence was never decided"
  const right = state === "empty" ? absent : present
  const undecided = total - decided
  return `right in ${percent(right, decided)} of the decided time${
    undecided === 0 ? "" : `; undecided ${percent(undecided, total)}`
  }`
}

/** What to do about a label with which presence disagrees; null: nothing. */
export const adviceOf = ({ frames: { absent, present }, state }: RoomLabel): string | null => {
  const decided = present + absent
  if (decided === 0) return null
  if (state === "empty" && present / decided > falseShareMax) {
    return "Somebody was reported although nobody was here. Calibrate the empty room."
  }
  return state !== "empty" && absent / decided > falseShareMax
    ? "Nobody was reported although somebody was here. Calibrate the room occupied, and see the health page."
    : null
}

/** A moment as an input of type `datetime-local` writes it, in the time zone of the browser. */
export const inputTimeOf = (ms: number): string => {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** The moment of such an input; null if it is empty. */
export const msOfInputTime = (text: string): number | null => {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : ms
}

/** 200 labels are a page; more than this many pages are not read. */
const pagesMax = 50

/** The labels of all pages, oldest first. A page has the newest first, and the cursor of the page before it in time. */
export const allLabels = async (
  readPage: (cursor: string | null) => Promise<LabelsPage>,
): Promise<ReadonlyArray<RoomLabel>> => {
  const labels: Array<RoomLabel> = []
  let cursor: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const answer: LabelsPage = await readPage(cursor)
    labels.push(...answer.labels)
    cursor = answer.pagination.next_cursor
    if (cursor === null) break
  }
  return labels.toReversed()
}
