/** An inspection as the JSON object of `wavepose inspect --json`. A null value has its reason beside it. */
import type { Inspection } from "../../core/inspection/inspector.ts"

/** A capture's file, format and hardware. */
export interface InspectedCapture {
  readonly file: string
  readonly format: string
  /** Null if the capture does not name it. */
  readonly hardware: string | null
}

/** Why the loss is unknown. The id of the esp-csi console counts packets of the sender or of the receiver, by its version. */
export const notCounted = "the capture has no counter that is known to count the sender's packets"
export const unnamedHardware = "the capture does not name it"
export const noValues = "no frame has a value that is a number"
const noTime = "the capture has fewer than two different times"

/** Adds the reason to a null value. */
const reasonWhenNull = (name: string, value: unknown, reason: string | null) =>
  value === null ? { [`${name}_reason`]: reason } : {}

export const inspectionJson = ({ format, hardware }: InspectedCapture, inspection: Inspection) => {
  const { breathing, heart, presence, timing } = inspection
  const layout = inspection.layouts[0]!.layout
  return {
    format,
    hardware,
    ...reasonWhenNull("hardware", hardware, unnamedHardware),
    frames: inspection.frames,
    faults: inspection.faults.map(({ message, offset, reason }) => ({ offset, reason, message })),
    ...(inspection.faultsOmitted === 0 ? {} : { faults_omitted: inspection.faultsOmitted }),
    ...(inspection.warnings.length === 0
      ? {}
      : { warnings: inspection.warnings.map(({ message, reason }) => ({ reason, message })) }),
    ...(inspection.unused.frames === 0
      ? {}
      : { unused_frames: inspection.unused.frames, unused_frames_reason: inspection.unused.reasons }),
    subcarriers: layout.subcarrierIndices.length,
    antennas: { rx: layout.receiveAntennas, tx: layout.transmitAntennas },
    links: inspection.links,
    duration_s: timing.durationS,
    ...reasonWhenNull("duration", timing.durationS, noTime),
    rate_hz: timing.rateHz,
    ...reasonWhenNull("rate", timing.rateHz, noTime),
    loss: inspection.loss,
    ...reasonWhenNull("loss", inspection.loss, notCounted),
    amplitude_mean: inspection.amplitudeMean,
    ...reasonWhenNull("amplitude_mean", inspection.amplitudeMean, noValues),
    presence: {
      present: presence.present,
      confidence: presence.confidence,
      reason: presence.reason,
      share: presence.share,
      answered: presence.answered,
    },
    motion: presence.motion,
    ...reasonWhenNull("motion", presence.motion, presence.reason),
    breathing_rate_bpm: breathing.rateBpm,
    breathing_reason: breathing.reason,
    heartrate_bpm: heart.rateBpm,
    heartrate_reason: heart.reason,
  }
}
