/**
 * Labels of recordings: what was in the room, in which part of a file, as CSV.
 *
 *     file,room,link,state,from_s,until_s,breathing_per_minute
 *     kitchen/night.csv,kitchen,a-b,empty,,,
 *     kitchen/visit.csv,kitchen,a-b,moving,12,40,
 *
 * `file` is a path below the folder of the recordings, or its end. `state` is `empty`, `moving` (a person walks or is
 * active), `still` (a person keeps still) or `phantom` (a machine that breathes: presence is not judged). Empty
 * `from_s` and `until_s` are the start and the end of the file; a file may have several rows. `room` and `link` are
 * names: a recording of the empty room, labelled from its start to its end, can calibrate others of the same link, and those of a room are left
 * out together. A row's rate is that of its own part of the file.
 */

export type RoomState = "empty" | "moving" | "still" | "phantom"
const states: ReadonlyArray<string> = ["empty", "moving", "still", "phantom"] satisfies ReadonlyArray<RoomState>

/** A part of a recording; seconds since its first packet. */
export interface LabelSpan {
  readonly fromS: number
  readonly untilS: number
  readonly state: RoomState
  /** Breaths per minute; null where they were not counted. */
  readonly breathingPerMinute: number | null
}

export interface RecordingLabel {
  readonly room: string
  readonly link: string
  readonly spans: ReadonlyArray<LabelSpan>
}

/** The label of a file by its path; null for a file without one. */
export type LabelOf = (path: string) => RecordingLabel | null

const columns = ["file", "room", "link", "state", "from_s", "until_s", "breathing_per_minute"] as const

/** Whether a file's path is this one, or ends with it. */
export const endsWithPath = (path: string, end: string): boolean => path === end || path.endsWith(`/${end}`)

const numberOr = (text: string | undefined, otherwise: number): number =>
  text === undefined || text.trim() === "" ? otherwise : Number(text)

/** Parses labels. Throws an Error that names the line and what it lacks. */
export const parseLabels = (text: string): LabelOf => {
  const [head = "", ...lines] = text.split(/\r?\n/)
  if (head.trim() !== columns.join(",")) throw new Error(`line 1 must be "${columns.join(",")}"`)
  const labels = new Map<string, RecordingLabel>()
  for (const [i, line] of lines.entries()) {
    if (line.trim() === "") continue
    const [file = "", room = "", link = "", state = "", from, until, breathing] = line.split(",").map((c) => c.trim())
    const [fromS, untilS, rate] = [numberOr(from, 0), numberOr(until, Infinity), numberOr(breathing, 0)]
    if (file === "" || room === "" || !states.includes(state) || !(untilS > fromS) || !(rate >= 0)) {
      throw new Error(`line ${i + 2} needs a file, a room, a state (${states.join(", ")}) and numbers`)
    }
    const breathingPerMinute = rate > 0 ? rate : null
    const span: LabelSpan = { fromS, untilS, state: state as RoomState, breathingPerMinute }
    labels.set(file, { room, link, spans: [...labels.get(file)?.spans ?? [], span] })
  }
  return (path) => [...labels].find(([file]) => endsWithPath(path, file))?.[1] ?? null
}
