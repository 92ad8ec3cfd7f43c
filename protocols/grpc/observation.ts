/**
 * Codec of the observation: `core/observation/observation.ts` <-> the message `wavepose.internal.v1.Observation`.
 *
 * Boundary: only runners write and read these bytes; foreign bytes throw. Numbers keep their full precision.
 */
import type { LinkObservation, Observation } from "../../core/observation/observation.ts"
import { wavepose } from "./generated/wavepose.js"
import { vitalsOf } from "./vitals.ts"
import { bytesOf, columnOf, sourceNumber, sourceOf } from "./wire.ts"

/** An observation as a protobuf message. */
export const encodeObservation = (observation: Observation): Uint8Array =>
  wavepose.internal.v1.Observation.encode({
    ...observation,
    source: sourceNumber(observation.source),
    shedHops: [...observation.shedHops ?? []],
    tonesHz: bytesOf(observation.tonesHz),
    links: observation.links.map((link) => ({
      ...link,
      dynamic: bytesOf(link.dynamic),
      dynamicTimesS: bytesOf(link.dynamicTimesS),
      leadsRad: bytesOf(link.leadsRad),
    })),
  }).finish()

/**
 * The observation of a protobuf message. Its arrays are views into `bytes` if their alignment allows. Throws if the bytes are not an
 * observation of this service.
 */
export const decodeObservation = (bytes: Uint8Array): Observation => {
  const message = wavepose.internal.v1.Observation.decode(bytes)
  const source = sourceOf(message.source)
  if (message.routerId === "" || source === null) throw new Error("The bytes are not an observation of this service.")
  return {
    routerId: message.routerId,
    hop: message.hop,
    source,
    calibrated: message.calibrated,
    receiveAntennas: message.receiveAntennas,
    centerFrequencyHz: message.centerFrequencyHz,
    amplitudeOnly: message.amplitudeOnly,
    tonesHz: columnOf(message.tonesHz, 4, Float32Array),
    packetRateHz: message.packetRateHz,
    packetLoss: message.packetLoss ?? null,
    ...(message.shedHops.length === 0 ? {} : { shedHops: message.shedHops }),
    links: message.links.map(linkOf),
  }
}

const none = new Uint8Array(0)

const linkOf = (link: wavepose.internal.v1.LinkObservation.$Properties): LinkObservation => ({
  transmitterId: link.transmitterId ?? "",
  packets: link.packets ?? 0,
  outliers: link.outliers ?? 0,
  rssiDbm: link.rssiDbm ?? 0,
  motionStatistic: link.motionStatistic ?? null,
  motionStatisticSigma: link.motionStatisticSigma ?? 0,
  slowStatistic: link.slowStatistic ?? null,
  slowStatisticSigma: link.slowStatisticSigma ?? 0,
  windowWhole: link.windowWhole ?? false,
  dynamicPower: link.dynamicPower ?? null,
  occupancy: link.occupancy ?? null,
  vitals: vitalsOf(link.vitals),
  dynamic: columnOf(link.dynamic ?? none, 4, Float32Array),
  dynamicTimesS: columnOf(link.dynamicTimesS ?? none, 4, Float32Array),
  leadsRad: columnOf(link.leadsRad ?? none, 4, Float32Array),
  calibratedAtUs: link.calibratedAtUs ?? null,
})
