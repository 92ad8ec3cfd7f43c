/**
 * A world of echoes: the dynamic responses that points return to the links of a site, exactly as geometry has them.
 *
 * One path per point, of the bistatic radar equation over the direct path's power, with the delay and phase of its length relative to
 * the line of sight and plane waves over the receive array: what `core/signal` hands on of a perfect receiver, without walls. Noise is
 * seeded by hop and link. Boundary: bodies, rooms and radios are simulated by `sim`; this is for the facts of imaging and of tokens.
 */
import { bandMomentsAt } from "../../core/imaging/doppler-bands.ts"
import type { RadioNode, SiteGeometry, Vector3 } from "../../core/imaging/geometry.ts"
import { createGrid } from "../../core/imaging/grid.ts"
import { createLinkState } from "../../core/imaging/link-state.ts"
import { addHop } from "../../core/imaging/link-window.ts"
import type { LinkView } from "../../core/imaging/separation.ts"
import { speedOfLightMps } from "../../core/math/speed-of-light.ts"
import type { LinkObservation, Observation } from "../../core/observation/observation.ts"
import { createRandom } from "../../sim/randomness/random.ts"
import { noVitals } from "./vitals.ts"

export const centerFrequencyHz = 2.437e9
export const antennas = 3
export const tonesHz = Float32Array.from({ length: 14 }, (_, i) => (i - 6.5) * 2.5e6)
export const hopS = 0.1

/** A point that returns an echo. */
export interface EchoPoint {
  /** Where it is `timeS` after the begin of hop 0. */
  readonly placeAt: (timeS: number) => Vector3
  /** Radar cross section, m^2. */
  readonly rcsM2: number
}

export interface EchoWorld {
  readonly points: ReadonlyArray<EchoPoint>
  /** Standard deviation of the real and of the imaginary part of each value's noise, over the static response's rms; 0 by default. */
  readonly noiseRms?: number
  /** When a hop's packets come, seconds since it began; ten evenly spaced ones by default. */
  readonly packetTimesS?: (hop: number) => ReadonlyArray<number>
  /** Whether the static response of a link is that of the calibrated empty room; all by default. */
  readonly calibrated?: (tx: RadioNode, rx: RadioNode) => boolean
}

/** A room with a node in the middle of each wall, more or less: twelve links. */
export const fourNodes: SiteGeometry = {
  size: [6, 5, 2.7],
  nodes: [
    { nodeId: "a", position: [0.1, 1.2, 1.1], arrayAxis: [0, 1, 0] },
    { nodeId: "b", position: [2.1, 4.9, 1.2], arrayAxis: [1, 0, 0] },
    { nodeId: "c", position: [5.9, 3.6, 1], arrayAxis: [0, 1, 0] },
    { nodeId: "d", position: [4.2, 0.1, 1.3], arrayAxis: [1, 0, 0] },
  ],
}

export const distanceM = (p: Vector3, q: Vector3): number => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])

/** Times of `packets` evenly spaced packets of a hop. */
export const evenly = (packets: number): ReadonlyArray<number> =>
  Array.from({ length: packets }, (_, i) => ((i + 0.5) * hopS) / packets)

const tenPackets = evenly(10)

/** A point that keeps its velocity and is at `at` at `atS`. */
export const gliding = (at: Vector3, velocity: Vector3, rcsM2: number, atS = 0): EchoPoint => ({
  placeAt: (timeS) => [
    at[0] + (timeS - atS) * velocity[0],
    at[1] + (timeS - atS) * velocity[1],
    at[2] + (timeS - atS) * velocity[2],
  ],
  rcsM2,
})

export const standing = (at: Vector3, rcsM2: number): EchoPoint => ({ placeAt: () => at, rcsM2 })

/** A chest: it goes `amplitudeM` to and fro along both axes of the floor, 15 times a minute. */
export const breathing = (at: Vector3, rcsM2: number, amplitudeM = 0.004): EchoPoint => ({
  placeAt: (timeS) => {
    const moved = amplitudeM * Math.sin(2 * Math.PI * 0.25 * timeS)
    return [at[0] + moved, at[1] + moved, at[2]]
  },
  rcsM2,
})

/** Energy of an echo summed over all antennas and tones of a link, by the bistatic radar equation. */
export const echoEnergyOf = (tx: RadioNode, rx: RadioNode, place: Vector3, rcsM2: number): number => {
  const spreading = distanceM(tx.position, rx.position) /
    (distanceM(tx.position, place) * distanceM(place, rx.position))
  return antennas * tonesHz.length * (rcsM2 / (4 * Math.PI)) * spreading ** 2
}

/** Adds the echo of a point at `place` to one packet's values, [antenna][tone] interleaved. */
const addEcho = (packet: Float32Array, tx: RadioNode, rx: RadioNode, place: Vector3, rcsM2: number): void => {
  const directM = distanceM(tx.position, rx.position)
  const d1 = distanceM(tx.position, place)
  const d2 = distanceM(place, rx.position)
  const amplitude = Math.sqrt(rcsM2 / (4 * Math.PI)) * (directM / (d1 * d2))
  const along = rx.arrayAxis.reduce((sum, value, axis) => sum + value * (place[axis]! - rx.position[axis]!), 0)
  const delayS = (d1 + d2 - directM) / speedOfLightMps
  for (let k = 0; k < tonesHz.length; k++) {
    const phase = -2 * Math.PI * (centerFrequencyHz + tonesHz[k]!) * delayS
    const turn = Math.PI * (along / d2)
    for (let antenna = 0; antenna < antennas; antenna++) {
      const i = 2 * (antenna * tonesHz.length + k)
      packet[i]! += amplitude * Math.cos(phase + antenna * turn)
      packet[i + 1]! += amplitude * Math.sin(phase + antenna * turn)
    }
  }
}

/** What the link between two nodes observes in a hop. */
export const linkObservationOf = (world: EchoWorld, tx: RadioNode, rx: RadioNode, hop: number): LinkObservation => {
  const { noiseRms = 0, packetTimesS = () => tenPackets, points } = world
  const random = createRandom(hop, `${tx.nodeId} ${rx.nodeId}`)
  const timesS = packetTimesS(hop)
  const values = 2 * antennas * tonesHz.length
  const dynamic = noiseRms === 0
    ? new Float32Array(timesS.length * values)
    : Float32Array.from({ length: timesS.length * values }, () => noiseRms * random.normal())
  for (const [packet, timeS] of timesS.entries()) {
    const into = dynamic.subarray(packet * values, (packet + 1) * values)
    for (const { placeAt, rcsM2 } of points) addEcho(into, tx, rx, placeAt(hop * hopS + timeS), rcsM2)
  }
  return {
    transmitterId: tx.nodeId,
    packets: timesS.length,
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
    dynamicTimesS: Float32Array.from(timesS),
    leadsRad: new Float32Array(0),
    calibratedAtUs: world.calibrated?.(tx, rx) === false ? null : 0,
  }
}

/** What a receiver observes of these transmitters in a hop. */
export const observationOf = (
  world: EchoWorld,
  rx: RadioNode,
  hop: number,
  transmitters: ReadonlyArray<RadioNode>,
): Observation => {
  const links = transmitters.map((tx) => linkObservationOf(world, tx, rx, hop))
  return {
    routerId: rx.nodeId,
    hop,
    source: "simulated",
    calibrated: links.some(({ calibratedAtUs }) => calibratedAtUs !== null),
    receiveAntennas: antennas,
    centerFrequencyHz,
    amplitudeOnly: false,
    tonesHz,
    packetRateHz: links.reduce((sum, { packets }) => sum + packets, 0) / hopS,
    packetLoss: 0,
    links,
  }
}

/** What the nodes observe of each other in a hop, one observation a node. */
export const observationsOf = (
  world: EchoWorld,
  nodes: ReadonlyArray<RadioNode>,
  hop: number,
): ReadonlyArray<Observation> => nodes.map((rx) => observationOf(world, rx, hop, nodes.filter((tx) => tx !== rx)))

/** Hops of the windows below, and the middle of the window of hops 0 to 9. */
export const windowHops = 10
export const middleS = (windowHops * hopS) / 2

/** All links between nodes. */
export const linksOf = (
  nodes: ReadonlyArray<RadioNode> = fourNodes.nodes,
): ReadonlyArray<{ readonly tx: RadioNode; readonly rx: RadioNode }> =>
  nodes.flatMap((rx) => nodes.filter((tx) => tx !== rx).map((tx) => ({ tx, rx })))

/** The windows of hops 0 to 9 of links between the four nodes. */
export const viewsOf = (world: EchoWorld, links = linksOf()): ReadonlyArray<LinkView> => {
  // No grid is scored here.
  const grid = { ...createGrid(fourNodes), points: [] }
  return links.map(({ rx, tx }) => {
    const observation = observationOf(world, rx, 0, [])
    const state = createLinkState(fourNodes, grid, { transmitter: tx, receiver: rx }, observation, windowHops)
    for (let hop = 0; hop < windowHops; hop++) addHop(state.window, hop, linkObservationOf(world, tx, rx, hop))
    return { state, moments: bandMomentsAt(state.window, state.plan, windowHops - 1, state.moments)! }
  })
}
