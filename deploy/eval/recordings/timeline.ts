/**
 * The time of a capture, hop by hop: all of it that has a label, from the first packet to the last one or to the end of the
 * labels, with the hops in which no packet came. It does not depend on a detector, so all are judged over the same time.
 */
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { hopOf, hopUs } from "../../../core/observation/observation.ts"
import type { Capture } from "./captures.ts"
import type { LabelSpan } from "./labels.ts"

/** A hop with a label. */
export interface Moment {
  /** From 0 at the capture's first packet. */
  readonly hop: number
  readonly span: LabelSpan
}

/** A longer step is that of a clock that was set, and no time: one day. */
const stepHopsMax = 864_000
const hopsPerSecond = 1e6 / hopUs

export const firstUsOf = (batches: ReadonlyArray<CsiBatch>): number => batches[0]!.timestampsUs[0]!

/** The hops with packets, ascending, from 0 at the first packet. */
export const packetHopsOf = (batches: ReadonlyArray<CsiBatch>): ReadonlyArray<number> => {
  const firstHop = hopOf(firstUsOf(batches))
  const hops = new Set<number>()
  for (const { timestampsUs } of batches) for (const us of timestampsUs) hops.add(hopOf(us) - firstHop)
  return [...hops].filter((hop) => hop >= 0).sort((a, b) => a - b)
}

const momentsOf = ({ batches, label }: Capture): ReadonlyArray<Moment> => {
  const ends = label.spans.flatMap(({ untilS }) => untilS === Infinity ? [] : [Math.floor(untilS * hopsPerSecond) - 1])
  const packets = packetHopsOf(batches)
  const lastHop = Math.max(packets.at(-1) ?? 0, ...ends)
  const moments: Array<Moment> = []
  let next = 0
  for (const until of [...packets, lastHop]) {
    if (until - next > stepHopsMax) next = until
    for (; next <= until; next++) {
      const timeS = (next + 1) / hopsPerSecond
      const span = label.spans.find(({ fromS, untilS }) => timeS > fromS && timeS <= untilS)
      if (span !== undefined) moments.push({ hop: next, span })
    }
  }
  return moments
}

const known = new WeakMap<Capture, ReadonlyArray<Moment>>()

/** All hops of a capture that have a label; found once for all detectors and thresholds. */
export const timelineOf = (capture: Capture): ReadonlyArray<Moment> => {
  const moments = known.get(capture) ?? momentsOf(capture)
  known.set(capture, moments)
  return moments
}
