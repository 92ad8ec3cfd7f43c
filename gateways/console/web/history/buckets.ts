/** Buckets of a range: one for each minute or hour, with what the service stored in it. Pure. */
import type { SummaryResult } from "../service/types.ts"
import type { HistoryRange } from "./history-range.ts"

/** The activities in the order in which they are drawn. */
export const activities = ["walking", "standing", "sitting", "lying", "falling", "unknown"] as const
type Activity = (typeof activities)[number]

export type FrameSource = "live" | "replay" | "simulated"

interface Recorded {
  readonly personsMean: number
  readonly personsMax: number
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
  personsMean: result.person_count ?? 0,
  personsMax: result.max_person_count ?? 0,
  confidence: result.avg_confidence ?? null,
  shares: Object.fromEntries(activities.map((name) => [name, result.activities?.[name] ?? 0])) as Recorded["shares"],
  framesBySource: {
    live: result.provenance.live ?? 0,
    replay: result.provenance.replay ?? 0,
    simulated: result.provenance.simulated ?? 0,
  },
})

/** All buckets of a range, in order of time. Buckets begin at whole minutes or hours of UTC, as those of the service do. */
export const bucketsOf = (results: ReadonlyArray<SummaryResult>, range: HistoryRange): ReadonlyArray<Bucket> => {
  const byStart = new Map(results.map((result) => [Date.parse(result.timestamp), result]))
  const first = Math.floor(range.fromMs / range.bucketMs)
  const count = Math.ceil(range.toMs / range.bucketMs) - first
  return Array.from({ length: count }, (_, index) => {
    const startMs = (first + index) * range.bucketMs
    const result = byStart.get(startMs)
    return {
      startMs,
      endMs: startMs + range.bucketMs,
      recorded: result === undefined ? null : recordedOf(result),
    }
  })
}

/** The source of most frames of a bucket. */
export const sourceOf = ({ framesBySource }: Recorded): FrameSource =>
  (Object.entries(framesBySource) as Array<[FrameSource, number]>).sort(([, a], [, b]) => b - a)[0]![0]

const timeText = (ms: number): string =>
  new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

/** A bucket in one sentence. */
export const bucketText = ({ recorded, startMs }: Bucket): string => {
  const time = timeText(startMs)
  if (recorded === null) return `${time}: no frames`
  const { personsMax, personsMean, shares } = recorded
  if (personsMax === 0) return `${time}: no persons, ${sourceOf(recorded)}`
  const doing = activities.filter((name) => shares[name] >= 0.005)
    .map((name) => `${name} ${Math.round(100 * shares[name])} %`).join(", ")
  return `${time}: ${personsMean.toFixed(1)} persons on average, at most ${personsMax}; ${doing}; ${sourceOf(recorded)}`
}
