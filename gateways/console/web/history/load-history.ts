/** Reads stored frames and their sums from the pose API. */
import { RequestFailed } from "../service/request-failed.ts"
import { authorised } from "../service/session.ts"
import type { HistoryPage, LabelsPage, RoomLabel, SummaryAnswer } from "../service/types.ts"
import type { Received } from "../state/room.ts"
import { type Bucket, bucketsOf } from "./buckets.ts"
import { type HistoryRange, minuteMs } from "./history-range.ts"
import { allLabels } from "./labels.ts"

/** A minute has 600 frames at the usual pace; more than this many pages are not read. */
const pagesMax = 5
const pageFrames = 1000
/** A day and the hour that it can be longer. */
const minutesMax = 1500

/** The buckets of a range of an environment. Throws `RequestFailed`. */
export const loadBuckets = async (environmentId: string, range: HistoryRange): Promise<ReadonlyArray<Bucket>> => {
  const { results } = await authorised<SummaryAnswer>("/pose/query", {
    method: "POST",
    body: {
      query: {
        environment_id: environmentId,
        time_range: { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() },
        aggregation: {
          type: "minute_summary",
          metrics: ["presence", "motion", "person_count", "max_person_count", "avg_confidence", "activities"],
        },
        limit: minutesMax,
      },
    },
  })
  return bucketsOf(results, range)
}

/** The labels of a room in a range, oldest first. Throws `RequestFailed`. */
export const loadLabels = async (environmentId: string, range: HistoryRange): Promise<ReadonlyArray<RoomLabel>> => {
  const query = new URLSearchParams({
    environment_id: environmentId,
    start_time: new Date(range.fromMs).toISOString(),
    end_time: new Date(range.toMs).toISOString(),
  })
  return await allLabels((cursor) => {
    if (cursor !== null) query.set("cursor", cursor)
    return authorised<LabelsPage>(`/labels?${query}`)
  })
}

const receivedOf = (
  { environment_id, frame_id, metadata, persons, timestamp }: HistoryPage["poses"][number],
): Received => {
  const eventMs = Date.parse(timestamp)
  return { frame: { timestamp, environment_id, data: { frame_id, metadata, persons } }, eventMs, receivedAtMs: eventMs }
}

const readPage = async (path: string): Promise<HistoryPage | null> => {
  try {
    return await authorised<HistoryPage>(path)
  } catch (cause) {
    // A range without frames is a failure of the API, and an empty minute here.
    if (cause instanceof RequestFailed && cause.code === "POSE_DATA_NOT_FOUND") return null
    throw cause
  }
}

/** The frames of a minute, in order of time; empty if none are stored. Throws `RequestFailed`. */
export const loadMinute = async (environmentId: string, startMs: number): Promise<ReadonlyArray<Received>> => {
  const frames: Array<Received> = []
  const query = new URLSearchParams({
    environment_id: environmentId,
    start_time: new Date(startMs).toISOString(),
    end_time: new Date(startMs + minuteMs).toISOString(),
    include_keypoints: "false",
    include_3d: "true",
    limit: String(pageFrames),
  })
  for (let page = 0; page < pagesMax; page++) {
    const answer = await readPage(`/pose/history?${query}`)
    if (answer === null) break
    frames.push(...answer.poses.map(receivedOf))
    if (answer.pagination.next_cursor === null) break
    query.set("cursor", answer.pagination.next_cursor)
  }
  return frames
}
