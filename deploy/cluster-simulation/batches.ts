/** The packets of a simulated router: few and small, because the cluster is judged and not the signal. */
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import { hopUs } from "../../core/observation/observation.ts"

const framesPerHopDefault = 2
const tones = 8

const layout: RadioLayout = {
  format: "simulated",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: Int16Array.from({ length: tones }, (_, i) => i - tones / 2),
  subcarrierSpacingHz: 312_500,
  centerFrequencyHz: 2.437e9,
  bandwidthHz: 20e6,
}

/** The batch of one hop. */
export const batchOf = (routerId: string, hop: number, framesPerHop = framesPerHopDefault): CsiBatch => {
  const csi = new Float32Array(framesPerHop * tones * 2)
  for (let i = 0; i < csi.length; i += 2) csi[i] = 10
  return {
    routerId,
    batchSequence: hop,
    source: "live",
    layout,
    frameCount: framesPerHop,
    timestampsUs: Float64Array.from(
      { length: framesPerHop },
      (_, i) => hop * hopUs + ((i + 0.5) * hopUs) / framesPerHop,
    ),
    sequences: Uint32Array.from({ length: framesPerHop }, (_, i) => hop * framesPerHop + i),
    rssiDbm: new Int8Array(framesPerHop).fill(-50),
    noiseFloorDbm: new Int8Array(framesPerHop).fill(-95),
    transmitterIndex: new Uint16Array(framesPerHop),
    transmitterIds: ["ap"],
    csi,
  }
}
