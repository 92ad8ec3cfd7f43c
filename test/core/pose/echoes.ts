/** The dynamic response of one link to points that move, exactly as geometry has it, as a series. */
import type { RadioNode, SiteGeometry, Vector3 } from "../../../core/imaging/geometry.ts"
import { addEchoes, createEchoSeries, type EchoSeries } from "../../../core/pose/echo-series.ts"
import type { LinkObservation, Observation } from "../../../core/signal/observation.ts"
import { noVitals } from "../../harness/vitals.ts"

const transmitter: RadioNode = { nodeId: "tx", position: [0, 2, 1], arrayAxis: [0, 1, 0] }
const receiver: RadioNode = { nodeId: "rx", position: [5, 2, 1], arrayAxis: [0, 1, 0] }
export const geometry: SiteGeometry = { size: [6, 5, 2.7], nodes: [transmitter, receiver] }

const speedOfLightMps = 299_792_458
export const centerFrequencyHz = 2.437e9
export const antennas = 3
const tonesHz = Float32Array.from({ length: 14 }, (_, i) => (i - 6.5) * 2.5e6)

export interface MovingPoint {
  readonly at: Vector3
  readonly velocity: Vector3
  readonly rcsM2: number
}

const distance = (p: Vector3, q: Vector3): number => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])

const linkOf = (points: ReadonlyArray<MovingPoint>, hop: number, packets: number): LinkObservation => {
  const dynamic = new Float32Array(packets * antennas * tonesHz.length * 2)
  const dynamicTimesS = Float32Array.from({ length: packets }, (_, i) => ((i + 0.5) * 0.1) / packets)
  const directM = distance(transmitter.position, receiver.position)
  let i = 0
  for (const timeS of dynamicTimesS) {
    const t = hop * 0.1 + timeS
    for (let antenna = 0; antenna < antennas; antenna++) {
      for (const toneHz of tonesHz) {
        for (const { at, rcsM2, velocity } of points) {
          const place: Vector3 = [at[0] + t * velocity[0], at[1] + t * velocity[1], at[2] + t * velocity[2]]
          const d1 = distance(transmitter.position, place)
          const d2 = distance(place, receiver.position)
          const amplitude = Math.sqrt(rcsM2 / (4 * Math.PI)) * (directM / (d1 * d2))
          const along = place[1] - receiver.position[1]
          const phase = Math.PI * antenna * (along / d2) -
            2 * Math.PI * (centerFrequencyHz + toneHz) * ((d1 + d2 - directM) / speedOfLightMps)
          dynamic[i]! += amplitude * Math.cos(phase)
          dynamic[i + 1]! += amplitude * Math.sin(phase)
        }
        i += 2
      }
    }
  }
  return {
    transmitterId: "tx",
    packets,
    outliers: 0,
    rssiDbm: -40,
    motionStatistic: null,
    motionStatisticSigma: 0,
    slowStatistic: null,
    slowStatisticSigma: 0,
    windowWhole: false,
    dynamicPower: null,
    occupancy: null,
    vitals: noVitals,
    dynamic,
    dynamicTimesS,
  }
}

/** The observation of a hop with `packets` evenly spaced packets. */
export const observationOf = (points: ReadonlyArray<MovingPoint>, hop: number, packets = 10): Observation => ({
  routerId: "rx",
  hop,
  source: "simulated",
  calibrated: true,
  receiveAntennas: antennas,
  centerFrequencyHz,
  amplitudeOnly: false,
  tonesHz,
  packetRateHz: 10 * packets,
  packetLoss: 0,
  links: [linkOf(points, hop, packets)],
})

/** The series of the link over hops 0 to `hops` - 1; points are where they are said to be at time 0. */
export const seriesOf = (points: ReadonlyArray<MovingPoint>, hops: number, packets = 10): EchoSeries => {
  const series = createEchoSeries(geometry, observationOf(points, 0, packets), "tx")!
  for (let hop = 0; hop < hops; hop++) addEchoes(series, hop, linkOf(points, hop, packets))
  return series
}
