/**
 * The checks of a CSI batch: for batches that were decoded from a message, and for those that are handed over as objects.
 *
 * Boundary: what only a message can have wrong (its fields and the lengths of its columns) is checked in `csi-batch.ts`.
 */
import { Result, Schema } from "effect"
import { type CsiBatch, frameLimits, type RadioLayout, valuesPerFrame } from "../../core/formats/csi-batch.ts"
import { InvalidBatch } from "../domain/failure.ts"
import { Identifier } from "../domain/site.ts"
import { Refusal, refuse, within } from "./field-reader.ts"
import { allFinite } from "./samples.ts"

/** How much a batch may hold. `bytes` bounds the message and, separately, its samples as float32. */
export const csiBatchLimits = {
  frames: 4096,
  antennas: frameLimits.antennas,
  subcarriers: frameLimits.subcarriers,
  transmitters: 4096,
  bytes: 16 * 1024 * 1024,
} as const

/** Invariants inside the columns: order and range of times, range of transmitters. */
export const checkValues = (batch: CsiBatch): void => {
  let newest = 0
  for (const timestampUs of batch.timestampsUs) {
    if (!(timestampUs >= newest)) refuse("timestamps_us", "timestamps must be positive numbers that do not decrease")
    newest = timestampUs
  }
  if (newest > Number.MAX_SAFE_INTEGER) refuse("timestamps_us", "timestamps must be microseconds below 2^53")
  const transmitters = batch.transmitterIds.length
  for (const index of batch.transmitterIndex) {
    if (index >= transmitters) {
      refuse("transmitter_index", `transmitter ${index} of a list of ${transmitters} transmitter_ids`)
    }
  }
}

const isIdentifier = Schema.is(Identifier)

export const checkRouterId = (routerId: string): void => {
  if (!isIdentifier(routerId)) {
    refuse("router_id", "router_id must be 1 to 64 of A-Z a-z 0-9 . _ : - and begin with a letter or a digit")
  }
}

/** The layout, if its numbers are in their ranges. */
export const checkLayout = (layout: RadioLayout): RadioLayout => {
  if (layout.subcarrierIndices.length === 0) {
    refuse("layout.subcarrier_indices", "a layout needs at least one subcarrier")
  }
  if (layout.format === "") refuse("layout.format", "layout.format is missing")
  within("layout.receive_antennas", layout.receiveAntennas, 1, csiBatchLimits.antennas)
  within("layout.transmit_antennas", layout.transmitAntennas, 1, csiBatchLimits.antennas)
  within("layout.subcarrier_spacing_hz", layout.subcarrierSpacingHz, Number.MIN_VALUE, 1e12)
  within("layout.center_frequency_hz", layout.centerFrequencyHz, 0, 1e12)
  within("layout.bandwidth_hz", layout.bandwidthHz, 0, 1e12)
  return layout
}

/** The lengths of the columns against the number of frames. */
const checkLengths = (batch: CsiBatch): void => {
  const { csi, frameCount, layout } = batch
  const values = within("frame_count", frameCount, 1, csiBatchLimits.frames) * valuesPerFrame(layout)
  if (values * 8 > csiBatchLimits.bytes) refuse("csi", "the samples pass 16 MiB as float32: send smaller batches")
  const columns = [batch.timestampsUs, batch.sequences, batch.rssiDbm, batch.noiseFloorDbm, batch.transmitterIndex]
  if (columns.some(({ length }) => length !== frameCount)) refuse("frame_count", "a column has another length")
  if (csi.length !== 2 * values) refuse("csi", `csi has ${csi.length} numbers; ${frameCount} frames need ${2 * values}`)
}

/** A batch that does not come from a message, if it is one that could be encoded and decoded; else what is wrong with it. */
export const checkCsiBatch = (batch: CsiBatch): Result.Result<CsiBatch, InvalidBatch> =>
  readOrInvalid(() => {
    checkRouterId(batch.routerId)
    checkLayout(batch.layout)
    checkLengths(batch)
    if (batch.csi instanceof Float32Array && !allFinite(batch.csi)) {
      refuse("csi", "every sample must be a finite number")
    }
    checkValues(batch)
    return batch
  })

/** Runs a reading; whatever it throws about the batch becomes an `InvalidBatch`. */
export const readOrInvalid = <A>(read: () => A): Result.Result<A, InvalidBatch> => {
  try {
    return Result.succeed(read())
  } catch (cause) {
    // Anything else comes from protobuf's reader: the bytes are no message.
    const field = cause instanceof Refusal ? cause.field : "message"
    const message = cause instanceof Refusal ? cause.message : "the bytes are not a CsiBatch message"
    return Result.fail(new InvalidBatch({ field, message }))
  }
}
