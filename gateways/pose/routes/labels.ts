/** Handlers of the group Labels. */
import { Effect } from "effect"
import { weekMs } from "../../../core/analytics/calendar.ts"
import { labelsCsv, type RoomLabel } from "../../../protocols/domain/label.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import {
  createLabel,
  deleteLabel,
  exportedMax,
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

const msOrNull = (time: string | undefined): number | null => time === undefined ? null : epochMsOf(time)

interface Asked {
  readonly environmentId: string
  readonly fromMs: number | null
  readonly toMs: number | null
}

/** The newest labels that begin before `toMs`, and whether there are older ones. */
const pageOf = Effect.fnUntraced(function* (asked: Asked) {
  const labels = yield* (yield* Labels).list({ ...asked, limit: labelsMax + 1 })
  return { labels: labels.slice(0, labelsMax), more: labels.length > labelsMax }
})

/** All labels of a range, the oldest first. */
const allOf = Effect.fnUntraced(function* (asked: Asked) {
  const found: Array<RoomLabel> = []
  let page = yield* pageOf(asked)
  found.push(...page.labels)
  while (page.more) {
    if (found.length >= exportedMax) {
      return yield* InvalidRequest.of("end_time", `the range has more than ${exportedMax} labels: shorten it`, null)
    }
    page = yield* pageOf({ ...asked, toMs: found.at(-1)!.fromMs })
    found.push(...page.labels)
  }
  return found.reverse()
})

export const labelRoutes = [
  route(
    listLabels,
    Effect.fnUntraced(function* ({ query: { cursor, end_time, environment_id: environmentId, start_time } }) {
      yield* (yield* Directory).environment(environmentId)
      const ends = [cursor, end_time].flatMap((time) => time === undefined ? [] : [epochMsOf(time)])
      const toMs = ends.length === 0 ? null : Math.min(...ends)
      const { labels, more } = yield* pageOf({ environmentId, fromMs: msOrNull(start_time), toMs })
      return { labels: yield* Effect.forEach(labels, judged, { concurrency }), more }
    }),
  ),

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
    Effect.fnUntraced(function* ({ query: { end_time, environment_id: room, file, link = room, start_time } }) {
      yield* (yield* Directory).environment(room)
      const range = { fromMs: epochMsOf(start_time), toMs: msOrNull(end_time) }
      return labelsCsv(yield* allOf({ environmentId: room, ...range }), { file, room, link, ...range })
    }),
  ),
]
