/**
 * A scene: links in a simulated room, with what moves in it. It makes the CSI batches that a receiver would report, so that
 * detectors can be judged on rooms with a known truth. Built from the simulator's parts; all randomness comes from the seed.
 *
 * It differs from a scenario in what it may vary: one receiving antenna, any number of links that share nothing but the room, a
 * body that is there only for a while, interference in bursts, fans whose speed wanders.
 */
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import type { RadioNode, Vector3 } from "../../core/imaging/geometry.ts"
import { scatterers } from "../../sim/bodies/body.ts"
import { createPerson } from "../../sim/people/person.ts"
import type { Step } from "../../sim/bodies/step.ts"
import { type Impairments, unimpaired } from "../../sim/impairments/impairments.ts"
import { createReceiver, type Receiver } from "../../sim/impairments/receiver.ts"
import { createLoss } from "../../sim/impairments/traffic.ts"
import { createAspect } from "../../sim/radio/aspect.ts"
import { createField } from "../../sim/radio/field.ts"
import type { Mover as RadioMover } from "../../sim/radio/mover.ts"
import { createScene, type Scene } from "../../sim/radio/scene.ts"
import { createTones, type Tones } from "../../sim/radio/tones.ts"
import { createRandom, type Random, uniformIn } from "../../sim/randomness/random.ts"
import { furnish, type RoomDescription } from "../../sim/rooms/room.ts"
import { createBodyMover } from "../../sim/simulation/body-mover.ts"

/** A moving object: its scatterers at a time, which never decreases; null while it is absent. */
export type Mover = (timeS: number) => RadioMover | null

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

/** A person of 1.72 m in a room without furniture, who repeats these steps. */
const body = (room: Vector3, steps: ReadonlyArray<Step>, random: Random, walkingSpeedMps = 1): Mover => {
  const floor = {
    rooms: [{ roomId: "room", low: [0, 0], high: [room[0], room[1]] }],
    doors: [],
    seats: [],
    beds: [],
    obstacles: [],
  } as const
  const description = {
    heightM: 1.72,
    girth: 1,
    walkingSpeedMps,
    breathing: { ratePerMinute: uniformIn(random, 9, 24), chestMm: uniformIn(random, 4, 8) },
    heart: { ratePerMinute: uniformIn(random, 55, 90), chestMm: 0.3 },
    behaviour: { kind: "script", steps, loop: true },
  } as const
  const { follow, mover } = createBodyMover(1, createAspect(scatterers.length, random), 0.44, [0, 0])
  const person = createPerson(description, floor, random)
  return (timeS) => {
    const { headingRad } = person.at(timeS)
    follow(person.posture, headingRad, 0)
    return mover
  }
}

/** Limits a mover to a time span, like a person who enters and leaves. */
export const during = (fromS: number, toS: number, mover: Mover): Mover => (timeS) =>
  timeS >= fromS && timeS < toS ? mover(timeS - fromS) : null

const marginM = 0.6

const walkTo = (room: Vector3, random: Random): Step => ({
  do: "walk",
  to: [uniformIn(random, marginM, room[0] - marginM), uniformIn(random, marginM, room[1] - marginM)],
})

/** A person who walks about, with pauses. */
export const walker = (room: Vector3, random: Random, speedMps = 1): Mover => {
  const steps = Array.from({ length: 40 }, (): ReadonlyArray<Step> => [
    walkTo(room, random),
    { do: "stand", seconds: uniformIn(random, 0.5, 3) },
  ]).flat()
  return body(room, steps, random, speedMps)
}

/** A person who stays in place: breathes, sways, and shifts from one foot to the other at times. */
export const stayer = (room: Vector3, random: Random): Mover => body(room, [{ do: "stand", seconds: 3600 }], random)

/** A person who alternately walks for about this long and stays for about this long. */
export const visitor = (room: Vector3, random: Random, walkS: number, stayS: number): Mover => {
  // A way across a room takes three seconds or so.
  const walks = Array.from({ length: Math.max(1, Math.round(walkS / 3)) }, () => walkTo(room, random))
  return body(room, [...walks, { do: "stand", seconds: stayS }], random)
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
  }))
  const flashRad = uniformIn(random, 0, 6.28)
  const mover: RadioMover = {
    rcsM2: new Float64Array(parts.length),
    points: new Float64Array(3 * parts.length),
    shadow: null,
    aspect: null,
    headingRad: 0,
    solids: null,
    attenuationDb: 0,
  }
  let turnRad = uniformIn(random, 0, 6.28)
  let drift = 0
  let then = 0
  return (timeS) => {
    const elapsed = timeS - then
    then = timeS
    // Ornstein and Uhlenbeck, 2 s.
    drift += -drift * elapsed / 2 + wander * Math.sqrt(elapsed) * random.normal()
    turnRad += 2 * Math.PI * rotationHz * (1 + drift) * elapsed
    for (const [i, part] of parts.entries()) {
      const angle = turnRad + 2 * Math.PI * part.blade / blades
      const a = part.radiusM * Math.cos(angle)
      const b = part.radiusM * Math.sin(angle)
      mover.points[3 * i] = position[0] + a
      mover.points[3 * i + 1] = position[1] + (axis === "up" ? b : 0)
      mover.points[3 * i + 2] = position[2] + (axis === "up" ? 0 : b)
      const flash = 0.3 + 0.7 * Math.cos(angle - flashRad) ** 4
      mover.rcsM2[i] = part.rcsM2 * flash * flash
    }
    return mover
  }
}

const layoutOf = (tones: Tones): RadioLayout => ({
  format: "simulated",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: tones.indices,
  subcarrierSpacingHz: tones.spacingHz,
  centerFrequencyHz: tones.centerFrequencyHz,
  bandwidthHz: tones.bandwidthHz,
})

/** Walls in which movers are mirrored, the strongest first: a test has many rooms. */
const wallsMax = 3

/** A link of its own nodes: 0 sends to 1. */
interface Link {
  readonly radio: Scene
  /** In the clear, and beside a neighbour. */
  readonly receivers: readonly [Receiver, Receiver]
}

/** What a scene is made of: the links that take turns, and what moves. */
interface Stage {
  readonly tones: Tones
  readonly links: ReadonlyArray<Link>
  readonly movers: ReadonlyArray<Mover>
}

const hardware = {
  ...unimpaired,
  timingSigmaNs: 45,
  gainJitterDb: 0.2,
  gainStepSeconds: 8,
  fullScale: [0.3, 0.9],
  rippleDb: 0.5,
  rippleRad: 0.1,
} as const satisfies Impairments

const createLink = (
  room: RoomDescription,
  tones: Tones,
  nodes: readonly [RadioNode, RadioNode],
  impairments: Impairments,
  random: (stream: string) => Random,
): Link => {
  const radio = createScene(room, nodes, tones, 1, random, { bounces: wallsMax })
  const clocks = nodes.map(() => ({ offsetUs: 0, driftPpm: 0, oscillatorPpm: 0 }))
  const receiverOf = (snrDb: number): Receiver => {
    const streams = [random("hardware"), random(`noise ${snrDb}`)] as const
    return createReceiver(tones, 1, { ...impairments, snrDb }, [radio.empty(0, 1), null], clocks, 1, ...streams)
  }
  return { radio, receivers: [receiverOf(impairments.snrDb), receiverOf(3)] }
}

const createStage = ({ gainStepDb = 0, links = 1, movers, seed, snrDb = 25 }: SceneOptions): Stage => {
  const random = (stream: string): Random => createRandom(seed, stream)
  const layout = random("layout")
  const size: Vector3 = [uniformIn(layout, 3.5, 7), uniformIn(layout, 3, 5.5), 2.6]
  const walls = "plasterboard"
  const room: RoomDescription = {
    size,
    surfaces: { west: walls, east: walls, south: walls, north: walls, floor: "concrete", ceiling: walls },
    openings: [],
    furniture: furnish(size, 5, random("furniture")),
  }
  // As some devices do, every second tone: a test has many rooms.
  const radio = { centerFrequencyHz: 2.437e9, bandwidthMhz: 20, standard: "802.11n", subcarriers: 28 } as const
  const tones = createTones(radio)
  const node = (x: number, z: number): RadioNode => ({
    nodeId: "",
    position: [x, uniformIn(layout, 0.3, size[1] - 0.3), z],
    arrayAxis: [0, 1, 0],
  })
  const impairments = { ...hardware, gainStepDb, snrDb }
  return {
    tones,
    links: Array.from({ length: links }, (_, i) => {
      const nodes = [node(0.2, 1), node(size[0] - 0.2, 1.2)] as const
      return createLink(room, tones, nodes, impairments, (stream) => random(`link ${i} ${stream}`))
    }),
    movers: movers?.(size, random) ?? [],
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
      const { radio, receivers } = links[turn % links.length]!
      radio.illuminate(movers.flatMap((mover) => mover(timeS) ?? []))
      radio.respond(0, 1, field)
      const csi = new Float32Array(2 * field.re.length)
      receivers[isDisturbed() ? 1 : 0].receive(0, field, timeS, csi, 0)
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
