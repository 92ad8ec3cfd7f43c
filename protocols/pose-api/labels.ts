/**
 * Endpoints of the group Labels: what was in a room at a time, as somebody knows it, and how often presence agreed.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { labelStates, type RoomLabel } from "../domain/label.ts"
import { Identifier } from "../domain/site.ts"
import { endpoint, jsonCodec, textCodec } from "./endpoint.ts"
import { Count, NullableString, Text, Timestamp, Uuid } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

const group = "Labels"
/** Labels of a page, and of an export. */
export const labelsMax = 200
export const exportedMax = 100_000

/** A label, and what the stored frames of its span say. */
export interface JudgedLabel {
  readonly label: RoomLabel
  readonly frames: number
  readonly present: number
  readonly absent: number
}

const State = Schema.Literals(labelStates).annotate({
  description: "`empty`: nobody. `moving`: a person who walks or is active. `still`: a person who keeps still.",
})

const LabelBody = Schema.Struct({
  label_id: Uuid,
  environment_id: Schema.String,
  start_time: IsoTime,
  end_time: IsoTime,
  state: State,
  note: NullableString.annotate({ description: "A remark; null without one." }),
  created_at: IsoTime,
  created_by: Schema.String,
  frames: Schema.Struct({
    total: Count.annotate({ description: "All frames." }),
    present: Count.annotate({ description: "Those that state presence." }),
    absent: Count.annotate({ description: "Those that state absence." }),
  }).annotate({
    description: "Number of stored frames of the span.",
  }),
}).annotate({ identifier: "Label" })

const labelBody = ({ absent, frames, label, present }: JudgedLabel): typeof LabelBody.Type => ({
  label_id: label.labelId,
  environment_id: label.environmentId,
  start_time: isoTime(label.fromMs),
  end_time: isoTime(label.toMs),
  state: label.state,
  note: label.note,
  created_at: isoTime(label.createdMs),
  created_by: label.createdBy,
  frames: { total: frames, present, absent },
})

export const LabelsBody = Schema.Struct({
  labels: Schema.Array(LabelBody).annotate({ description: "The newest first." }),
  pagination: Schema.Struct({ has_more: Schema.Boolean, next_cursor: Schema.NullOr(IsoTime) }),
})

interface LabelPage {
  readonly labels: ReadonlyArray<JudgedLabel>
  readonly more: boolean
}

const listCodec = jsonCodec(LabelsBody, ({ labels, more }: LabelPage) => ({
  labels: labels.map(labelBody),
  // The labels of a room do not overlap, so each has a start of its own.
  pagination: { has_more: more, next_cursor: more ? isoTime(labels.at(-1)!.label.fromMs) : null },
}))
const labelCodec = jsonCodec(LabelBody, labelBody)

const range = {
  environment_id: Identifier,
  start_time: Schema.optionalKey(Timestamp.annotate({ description: "Default: from the first label." })),
  end_time: Schema.optionalKey(Timestamp.annotate({ description: "Default: to the last label." })),
}

export const listLabels = endpoint({
  method: "GET",
  path: "/labels",
  group,
  summary: `The labels of a room in a range, the newest first, ${labelsMax} in a page`,
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    ...range,
    cursor: Schema.optionalKey(Timestamp.annotate({ description: "`next_cursor` of the page before." })),
  }),
  status: 200,
  response: { bare: listCodec, envelope: listCodec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})

export const createLabel = endpoint({
  method: "POST",
  path: "/labels",
  rules: [requestRules.range, "the span has at most a week and overlaps no other label of the room"],
  group,
  summary: "Label a span of time. Labels of a room cannot overlap",
  access: "write:events",
  category: "configuration",
  body: {
    schema: Schema.Struct({
      environment_id: Identifier,
      start_time: Timestamp,
      end_time: Timestamp,
      state: State,
      note: Schema.optionalKey(Text(1, 200).annotate({ description: "A remark." })),
    }),
    required: true,
  },
  status: 201,
  response: { bare: labelCodec, envelope: labelCodec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})

export const deleteLabel = endpoint({
  method: "DELETE",
  path: "/labels/{label_id}",
  group,
  summary: "Delete a label",
  access: "write:events",
  category: "configuration",
  params: Schema.Struct({ label_id: Schema.String }),
  status: 204,
  response: null,
  failures: ["ResourceNotFound", "StoreUnavailable"],
})

/** A cell of the file, which knows no quotes. */
// deno-lint-ignore no-control-regex
const Cell = Schema.String.check(Schema.isPattern(/^[^,"\r\n\u0000]{1,300}$/u))

export const exportLabels = endpoint({
  method: "GET",
  path: "/labels/export",
  group,
  summary: "The labels of a recording as CSV, for `npm run eval -- --recordings DIR --labels FILE`",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    environment_id: Identifier,
    file: Cell.annotate({ description: "Path of the recording below its folder." }),
    link: Schema.optionalKey(Cell.annotate({ description: "Name of the link. Default: the environment's id." })),
    start_time: Timestamp.annotate({ description: "Time of the first packet of the recording." }),
    end_time: Schema.optionalKey(Timestamp.annotate({ description: "Time of its last packet." })),
  }),
  status: 200,
  response: { bare: textCodec, envelope: textCodec },
  unwrapped: true,
  mediaType: "text/csv; charset=utf-8",
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
