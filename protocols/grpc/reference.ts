/**
 * Codec of a router's references: `core/signal/reference.ts` <-> the message `wavepose.internal.v1.References`.
 *
 * Boundary: only the store holds these bytes. Unreadable bytes give null, and the router learns its references again.
 */
import type { CalibrationSide, LinkCalibration } from "../../core/signal/calibration.ts"
import type { Reference } from "../../core/signal/reference.ts"
import { wavepose } from "./generated/wavepose.js"
import { bytesOf, columnOf } from "./wire.ts"

/** References as a protobuf message. */
export const encodeReferences = (references: ReadonlyArray<Reference>): Uint8Array =>
  wavepose.internal.v1.References.encode({
    references: references.map((reference) => ({
      ...reference,
      response: bytesOf(reference.response),
      layout: { ...reference.layout, subcarrierIndices: Array.from(reference.layout.subcarrierIndices) },
    })),
  }).finish()

const sideOf = (side: wavepose.internal.v1.CalibrationSide.$Properties | null | undefined): CalibrationSide | null =>
  side == null ? null : { residual: side.residual ?? 0, blocks: side.blocks ?? 0 }

const calibrationOf = (calibration: wavepose.internal.v1.LinkCalibration.$Properties): LinkCalibration => ({
  version: calibration.version ?? 0,
  takenAtUs: calibration.takenAtUs ?? 0,
  empty: sideOf(calibration.empty),
  occupied: sideOf(calibration.occupied),
})

/** The references of a protobuf message, copied; null if the bytes are unreadable. */
export const decodeReferences = (bytes: Uint8Array): ReadonlyArray<Reference> | null => {
  try {
    return wavepose.internal.v1.References.decode(bytes).references.map((reference) => {
      const layout = wavepose.v1.RadioLayout.create(reference.layout ?? {})
      return {
        transmitterId: reference.transmitterId ?? "",
        calibration: reference.calibration == null ? null : calibrationOf(reference.calibration),
        hops: reference.hops ?? 0,
        response: columnOf(reference.response ?? new Uint8Array(0), 4, Float32Array).slice(),
        layout: {
          format: layout.format,
          receiveAntennas: layout.receiveAntennas,
          transmitAntennas: layout.transmitAntennas,
          subcarrierIndices: Int16Array.from(layout.subcarrierIndices),
          subcarrierSpacingHz: layout.subcarrierSpacingHz,
          centerFrequencyHz: layout.centerFrequencyHz,
          bandwidthHz: layout.bandwidthHz,
        },
      }
    })
  } catch {
    return null
  }
}
