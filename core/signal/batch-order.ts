/** Validates a batch from outside and sorts its frames by time. */
import { type CsiBatch, frameLimits, valuesPerFrame } from "../formats/csi-batch.ts"

/** Whether the lengths of a batch's arrays match its layout and frame count, within the limits of a frame. */
export const isConsistent = (batch: CsiBatch): boolean => {
  const { layout, frameCount } = batch
  const values = valuesPerFrame(layout)
  return layout.receiveAntennas >= 1 && layout.receiveAntennas <= frameLimits.antennas &&
    layout.transmitAntennas >= 1 && layout.transmitAntennas <= frameLimits.antennas &&
    layout.subcarrierIndices.length >= 2 && values <= frameLimits.values &&
    batch.csi.length === 2 * frameCount * values &&
    batch.timestampsUs.length === frameCount && batch.sequences.length === frameCount &&
    batch.rssiDbm.length === frameCount && batch.transmitterIndex.length === frameCount
}

/** The frames of a batch in time order; stable. */
export const inTimeOrder = (batch: CsiBatch): Iterable<number> => {
  const order = Array.from({ length: batch.frameCount }, (_, i) => i)
  const times = batch.timestampsUs
  for (let i = 1; i < order.length; i++) {
    if (!(times[i]! >= times[i - 1]!)) return order.sort((a, b) => times[a]! - times[b]! || a - b)
  }
  return order
}
