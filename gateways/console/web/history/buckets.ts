/** Buckets of a range: one for each minute, with what the service stored in it. Pure. */
import type { SummaryResult } from "../service/types.ts"
import { minuteText } from "../state/time-text.ts"
import { type HistoryRange, minuteMs } from "./history-range.ts"

/** The activities in the order in which they are drawn. */
export const activities = ["walking", "standing", "sitting", "lying", "falling", "unknown"] as const
type Activity = (typeof activities)[number]

export type FrameSource = "live" | "replay" | "simulated"

interface Recorded {
  /** Shares of the frames that state presence and absence; the rest makes no statement. */
  readonly present: number
  readonly absent: number
  /** Mean, 0 to 1; null without a value. */
  readonly motion: number | null
  /** Null: persons are not counted. */
  readonly personsMean: number | null
  readonly personsMax: number | null
  /** 0 to 1; null without persons. */
  readonly confidence: number | null
  /** Shares of the persons' time; they add up to 1, or all are 0 without persons. */
  readonly shares: Readonly<Record<Activity, number>>
  readonly framesBySource: Readonly<Record<FrameSource, number>>
}

export interface Bucket {
  readonly startMs: number
  readonly endMs: number
  /** Null: no frames were stored. */
  readonly recorded: Recorded | null
}

const recordedOf = (result: SummaryResult): Recorded => ({
  present: result.presence?.present ?? 0,
  absent: result.presence?.absent ?? 0,
  motion: result.motion ?? null,
  personsMean: result.person_count ?? null,
  personsMax: result.max_person_count ?? null,
  confidence: result.avg_confidence ?? null,
  shares: Object.fromEntries(activities.map((name) => [name, result.activities?.[name] ?? 0])) as Recorded["shares"],
  framesBySource: {
    live: result.provenance.live ?? 0,
    replay: result.provenance.replay ?? 0,
    simulated: result.provenance.simulated ?? 0,
  },
})

/** All buckets of a range, in order of time. Buckets begin at whole minutes, as those of the service do. */
export const bucketsOf = (results: ReadonlyArray<SummaryResult>, range: HistoryRange): ReadonlyArray<Bucket> => {
  const byStart = new Map(results.map((result) => [Date.parse(result.timestamp), result]))
  const first = Math.floor(range.fromMs / minuteMs)
  const count = Math.ceil(range.toMs / minuteMs) - first
  return Array.from({ length: count }, (_, index) => {
    const startMs = (first + index) * minuteMs
    const result = byStart.get(startMs)
    return {
      startMs,
      endMs: startMs + minuteMs,
      recorded: result === undefined ? null : recordedOf(result),
    }
  })
}

/** The source of most frames of a bucket. */
export const sourceOf = ({ framesBySource }: Recorded): FrameSource =>
  (Object.entries(framesBySource) as Array<[FrameSource, number]>).sort(([, a], [, b]) => b - a)[0]![0]

const percent = (share: number): string => `${Math.round(100 * share)} %`

/** What the frames say about presence and motion. */
const presenceText = ({ absent, motion, present }: Recorded): string => {
  const undecided = Math.max(0, 1 - present - absent)
  const parts = [[present, "somebody"], [absent, "nobody"], [undecided, "not known"]] as const
  const said = parts.filter(([share]) => share >= 0.005)
    .map(([share, word]) => share >= 0.995 ? word : `${word} ${percent(share)}`).join(", ")
  return motion === null ? said : `${said}; motion ${motion.toFixed(2)}`
}

/** A bucket in one sentence. */
export const bucketText = ({ recorded, startMs }: Bucket): string => {
  const time = minuteText(startMs)
  if (recorded === null) return `${time}: no frames`
  const { personsMax, personsMean, shares } = recorded
  const presence = `${time}: ${presenceText(recorded)}`
  if (personsMax === null || personsMean === null) return `${presence}; persons not counted; ${sourceOf(recorded)}`
  if (personsMax === 0) return `${presence}; ${sourceOf(recorded)}`
  const doing = activities.filter((name) => shares[name] >= 0.005)
    .map((name) => `${name} ${percent(shares[name])}`).join(", ")
  return `${presence}; ${personsMean.toFixed(1)} persons on average, at most ${personsMax}; ${doing}; ${
    sourceOf(recorded)
  }`
}
