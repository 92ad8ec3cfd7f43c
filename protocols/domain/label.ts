/** What somebody knows was in a room during a span of time: the truth with which presence is compared. */

/** As in the labels of recordings: nobody, a person who moves about, a person who keeps still. */
export const labelStates = ["empty", "moving", "still"] as const
type LabelState = (typeof labelStates)[number]

export interface RoomLabel {
  readonly labelId: string
  readonly environmentId: string
  /** Inclusive. Milliseconds since the Unix epoch. */
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  readonly state: LabelState
  readonly note: string | null
  readonly createdMs: number
  readonly createdBy: string
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/**
 * The labels of a recording as CSV, as `npm run eval -- --recordings DIR --labels FILE` reads it.
 *
 * @param recording its path below the folder, the names of its room and link, and its first and last moment; `toMs` null: its end
 * is not known
 */
export const labelsCsv = (
  labels: ReadonlyArray<RoomLabel>,
  { file, fromMs, link, room, toMs }: {
    readonly file: string
    readonly room: string
    readonly link: string
    readonly fromMs: number
    readonly toMs: number | null
  },
): string => {
  const lines = labels.flatMap((label) => {
    const begin = Math.max(label.fromMs, fromMs)
    const end = Math.min(label.toMs, toMs ?? Infinity)
    return begin < end
      ? [`${file},${room},${link},${label.state},${seconds(begin - fromMs)},${seconds(end - fromMs)},`]
      : []
  })
  return ["file,room,link,state,from_s,until_s,breathing_per_minute", ...lines].map((line) => `${line}\n`).join("")
}
