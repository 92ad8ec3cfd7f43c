/**
 * Replays a capture through the reducer and the presence detector, as the service does, and answers what each hop says.
 *
 * A capture may be preceded by one of the empty room, which calibrates: it is replayed first, on the same clock, and not
 * judged.
 */
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { hopOf, hopUs, type Observation } from "../../../core/observation/observation.ts"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { bestVitals } from "../../../core/vitals/best-vitals.ts"
import { PresenceDetector } from "../../../core/vitals/presence.ts"
import type { Capture } from "./captures.ts"
import type { RoomState } from "./labels.ts"

/** What a detector says of one hop. */
export interface JudgedHop {
  /** From 0 at the capture's first packet. */
  readonly hop: number
  readonly state: RoomState
  readonly present: boolean | null
  /** Strength of the motion; null where it is unknown. */
  readonly motion: number | null
}

/** A breathing rate of one second, or null, and the state of the room. */
export interface JudgedSecond {
  readonly state: RoomState
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
/** Hops of silence after which a detector has nothing to say. */
const silentHopsMax = 400

const firstUsOf = (batches: ReadonlyArray<CsiBatch>): number => batches[0]!.timestampsUs[0]!
const lastUsOf = (batches: ReadonlyArray<CsiBatch>): number => batches.at(-1)!.timestampsUs.at(-1)!

const shifted = (batch: CsiBatch, us: number): CsiBatch => ({
  ...batch,
  timestampsUs: batch.timestampsUs.map((timestampUs) => timestampUs + us),
})

/** The hop of a capture's last packet, from 0 at its first packet. */
export const lastHopOf = ({ batches }: Capture): number => hopOf(lastUsOf(batches) - firstUsOf(batches))

/** Reduces a capture, after one of the same link in the empty room if there is one. */
export const reduceCapture = (capture: Capture, calibration: Capture | null): Reduced => {
  const reducer = new Reducer("capture")
  const observations: Array<Observation> = []
  const { batches } = capture
  let firstUs = firstUsOf(batches)
  if (calibration !== null) {
    const startUs = firstUsOf(calibration.batches)
    const lengthUs = lastUsOf(calibration.batches) - startUs
    reducer.startCalibration("empty", Math.max(hopUs, lengthUs - marginUs))
    for (const batch of calibration.batches) observations.push(...reducer.push(shifted(batch, -startUs)))
    firstUs = lengthUs + silenceUs
  }
  for (const batch of batches) {
    observations.push(...reducer.push(shifted(batch, firstUs - firstUsOf(batches))))
  }
  observations.push(...reducer.flush(Number.MAX_SAFE_INTEGER))
  return { capture, observations, firstHop: hopOf(firstUs) }
}

export const stateAt = ({ label }: Capture, hop: number): RoomState | null => {
  const timeS = (hop + 1) * hopUs / 1e6
  return label.spans.find(({ fromS, untilS }) => timeS > fromS && timeS <= untilS)?.state ?? null
}

/** What the presence detector says of each hop. @param entry threshold of an unknown site; undefined: its own */
export const judgeHops = ({ capture, firstHop, observations }: Reduced, entry?: number): ReadonlyArray<JudgedHop> => {
  const detector = new PresenceDetector(entry)
  const hops: Array<JudgedHop> = []
  const read = (at: number) => {
    const { motion, presence } = detector.read(at)
    const state = stateAt(capture, at - firstHop)
    if (at >= firstHop && state !== null) hops.push({ hop: at - firstHop, state, present: presence.present, motion })
  }
  let next = observations[0]?.hop ?? 0
  for (const observation of observations) {
    next = Math.max(next, observation.hop - silentHopsMax)
    for (; next < observation.hop; next++) read(next)
    detector.add(observation)
  }
  read(next)
  return hops
}

/** The breathing rates of a capture, second by second. */
export const judgeSeconds = ({ capture, firstHop, observations }: Reduced): ReadonlyArray<JudgedSecond> =>
  observations.filter(({ hop }, i) =>
    i + 1 === observations.length || Math.floor(hop / 10) !== Math.floor(observations[i + 1]!.hop / 10)
  ).flatMap((observation) => {
    const state = stateAt(capture, observation.hop - firstHop)
    return state === null ? [] : [{ state, rateBpm: bestVitals([observation]).breathingRateBpm }]
  })
