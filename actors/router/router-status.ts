/** The parts of a router's status that its reducer knows. Pure. */
import type { RadioLayout } from "../../core/formats/csi-batch.ts"
import type { Reducer } from "../../core/reduction/reduce.ts"
import type { RouterStatus } from "../../protocols/messages/router.ts"

/** The channel of a layout; null before the first packet. */
export const channelOf = (layout: RadioLayout | null): RouterStatus["channel"] =>
  layout === null ? null : {
    format: layout.format,
    centerFrequencyHz: layout.centerFrequencyHz,
    bandwidthHz: layout.bandwidthHz,
    receiveAntennas: layout.receiveAntennas,
    subcarriers: layout.subcarrierIndices.length,
  }

/** The status of the calibration, and of the one that runs. */
export const calibrationOf = (reducer: Reducer): RouterStatus["calibration"] => {
  const { takenAtUs, ...status } = reducer.calibrationStatus()
  const run = reducer.calibration
  return {
    ...status,
    takenAtMs: takenAtUs === null ? null : takenAtUs / 1000,
    running: run === null || run.done ? null : {
      room: run.room,
      progress: run.elapsedUs / run.durationUs,
      movingShare: run.hops === 0 ? null : run.movingHops / run.hops,
    },
  }
}
