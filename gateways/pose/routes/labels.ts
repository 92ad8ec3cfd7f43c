/** Handlers of the group Labels. */
import { Effect } from "effect"
import { weekMs } from "../../../core/analytics/calendar.ts"
import { labelsCsv, type RoomLabel } from "../../../protocols/domain/label.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import {
  createLabel,
  deleteLabel,
  exportLabels,
  type JudgedLabel,
  labelsMax,
  listLabels,
} from "../../../protocols/pose-api/labels.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { FrameSummaries } from "../../../protocols/ports/frame-summaries.ts"
import { Labels } from "../../../protocols/ports/labels.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { route } from "../server/route.ts"

/** Labels whose frames are counted at one time. */
const concurrency = 4
/** The longest span of a label. */
const spanMsMax = weekMs
/** A span touches at most two weeks. */
const weeksMax = 2

const open = { personsMin: null, personsMax: null, confidenceMin: null, activities: [] }

/** What the stored frames of a label's span say. */
const judged = Effect.fnUntraced(function* (label: RoomLabel) {
  const { environmentId, fromMs, toMs } = label
  const { rows } = yield* (yield* FrameSummaries).ask({
    environmentId,
    fromMs,
    toMs,
    filter: open,
    stretch: "week",
    falls: false,
    limit: weeksMax,
    after: null,
  }).pipe(Effect.catchTag("TooManyFrames", () => Effect.die("an open filter reads no frames")))
  const sum = (of: (row: typeof rows[number]) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    label,
    frames: sum(({ frames }) => frames),
    present: sum(({ present }) => present),
    absent: sum(({ absent }) => absent),
  } satisfies JudgedLabel
})

/** The labels of an environment that exists. */
const labelsOf = Effect.fnUntraced(function* (environmentId: string, start?: string, end?: string) {
  yield* (yield* Directory).environment(environmentId)
  return yield* (yield* Labels).list({
    environmentId,
    fromMs: start === undefined ? null : epochMsOf(start),
    toMs: end === undefined ? null : epochMsOf(end),
    limit: labelsMax,
  })
})

export const labelRoutes = [
  route(listLabels, ({ query: { end_time, environment_id, start_time } }) =>
    Effect.flatMap(
      labelsOf(environment_id, start_time, end_time),
      (labels) => Effect.forEach(labels, judged, { concurrency }),
    )),

  route(createLabel, ({ body, caller }) =>
    Effect.gen(function* () {
      const [fromMs, toMs] = [epochMsOf(body.start_time), epochMsOf(body.end_time)]
      if (toMs <= fromMs) return yield* InvalidRequest.of("end_time", "is not after start_time", body.end_time)
      if (toMs - fromMs > spanMsMax) {
        return yield* InvalidRequest.of("end_time", "is more than a week after start_time", body.end_time)
      }
      yield* (yield* Directory).environment(body.environment_id)
      const label = yield* (yield* Labels).add({
        environmentId: body.environment_id,
        fromMs,
        toMs,
        state: body.state,
        note: body.note ?? null,
        createdBy: changedBy(caller).name,
      })
      if (label !== null) return yield* judged(label)
      return yield* InvalidRequest.of(
        "start_time",
        "the span overlaps another label of this room: delete that one first, see GET /api/v1/labels",
        body.start_time,
      )
    })),

  route(deleteLabel, ({ params: { label_id: labelId } }) =>
    Effect.gen(function* () {
      if (yield* (yield* Labels).remove(labelId)) return
      return yield* new ResourceNotFound({
        resource: "label",
        message: "There is no label with this id. GET /api/v1/labels lists them.",
      })
    })),

  route(
    exportLabels,
    ({ query: { end_time, environment_id, file, link, start_time } }) =>
      Effect.map(labelsOf(environment_id, start_time, end_time), (labels) =>
        labelsCsv(labels.toReversed(), {
          file,
          room: environment_id,
          link: link ?? environment_id,
          fromMs: epochMsOf(start_time),
          toMs: end_time === undefined ? null : epochMsOf(end_time),
        })),
  ),
]
