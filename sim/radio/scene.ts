/**
 * A scene of points, the first radio model: bodies are point scatterers.
 *
 * Owns the responses of the empty room and the sum of echoes and shadows for a link. Boundary: receiver hardware is in
 * `sim/impairments`, motion in `sim/bodies` and `sim/simulation/fixtures.ts`.
 *
 * Invariants:
 * 1. Reciprocity: at the middles of the arrays the responses i -> j and j -> i are equal.
 * 2. The same description and streams give the same responses.
 * 3. `illuminate` and `respond` allocate only when there are more movers than ever before.
 */
import type { RadioNode } from "../../core/imaging/geometry.ts"
import { speedOfLightMps } from "../../core/math/speed-of-light.ts"
import { type RoomDescription, surfaceNames, surfacesOf } from "../rooms/room.ts"
import { type Air, drawPair, drawRoomAir, indoorAir, type PairDraws, type Streams } from "./air.ts"
import { createAntennas, elementCount, type NodeAntennas } from "./antenna.ts"
import { type Capsules, createCapsules, setCapsules } from "./capsules.ts"
import { emptyPaths, type Path, type RadioRoom } from "./empty-room.ts"
import { addPath, createField, type Field } from "./field.ts"
import { createIllumination, illuminateLegs, type Legs } from "./legs.ts"
import type { Mover } from "./mover.ts"
import { createNodeImages } from "./node-images.ts"
import type { RadioScene } from "./radio-scene.ts"
import { createMirror } from "./reflection.ts"
import { capsuleStride, shadowOf } from "./shadow.ts"
import type { Tones } from "./tones.ts"

interface SceneOptions {
  /** Ranges of the statistical part of the propagation. */
  readonly air?: Air
  /** Number of images of a node in the room's surfaces that illuminate movers, the strongest first: 0 to 6. Fewer are faster. */
  readonly bounces?: number
}

export interface Scene extends RadioScene {
  /** All paths of the empty room for a directed pair of nodes: the first seven are the line of sight and the first reflections. */
  readonly paths: (transmitter: number, receiver: number) => ReadonlyArray<Path>
}

/** Paths that torsos shadow: the line of sight, and the reflection at each surface. */
const shadowedPaths = 1 + surfaceNames.length

/** A directed pair. */
interface Link {
  readonly paths: ReadonlyArray<Path>
  readonly empty: Field
  /** The paths that torsos shadow, each alone. */
  readonly shadowed: ReadonlyArray<Field>
  /** Remaining amplitude of each of them, shared by both directions. */
  readonly left: Float64Array
}

const createLink = (
  tones: Tones,
  antennas: number,
  receiver: NodeAntennas,
  paths: ReadonlyArray<Path>,
  left: Float64Array,
): Link => {
  const empty = createField(tones, antennas)
  const add = (field: Field, { beforeM, im, re, source }: Path): void => {
    for (let a = 0; a < antennas; a++) {
      const d = Math.hypot(...source.map((value, axis) => value - receiver.elements[3 * a + axis]!))
      addPath(field, tones, a, re, im, beforeM + d)
    }
  }
  for (const path of paths) add(empty, path)
  const shadowed = paths.slice(0, shadowedPaths).map((path) => {
    const field = createField(tones, antennas)
    add(field, path)
    return field
  })
  return { paths, empty, shadowed, left }
}

/** All directed links, as [transmitter][receiver]; null on the diagonal. */
const createLinks = (
  radioRoom: RadioRoom,
  tones: Tones,
  antennas: number,
  nodes: ReadonlyArray<NodeAntennas>,
  drawsOf: (low: number, high: number) => PairDraws,
): ReadonlyArray<ReadonlyArray<Link | null>> => {
  const drawn = nodes.map((_, high) =>
    Array.from({ length: high }, (_, low) => ({
      draws: drawsOf(low, high),
      left: new Float64Array(shadowedPaths).fill(1),
    }))
  )
  return nodes.map((transmitter, i) =>
    nodes.map((receiver, j): Link | null => {
      if (i === j) return null
      const { draws, left } = drawn[Math.max(i, j)]![Math.min(i, j)]!
      const paths = emptyPaths(radioRoom, transmitter, receiver, draws, j > i)
      return createLink(tones, antennas, receiver, paths, left)
    })
  )
}

/** Sets the remaining amplitudes of the shadowed paths of a pair. */
const setShadows = (link: Link, receiver: NodeAntennas, capsules: Capsules, wavelengthM: number): void => {
  const [x, y, z] = receiver.position
  const direct = capsules.values[0]!
  for (let p = 0; p < shadowedPaths; p++) {
    const [sx, sy, sz] = link.paths[p]!.source
    let left = 1
    for (let at = 0; at < capsules.count * capsuleStride; at += capsuleStride) {
      left *= shadowOf(sx, sy, sz, x, y, z, direct, at, wavelengthM)
      if (p > 0) left *= shadowOf(sx, sy, sz, x, y, z, capsules.values[p]!, at, wavelengthM)
    }
    link.left[p] = left
  }
}

/** Subtracts the shadowed parts of the paths from `field`. */
const takeShadows = ({ left, shadowed }: Link, { im, re }: Field): void => {
  for (let p = 0; p < shadowedPaths; p++) {
    const lost = 1 - left[p]!
    if (lost === 0) continue
    const path = shadowed[p]!
    for (let i = 0; i < re.length; i++) {
      re[i]! -= lost * path.re[i]!
      im[i]! -= lost * path.im[i]!
    }
  }
}

/** Adds sum over points of A_i(middle) A_j(antenna) to each value of `field`. */
const addEchoes = (
  { im: legIm, points, re: legRe }: Legs,
  { im, re }: Field,
  tones: number,
  transmitterAt: number,
  receiverAt: number,
): void => {
  let b = receiverAt
  for (let value = 0, tone = 0; value < re.length; value++) {
    let a = transmitterAt + tone * points
    let sumRe = 0
    let sumIm = 0
    for (const end = b + points; b < end; a++, b++) {
      const aRe = legRe[a]!, aIm = legIm[a]!, bRe = legRe[b]!, bIm = legIm[b]!
      sumRe += aRe * bRe - aIm * bIm
      sumIm += aRe * bIm + aIm * bRe
    }
    re[value]! += sumRe
    im[value]! += sumIm
    if (++tone === tones) tone = 0
  }
}

/** Builds the scene of a room; the arguments before `options` are those of `CreateRadioScene`. */
export const createScene = (
  room: RoomDescription,
  nodes: ReadonlyArray<RadioNode>,
  tones: Tones,
  antennas: number,
  streams: Streams,
  options: SceneOptions = {},
): Scene => {
  const ranges = options.air ?? indoorAir
  const wavelengthM = speedOfLightMps / tones.centerFrequencyHz
  const air = drawRoomAir(ranges, streams("air"))
  const mirrors = surfacesOf(room).map((surface) => createMirror(surface, tones.centerFrequencyHz, air.specularPower))
  const radioRoom: RadioRoom = { room, air, mirrors, wavelengthM }
  const ends = nodes.map((node, i) => createAntennas(node, antennas, wavelengthM, ranges, streams(`antennas ${i}`)))
  const links = createLinks(
    radioRoom,
    tones,
    antennas,
    ends,
    (low, high) => drawPair(ranges, air, room.furniture.length, streams(`pair ${low} ${high}`)),
  )
  const capsules = createCapsules()
  const elements = elementCount(antennas)
  const images = ends.map((end) => createNodeImages(radioRoom, end, options.bounces ?? surfaceNames.length))
  const illumination = createIllumination(radioRoom, tones, images, elements)
  const count = tones.indices.length

  const illuminate = (movers: ReadonlyArray<Mover>): void => {
    setCapsules(capsules, movers, mirrors)
    illuminateLegs(illumination, movers, capsules)
    for (let high = 1; high < ends.length; high++) {
      for (let low = 0; low < high; low++) setShadows(links[low]![high]!, ends[high]!, capsules, wavelengthM)
    }
  }
  const respond = (transmitter: number, receiver: number, field: Field): void => {
    const link = links[transmitter]![receiver]!
    const { legs } = illumination
    field.re.set(link.empty.re)
    field.im.set(link.empty.im)
    if (capsules.count > 0) takeShadows(link, field)
    const rowsOf = (node: number): number => node * elements * count * legs.points
    const middleAt = rowsOf(transmitter) + ends[transmitter]!.middle * count * legs.points
    addEchoes(legs, field, count, middleAt, rowsOf(receiver))
  }
  return {
    tones,
    antennas,
    empty: (transmitter, receiver) => links[transmitter]![receiver]!.empty,
    paths: (transmitter, receiver) => links[transmitter]![receiver]!.paths,
    illuminate,
    respond,
  }
}
