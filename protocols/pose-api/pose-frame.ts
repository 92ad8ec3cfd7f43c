/**
 * The JSON text of a pose frame in each response form, through a filter.
 *
 * The text is made once per frame, form, set of persons and set of requested fields, and kept in the frame's memo. Only `age_ms` and
 * `lateness` differ between answers; they are inserted between the two halves of the text. Invariant: the memo of a frame stays small,
 * because its key holds the persons that pass, not the threshold.
 */
import { type Lateness, latenessOf } from "../domain/lateness.ts"
import type { DensePose, Person, PoseFrame } from "../domain/pose.ts"
import { round3 } from "./fields.ts"
import { type Form, isoTime } from "./forms.ts"
import { ageMsOf, bareBody, envelopeBody, passes, type PoseFilter, type Shown } from "./pose-json.ts"
import type { CurrentProvenanceShape, ProvenanceShape } from "./pose-schema.ts"

/** A frame whose encodings are shared by all answers. */
export interface MemoFrame {
  readonly frame: PoseFrame
  readonly memo: <A>(key: string, make: (frame: PoseFrame) => A) => A
  /** The dense pose of one of the frame's persons, rendered at the first request. */
  readonly densePose: (person: Person) => DensePose
}

/** The members that depend on the time of the answer. */
const judged = (ageMs: number, lateness: Lateness) => `"age_ms":${ageMs},"lateness":"${lateness}"`

/** Placeholder for them while a frame is encoded; the text is split here. It cannot occur in a JSON string, whose quotes are escaped. */
const ageUnset = 0
const unsetLateness = "on_time"
const mark = judged(ageUnset, unsetLateness)

/** The two halves of a text, before and after these members. */
type Halves = readonly [head: string, tail: string]

const halves = (text: string): Halves => {
  const cut = text.indexOf(mark)
  return [text.slice(0, cut), text.slice(cut + mark.length)]
}

/** Metadata whose provenance has the lateness after the age. */
const current = <M extends { readonly provenance: typeof ProvenanceShape.Type }>(metadata: M) => {
  const { age_ms, calibrated, source, ...rest } = metadata.provenance
  const provenance: typeof CurrentProvenanceShape.Type = {
    source,
    calibrated,
    age_ms,
    lateness: unsetLateness,
    ...rest,
  }
  return { ...metadata, provenance }
}

type Layout = "frame" | "update"

const encode = ({ densePose, frame }: MemoFrame, form: Form, filter: PoseFilter, layout: Layout): Halves => {
  const shown: Shown = { filter, persons: frame.persons.filter(passes(filter)), densePose }
  const { metadata, ...said } = form === "bare"
    ? bareBody(frame, shown, ageUnset)
    : envelopeBody(frame, shown, ageUnset)
  const body = { ...said, metadata: current(metadata) }
  const timestamp = isoTime(frame.timestampMs)
  return halves(JSON.stringify(
    layout === "update"
      ? { timestamp, environment_id: frame.environmentId, data: body }
      : { timestamp, processing_time_ms: round3(frame.processingTimeMs), ...body },
  ))
}

/** What a filter shows of a frame, as a key of its memo. */
export const shownKey = ({ frame }: MemoFrame, filter: PoseFilter): string => {
  let kept = ""
  for (const person of frame.persons) kept += passes(filter)(person) ? "1" : "0"
  const parts = [filter.includeKeypoints, filter.include3d, filter.includeDensePose].map(Number).join("")
  return `${parts} ${kept}`
}

const text = (shared: MemoFrame, form: Form, filter: PoseFilter, layout: Layout, nowMs: number): string => {
  const { frame } = shared
  const key = `${layout} ${form} ${shownKey(shared, filter)}`
  const [head, tail] = shared.memo(key, () => encode(shared, form, filter, layout))
  return head + judged(ageMsOf(frame, nowMs), latenessOf(frame, nowMs)) + tail
}

/** The JSON text of a frame in a REST answer. */
export const frameText = (shared: MemoFrame, form: Form, filter: PoseFilter, nowMs: number): string =>
  text(shared, form, filter, "frame", nowMs)

/** The JSON text `{"timestamp":…,"environment_id":…,"data":{frame_id, persons, metadata}}` from which a `pose_update` is made. */
export const updateText = (shared: MemoFrame, form: Form, filter: PoseFilter, nowMs: number): string =>
  text(shared, form, filter, "update", nowMs)
