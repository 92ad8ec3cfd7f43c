/**
 * Recordings of `wavepose record`: each router is a capture, and the labels of the header are its states.
 *
 * The words are the user's own. Those of `states` are judged; a part with another label, or without one, is not.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { headerBytesMax, type RecordingLabel } from "../../../sim/recording/recording.ts"
import { looksLikeRecording, readRecordingHeader, RecordingReader } from "../../../sim/recording/recording-decoder.ts"
import type { LabelSpan, RecordingLabel as Label, RoomState } from "./labels.ts"

interface RecordedRouter {
  readonly routerId: string
  readonly label: Label
  readonly batches: ReadonlyArray<CsiBatch>
}

/** The state that a user's word means; words that are not listed are not judged. */
const states: Readonly<Record<string, RoomState>> = {
  empty: "empty",
  nobody: "empty",
  moving: "moving",
  walking: "moving",
  still: "still",
  sitting: "still",
  standing: "still",
  lying: "still",
  sleeping: "still",
  phantom: "phantom",
}

const spanOf = ({ fromS, label, untilS }: RecordingLabel): ReadonlyArray<LabelSpan> => {
  const state = states[label.toLowerCase()]
  return state === undefined || fromS === untilS
    ? []
    : [{ fromS, untilS: untilS ?? Infinity, state, breathingPerMinute: null }]
}

/** Spans of a recording as spans of a capture in it, which begins at this second of the recording. */
const spansSince = (spans: ReadonlyArray<LabelSpan>, beginS: number): ReadonlyArray<LabelSpan> =>
  spans.flatMap((span) =>
    span.untilS <= beginS ? [] : [{ ...span, fromS: Math.max(0, span.fromS - beginS), untilS: span.untilS - beginS }]
  )

const headOf = (path: string): Uint8Array => {
  const file = openSync(path, "r")
  try {
    const head = new Uint8Array(headerBytesMax)
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

/**
 * The routers of a live recording; none without a label that is judged; null for files of other formats.
 *
 * @param given the label of the file in `--labels`, which replaces those of its header
 */
export const readLiveRecording = (path: string, given: Label | null): ReadonlyArray<RecordedRouter> | null => {
  const head = headOf(path)
  const header = looksLikeRecording(head) ? readRecordingHeader(head) : null
  if (header?.capture === undefined) return null
  const room = header.sites[0]!.environmentId
  const spans = header.capture.labels.flatMap(spanOf)
  if (given === null && spans.length === 0) return []
  const routers = new Map<string, Array<CsiBatch>>()
  for (const batch of new RecordingReader().push(new Uint8Array(readFileSync(path))).batches) {
    const batches = routers.get(batch.routerId)
    if (batches === undefined) routers.set(batch.routerId, [batch])
    else batches.push(batch)
  }
  return [...routers].sort(([a], [b]) => a < b ? -1 : 1).map(([routerId, batches]) => ({
    routerId,
    // A router may begin later than its recording, and be in one room after another.
    label: given ?? {
      room,
      link: `${room} ${routerId}`,
      spans: spansSince(spans, batches[0]!.timestampsUs[0]! / 1e6),
    },
    batches,
  }))
}
