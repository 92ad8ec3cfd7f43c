/**
 * A receiver in monitor mode that overhears the beamforming reports which stations send to an access point.
 *
 * Owns the report: from the response between a station and the antennas of the access point, which is the same in both directions, to the
 * compressed matrix V of one stream with its quantised angles (IEEE 802.11-2020, 19.3.12.3.6, psi of 4 bits and phi of 6). A report has no
 * strength, delay or common phase, so it supports presence, motion and breathing only.
 */
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import type { Room } from "../scenario/rooms.ts"

/** Reads the packets of a hop that the routers of a room received; returns the batch of the monitor, or null without a report. */
type FeedbackMonitor = (batches: ReadonlyArray<CsiBatch>) => CsiBatch | null

const phiSteps = 64
const psiSteps = 16

/** The middle of the step of an angle in [0, 2 pi). */
const quantisePhi = (phi: number): number => {
  const step = (2 * Math.PI) / phiSteps
  return (Math.floor((((phi % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) / step) + 0.5) * step
}

/** The middle of the step of an angle in [0, pi / 2]. */
const quantisePsi = (psi: number): number => {
  const step = Math.PI / 2 / psiSteps
  return (Math.min(psiSteps - 1, Math.floor(psi / step)) + 0.5) * step
}

/**
 * Writes the column V that a receiver decodes: antenna r has the amplitude sin(psi_r) cos(psi_r+1) ... and the phase phi_r, and the last
 * antenna is real.
 *
 * @param csi responses, interleaved, as [antenna][tone]; V is written to `into` in the same order
 */
export const writeFeedback = (
  csi: ArrayLike<number>,
  at: number,
  antennas: number,
  tones: number,
  into: Float32Array,
  intoAt: number,
): void => {
  for (let k = 0; k < tones; k++) {
    const real = (antenna: number) => csi[at + 2 * (antenna * tones + k)]!
    const imaginary = (antenna: number) => csi[at + 2 * (antenna * tones + k) + 1]!
    const phase = (antenna: number) => Math.atan2(imaginary(antenna), real(antenna))
    const last = phase(antennas - 1)
    let rest = 1
    let power = 0
    for (let r = 0; r < antennas; r++) power += real(r) ** 2 + imaginary(r) ** 2
    for (let r = antennas - 1; r >= 0; r--) {
      const own = real(r) ** 2 + imaginary(r) ** 2
      const psi = r === 0 ? Math.PI / 2 : quantisePsi(Math.asin(Math.min(1, Math.sqrt(power === 0 ? 0 : own / power))))
      const amplitude = rest * Math.sin(psi)
      rest *= Math.cos(psi)
      power -= own
      // V is conjugate to the response, so that the transmitted streams add up at the station.
      const phi = r === antennas - 1 ? 0 : quantisePhi(last - phase(r))
      into[intoAt + 2 * (r * tones + k)] = amplitude * Math.cos(phi)
      into[intoAt + 2 * (r * tones + k) + 1] = amplitude * Math.sin(phi)
    }
  }
}

/** The monitor of a room; null if it has none. */
export const createFeedbackMonitor = ({ feedbackMonitor, radio }: Room): FeedbackMonitor | null => {
  if (feedbackMonitor === undefined) return null
  const { accessPointId, nodeId, reportRateHz } = feedbackMonitor
  const packetsPerReport = Math.max(1, Math.round(radio.packetRateHz / reportRateHz))
  /** Packets of each station, by its index. */
  const packets = new Map<number, number>()
  let batchSequence = 0
  let layout: RadioLayout | null = null
  return (batches) => {
    const batch = batches.find(({ routerId }) => routerId === accessPointId)
    if (batch === undefined) return null
    const reports: Array<number> = []
    for (let i = 0; i < batch.frameCount; i++) {
      const station = batch.transmitterIndex[i]!
      const count = packets.get(station) ?? 0
      packets.set(station, count + 1)
      if (count % packetsPerReport === 0) reports.push(i)
    }
    if (reports.length === 0) return null
    layout ??= { ...batch.layout, format: "beamforming-feedback" }
    const tones = layout.subcarrierIndices.length
    const width = 2 * layout.receiveAntennas * tones
    const csi = new Float32Array(reports.length * width)
    reports.forEach((frame, i) =>
      writeFeedback(batch.csi, frame * width, layout!.receiveAntennas, tones, csi, i * width)
    )
    return {
      ...batch,
      routerId: nodeId,
      batchSequence: ++batchSequence,
      layout,
      frameCount: reports.length,
      timestampsUs: Float64Array.from(reports, (i) => batch.timestampsUs[i]!),
      // A report has no packet counter.
      sequences: new Uint32Array(reports.length),
      rssiDbm: Int8Array.from(reports, (i) => batch.rssiDbm[i]!),
      noiseFloorDbm: Int8Array.from(reports, (i) => batch.noiseFloorDbm[i]!),
      transmitterIndex: Uint16Array.from(reports, (i) => batch.transmitterIndex[i]!),
      csi,
    }
  }
}
