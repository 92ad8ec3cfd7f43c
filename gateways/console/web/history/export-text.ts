/** The buckets of a range as text of files. Pure. */
import { activities, type Bucket, type FrameSource } from "./buckets.ts"

const sources: ReadonlyArray<FrameSource> = ["live", "replay", "simulated"]

const rowOf = (environmentId: string, { endMs, recorded, startMs }: Bucket) => ({
  environment_id: environmentId,
  start_time: new Date(startMs).toISOString(),
  end_time: new Date(endMs).toISOString(),
  presence_present: recorded?.present ?? null,
  presence_absent: recorded?.absent ?? null,
  motion_mean: recorded?.motion ?? null,
  persons_mean: recorded?.personsMean ?? null,
  persons_max: recorded?.personsMax ?? null,
  confidence_mean: recorded?.confidence ?? null,
  ...Object.fromEntries(activities.map((name) => [`share_${name}`, recorded?.shares[name] ?? null])),
  ...Object.fromEntries(sources.map((source) => [`frames_${source}`, recorded?.framesBySource[source] ?? 0])),
})

/** A value of CSV as RFC 4180 has it; null is an empty value. */
const cell = (value: string | number | null): string => {
  const text = value === null ? "" : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** CSV with a header; a bucket without frames has empty values. */
export const csvOf = (environmentId: string, buckets: ReadonlyArray<Bucket>): string => {
  const rows = buckets.map((bucket) => rowOf(environmentId, bucket))
  const lines = rows.map((row) => Object.values(row).map(cell).join(","))
  return [Object.keys(rows[0] ?? {}).join(","), ...lines].map((line) => `${line}\r\n`).join("")
}

/** A JSON list with an object for each bucket; the values of a bucket without frames are null. */
export const jsonOf = (environmentId: string, buckets: ReadonlyArray<Bucket>): string =>
  `${JSON.stringify(buckets.map((bucket) => rowOf(environmentId, bucket)), null, 2)}\n`
