/** From CSI batches to the decisions on presence, hop by hop, as the service takes them. */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { PresenceDetector, type PresenceReading } from "../../core/vitals/presence.ts"

/** @param calibrateS seconds at the start that calibrate the empty room; 0 for none */
export const readingsOf = (batches: Iterable<CsiBatch>, calibrateS = 0): ReadonlyArray<PresenceReading> => {
  const reducer = new Reducer("r")
  if (calibrateS > 0) reducer.startCalibration("empty", calibrateS * 1e6)
  const detector = new PresenceDetector()
  const readings: Array<PresenceReading> = []
  let hop = -1
  const take = (observations: ReturnType<Reducer["push"]>) => {
    for (const observation of observations) {
      if (hop < 0) hop = observation.hop
      while (hop < observation.hop) readings.push(detector.read(hop++))
      detector.add(observation)
    }
  }
  for (const batch of batches) take(reducer.push(batch))
  take(reducer.flush(Number.MAX_SAFE_INTEGER))
  return [...readings, detector.read(hop)]
}

/** Every n-th packet of a stream. */
export const decimate = (batches: ReadonlyArray<CsiBatch>, n: number): ReadonlyArray<CsiBatch> => {
  let count = 0
  return batches.map((batch) => {
    const kept = Array.from({ length: batch.frameCount }, (_, i) => i).filter(() => count++ % n === 0)
    const length = batch.csi.length / batch.frameCount
    const csi = new Float32Array(kept.length * length)
    kept.forEach((frame, i) => csi.set(batch.csi.subarray(frame * length, (frame + 1) * length), i * length))
    return {
      ...batch,
      frameCount: kept.length,
      csi,
      timestampsUs: batch.timestampsUs.filter((_, i) => kept.includes(i)),
      sequences: batch.sequences.filter((_, i) => kept.includes(i)),
      rssiDbm: batch.rssiDbm.filter((_, i) => kept.includes(i)),
      noiseFloorDbm: batch.noiseFloorDbm.filter((_, i) => kept.includes(i)),
      transmitterIndex: batch.transmitterIndex.filter((_, i) => kept.includes(i)),
    }
  }).filter(({ frameCount }) => frameCount > 0)
}

/** The share of readings with this verdict. */
export const shareOf = (readings: ReadonlyArray<PresenceReading>, present: boolean | null): number =>
  readings.filter((reading) => reading.presence.present === present).length / readings.length

/** The mean of the measured motion; null if it was never measured. */
export const meanMotion = (readings: ReadonlyArray<PresenceReading>): number | null => {
  const known = readings.flatMap(({ motion }) => motion === null ? [] : [motion])
  return known.length === 0 ? null : known.reduce((sum, motion) => sum + motion, 0) / known.length
}
