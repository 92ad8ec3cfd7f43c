/**
 * A scene: links in a simulated room, with what moves in it. It makes the CSI batches that a receiver would report, so that
 * detectors can be judged on rooms with a known truth. Built from the simulator's radio; all randomness comes from the seed.
 */
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import type { RadioNode, Vector3 } from "../../core/imaging/geometry.ts"
import { chestIndex, computePosture, createPosture } from "../../sim/bodies/gait.ts"
import { createWalker } from "../../sim/bodies/walker.ts"
import { createReceiver, type Receiver } from "../../sim/impairments/receiver.ts"
import { createLoss } from "../../sim/impairments/traffic.ts"
import { addPath, createField, createTones, type Field, type Tones } from "../../sim/radio/field.ts"
import { addBody, createLink, drawPair, echoAmplitude, type Link, shadowing } from "../../sim/radio/link.ts"
import { createRandom, type Random, uniformIn } from "../../sim/random.ts"
import { furnish, type RoomDescription } from "../../sim/rooms/room.ts"

/** Something that moves: adds its echoes at a time, which never decreases, to the field of a link. */
export type Mover = (field: Field, tones: Tones, link: Link, timeS: number) => void

export interface SceneOptions {
  readonly seconds: number
  /** Packets per second of each link. */
  readonly rateHz: number
  readonly links?: number
  readonly seed: number
  readonly snrDb?: number
  /** Mean wait for the channel; 0 sends like a clock. */
  readonly jitterMs?: number
  readonly lossRate?: number
  readonly gainStepDb?: number
  /** Share of the packets that a neighbour disturbs, in bursts, to an SNR of 3 dB. */
  readonly disturbed?: number
  readonly movers?: (room: Vector3, random: (stream: string) => Random) => ReadonlyArray<Mover>
}

const wavelengthM = 299_792_458 / 2.437e9

const distance = (a: Vector3, b: Vector3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

const addEcho = (field: Field, tones: Tones, link: Link, point: Vector3, rcsM2: number, phaseRad: number): void => {
  const d1 = distance(link.transmitter, point)
  const d2 = distance(point, link.receiver)
  const amplitude = echoAmplitude(rcsM2, wavelengthM, Math.max(0.3, d1), Math.max(0.3, d2))
  addPath(field, tones, { amplitude, lengthM: d1 + d2, phaseRad, cosArrival: 0 })
}

/** A body of the simulator: `at` says where it is. */
const body = (at: ReturnType<typeof createWalker>["at"]): Mover => {
  const posture = createPosture()
  return (field, tones, link, timeS) => {
    computePosture(1.72, at(timeS), posture)
    const points = posture.scatterers
    const chest = 3 * chestIndex
    const lost = 1 - shadowing(link, tones, [points[chest]!, points[chest + 1]!, points[chest + 2]!])
    for (let i = 0; lost > 0 && i < field.re.length; i++) {
      field.re[i] = field.re[i]! - lost * link.lineOfSight.re[i]!
      field.im[i] = field.im[i]! - lost * link.lineOfSight.im[i]!
    }
    addBody(field, tones, link, 0, points)
  }
}

/** What moves only from one time to another: it comes and goes like a person through a door. */
export const during = (fromS: number, toS: number, mover: Mover): Mover => (field, tones, link, timeS) => {
  if (timeS >= fromS && timeS < toS) mover(field, tones, link, timeS - fromS)
}

/** Somebody who walks about, with pauses. */
export const walker = (room: Vector3, random: Random, speedMps = 1): Mover =>
  body(createWalker(room, { heightM: 1.72, walkingSpeedMps: speedMps, pauseS: [0.5, 3] }, random).at)

/** Breath and sway of a body that stays in its place: displacements in metres. */
const stillness = (random: Random) => {
  const breathHz = uniformIn(random, 0.15, 0.4)
  const breathM = uniformIn(random, 0.003, 0.006)
  const sways = Array.from({ length: 6 }, () => ({
    hertz: uniformIn(random, 0.1, 1),
    metres: uniformIn(random, 0.001, 0.003),
    phaseRad: uniformIn(random, 0, 6.28),
  }))
  const sway = (of: typeof sways, timeS: number): number =>
    of.reduce((sum, s) => sum + s.metres * Math.sin(2 * Math.PI * s.hertz * timeS + s.phaseRad), 0)
  return (timeS: number) => ({
    x: sway(sways.slice(0, 3), timeS),
    y: sway(sways.slice(3), timeS),
    breathM: breathM * Math.sin(2 * Math.PI * breathHz * timeS),
  })
}

/** Somebody who stays in a place: breathes, and sways by millimetres. */
export const stayer = (room: Vector3, random: Random): Mover => {
  const x = uniformIn(random, 1, room[0] - 1)
  const y = uniformIn(random, 1, room[1] - 1)
  const headingRad = uniformIn(random, 0, 2 * Math.PI)
  const still = stillness(random)
  return body((timeS) => {
    const moved = still(timeS)
    return { x: x + moved.x, y: y + moved.y, headingRad, speedMps: 0, phaseRad: 0, breathM: moved.breathM }
  })
}

/** Somebody who walks for so long, stays where that ended for so long, and so on. */
export const visitor = (room: Vector3, random: Random, walkS: number, stayS: number): Mover => {
  const walk = createWalker(room, { heightM: 1.72, walkingSpeedMps: 1, pauseS: [0.5, 3] }, random)
  const still = stillness(random)
  return body((timeS) => {
    const round = Math.floor(timeS / (walkS + stayS))
    const inRound = timeS - round * (walkS + stayS)
    const state = walk.at(round * walkS + Math.min(walkS, inRound))
    if (inRound < walkS) return state
    const moved = still(timeS)
    return { ...state, x: state.x + moved.x, y: state.y + moved.y, speedMps: 0, breathM: moved.breathM }
  })
}

export interface FanOptions {
  readonly rotationHz: number
  readonly blades: number
  readonly radiusM: number
  /** Of one blade, seen flat. */
  readonly rcsM2: number
  readonly position: Vector3
  /** Along the ceiling's normal, or level. */
  readonly axis: "up" | "level"
  /** Standard deviation of the rotation, relative, and how long it takes to wander: mains and friction. */
  readonly wander?: number
}

/** A fan: each blade is three scatterers on a turning radius, that flash once or twice a turn, none quite like the others. */
export const fan = (random: Random, options: FanOptions): Mover => {
  const { axis, blades, position, radiusM, rcsM2, rotationHz, wander = 0.005 } = options
  const parts = Array.from({ length: 3 * blades }, (_, i) => ({
    blade: Math.floor(i / 3),
    radiusM: radiusM * (0.4 + 0.3 * (i % 3)),
    rcsM2: rcsM2 / 3 * Math.exp(0.2 * random.normal()),
    phaseRad: uniformIn(random, 0, 6.28),
  }))
  const flashRad = uniformIn(random, 0, 6.28)
  let turnRad = 0
  let drift = 0
  let then = 0
  return (field, tones, link, timeS) => {
    const elapsed = timeS - then
    then = timeS
    // Ornstein and Uhlenbeck, 2 s.
    drift += -drift * elapsed / 2 + wander * Math.sqrt(elapsed) * random.normal()
    turnRad += 2 * Math.PI * rotationHz * (1 + drift) * elapsed
    for (const part of parts) {
      const angle = turnRad + 2 * Math.PI * part.blade / blades
      const a = part.radiusM * Math.cos(angle)
      const b = part.radiusM * Math.sin(angle)
      const point: Vector3 = axis === "up"
        ? [position[0] + a, position[1] + b, position[2]]
        : [position[0] + a, position[1], position[2] + b]
      const flash = 0.3 + 0.7 * Math.cos(angle - flashRad) ** 4
      addEcho(field, tones, link, point, part.rcsM2 * flash * flash, part.phaseRad)
    }
  }
}

const layoutOf = (tones: Tones): RadioLayout => ({
  format: "simulated",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: tones.indices,
  subcarrierSpacingHz: tones.spacingHz,
  centerFrequencyHz: tones.centerFrequencyHz,
  bandwidthHz: 20e6,
})

/** What a scene is made of: the links that take turns, and when their packets are sent. */
interface Stage {
  readonly tones: Tones
  readonly links: ReadonlyArray<
    { readonly link: Link; readonly power: number; readonly receivers: readonly [Receiver, Receiver] }
  >
  readonly movers: ReadonlyArray<Mover>
}

const meanPower = ({ im, re }: Field): number =>
  re.reduce((sum, value, i) => sum + value ** 2 + im[i]! ** 2, 0) / re.length

/** Adds the diffuse tail that a room has beyond the first reflections: 30 paths of 30 ns rms delay, 0 to 6 dB below the direct one. */
const addDiffuse = (link: Link, tones: Tones, random: Random): void => {
  const directM = distance(link.transmitter, link.receiver)
  const direct = wavelengthM / (4 * Math.PI * directM)
  const below = 10 ** (-uniformIn(random, 0, 6) / 20)
  for (let i = 0; i < 30; i++) {
    addPath(link.fixed, tones, {
      amplitude: direct * below * Math.sqrt(-Math.log(1 - random.uniform()) / 30),
      lengthM: directM - 9 * Math.log(1 - random.uniform()),
      phaseRad: uniformIn(random, 0, 2 * Math.PI),
      cosArrival: 0,
    })
  }
}

const createStage = ({ gainStepDb = 0, links = 1, movers, seed, snrDb = 25 }: SceneOptions): Stage => {
  const random = (stream: string): Random => createRandom(seed, stream)
  const layout = random("layout")
  const size: Vector3 = [uniformIn(layout, 3.5, 7), uniformIn(layout, 3, 5.5), 2.6]
  const room: RoomDescription = {
    size,
    walls: "plasterboard",
    floor: "concrete",
    ceiling: "plasterboard",
    furniture: 5,
  }
  const tones = createTones(2.437e9, 20)
  const furniture = furnish(room, random("furniture"))
  const node = (x: number, z: number): RadioNode => ({
    nodeId: "",
    position: [x, uniformIn(layout, 0.3, size[1] - 0.3), z],
    arrayAxis: [0, 1, 0],
  })
  const impairments = {
    timingSigmaNs: 45,
    gainJitterDb: 0.2,
    gainStepDb,
    gainStepSeconds: 8,
    antennaPhaseSigmaRad: 0,
    rippleDb: 0.5,
    rippleRad: 0.1,
  }
  return {
    tones,
    movers: movers?.(size, random) ?? [],
    links: Array.from({ length: links }, (_, i) => {
      const ends = { transmitter: node(0.2, 1), receiver: node(size[0] - 0.2, 1.2) }
      const link = createLink(room, furniture, tones, 1, ends, drawPair(random(`pair ${i}`), 5, 1))
      addDiffuse(link, tones, random(`diffuse ${i}`))
      const receiver = (snr: number): Receiver =>
        createReceiver(tones, 1, { ...impairments, snrDb: snr }, random(`hardware ${i}`), random(`noise ${i} ${snr}`))
      return { link, power: meanPower(link.fixed), receivers: [receiver(snrDb), receiver(3)] }
    }),
  }
}

/** The CSI of a scene: a room, its links and its furniture by the seed; one batch a second. */
export const scene = (options: SceneOptions): ReadonlyArray<CsiBatch> => {
  const { disturbed = 0, jitterMs = 2, lossRate = 0.02, rateHz, seconds, seed } = options
  const { links, movers, tones } = createStage(options)
  const isLost = createLoss(lossRate, 2, createRandom(seed, "loss"))
  const isDisturbed = createLoss(disturbed, 8, createRandom(seed, "disturbed"))
  const timing = createRandom(seed, "timing")
  const layout = layoutOf(tones)
  const field = createField(tones, 1)
  const turnS = 1 / (rateHz * links.length)
  let turn = 0
  return Array.from({ length: seconds }, (_, second): CsiBatch => {
    const packets: Array<{ readonly timestampUs: number; readonly link: number; readonly csi: Float32Array }> = []
    for (; turn * turnS < second + 1; turn++) {
      const timeS = turn * turnS + Math.min(-jitterMs * 1e-3 * Math.log(1 - timing.uniform()), 0.9 * turnS)
      if (isLost()) continue
      const { link, power, receivers } = links[turn % links.length]!
      field.re.set(link.fixed.re)
      field.im.set(link.fixed.im)
      for (const mover of movers) mover(field, tones, link, timeS)
      const csi = new Float32Array(2 * field.re.length)
      receivers[isDisturbed() ? 1 : 0].receive(field, power, timeS, csi, 0)
      packets.push({ timestampUs: Math.round(timeS * 1e6), link: turn % links.length, csi })
    }
    const csi = new Float32Array(packets.length * 2 * field.re.length)
    packets.forEach((packet, i) => csi.set(packet.csi, i * packet.csi.length))
    return {
      routerId: "r",
      batchSequence: second + 1,
      source: "simulated",
      layout,
      frameCount: packets.length,
      timestampsUs: Float64Array.from(packets, ({ timestampUs }) => timestampUs),
      sequences: new Uint32Array(packets.length),
      rssiDbm: new Int8Array(packets.length).fill(-50),
      noiseFloorDbm: new Int8Array(packets.length).fill(-95),
      transmitterIndex: Uint16Array.from(packets, ({ link }) => link),
      transmitterIds: links.map((_, i) => `tx${i}`),
      csi,
    }
  })
}
