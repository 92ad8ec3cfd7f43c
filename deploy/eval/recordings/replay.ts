/**
 * Replays a capture through the reducer and the presence detector, as the service does, and answers what each hop says.
 *
 * A capture may be preceded by one of the empty room, which calibrates: it is replayed first, on the same clock, and not
 * judged.
 */
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { hopOf, hopUs, type Observation } from "../../../core/observation/observation.ts"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { CalibrationRun } from "../../../core/signal/calibration-run.ts"
import { bestOfLinks } from "../../../core/vitals/best-vitals.ts"
import { PresenceDetector } from "../../../core/vitals/presence.ts"
import type { Capture } from "./captures.ts"
import type { LabelSpan, RoomState } from "./labels.ts"
import { firstUsOf, packetHopsOf, timelineOf } from "./timeline.ts"

/** What a detector says of one hop. */
export interface JudgedHop {
  /** From 0 at the capture's first packet. */
  readonly hop: number
  readonly state: RoomState
  readonly present: boolean | null
  /** Strength of the motion; null where it is unknown. */
  readonly motion: number | null
}

/** A breathing rate of one second, or null, and the label of that second. */
export interface JudgedSecond {
  readonly span: LabelSpan
  readonly rateBpm: number | null
}

/** The observations of a capture, and the hop of its first packet. */
export interface Reduced {
  readonly capture: Capture
  readonly observations: ReadonlyArray<Observation>
  readonly firstHop: number
}

/** The end of a capture that a calibration leaves out. */
const marginUs = 500_000
/** Silence between the calibration and the capture: the change from one to the other is in no window. */
const silenceUs = 60_000_000
/** The longest window of a breathing rate: for this long after a label begins, a rate may be that of the label before. */
const rateWindowS = 60
const hopsPerSecond = 1e6 / hopUs

const lastUsOf = (batches: ReadonlyArray<CsiBatch>): number => batches.at(-1)!.timestampsUs.at(-1)!

const shifted = (batch: CsiBatch, us: number): CsiBatch => ({
  ...batch,
  timestampsUs: batch.timestampsUs.map((timestampUs) => timestampUs + us),
})

/** How long a calibration lasts that ends with a capture: a run counts a long silence as one hop. */
const calibrationUsOf = (batches: ReadonlyArray<CsiBatch>): number => {
  const run = new CalibrationRun("empty", Infinity)
  for (const hop of packetHopsOf(batches)) run.take(hop, false, () => 0)
  return Math.max(hopUs, run.progress.elapsedUs - marginUs)
}

/** Reduces a capture, uncalibrated. */
export const reduceCapture = (capture: Capture): Reduced => {
  const reducer = new Reducer("capture")
  const { batches } = capture
  const observations = batches.flatMap((batch) => reducer.push(batch))
  observations.push(...reducer.flush(Number.MAX_SAFE_INTEGER))
  return { capture, observations, firstHop: hopOf(firstUsOf(batches)) }
}

/** Reduces a capture after one of the same link in the empty room; null where that does not complete a calibration. */
export const reduceCalibrated = (capture: Capture, calibration: Capture): Reduced | null => {
  const reducer = new Reducer("capture")
  const startUs = firstUsOf(calibration.batches)
  const lengthUs = lastUsOf(calibration.batches) - startUs
  reducer.startCalibration("empty", calibrationUsOf(calibration.batches))
  const observations = calibration.batches.flatMap((batch) => reducer.push(shifted(batch, -startUs)))
  const firstUs = lengthUs + silenceUs
  observations.push(...reducer.flush(firstUs - hopUs))
  if (reducer.calibration?.done !== true) return null
  for (const batch of capture.batches) {
    observations.push(...reducer.push(shifted(batch, firstUs - firstUsOf(capture.batches))))
  }
  observations.push(...reducer.flush(Number.MAX_SAFE_INTEGER))
  return { capture, observations, firstHop: hopOf(firstUs) }
}

/** What the presence detector says of each hop. @param entry threshold of an unknown site; undefined: its own */
export const judgeHops = ({ capture, firstHop, observations }: Reduced, entry?: number): ReadonlyArray<JudgedHop> => {
  const detector = new PresenceDetector(entry)
  let taken = 0
  return timelineOf(capture).map(({ hop, span: { state } }) => {
    for (; taken < observations.length && observations[taken]!.hop <= firstHop + hop; taken++) {
      detector.add(observations[taken]!)
      detector.read(observations[taken]!.hop)
    }
    const { motion, presence } = detector.read(firstHop + hop)
    return { hop, state, present: presence.present, motion }
  })
}

/** The breathing rates of a capture, second by second, without those whose window reaches into the label before. */
export const judgeSeconds = ({ capture, firstHop, observations }: Reduced): ReadonlyArray<JudgedSecond> => {
  const secondOf = (hop: number): number => Math.floor(hop / hopsPerSecond)
  const last = new Map(observations.map((observation) => [secondOf(observation.hop - firstHop), observation]))
  const spans = new Map(timelineOf(capture).map(({ hop, span }) => [secondOf(hop), span]))
  return [...spans].flatMap(([second, span]) => {
    if (span.fromS > 0 && second - span.fromS < rateWindowS) return []
    const observation = last.get(second)
    return [{ span, rateBpm: observation === undefined ? null : bestOfLinks(observation.links).breathingRateBpm }]
  })
}
