/**
 * The second radio model: bodies as surfaces.
 *
 * Independent of the first in everything but the places of antennas, the materials of walls and the sum of a path over tones: limbs and
 * trunk are elliptic cylinders that reflect by physical optics, screens diffract with a complex factor, walls have a thickness, and
 * single scatterers instead of a prescribed statistic make the tail. The cross section of a body scales its echoes.
 *
 * Invariants: those of `scene.ts`.
 */
import type { RadioNode } from "../../../core/imaging/geometry.ts"
import { speedOfLightMps } from "../../../core/math/speed-of-light.ts"
import { type RoomDescription, surfacesOf } from "../../rooms/room.ts"
import type { Streams } from "../air.ts"
import { elementCount } from "../antenna.ts"
import { addPath, createField, type Field, meanPower } from "../field.ts"
import type { Mover } from "../mover.ts"
import type { RadioScene } from "../radio-scene.ts"
import type { Tones } from "../tones.ts"
import { createBodies, setBodies } from "./bodies.ts"
import { drawClutter, type RoomClutter } from "./clutter.ts"
import { addEchoes } from "./echoes.ts"
import { createEnd, type End } from "./ends.ts"
import { createLegs, illuminateLegs } from "./legs.ts"
import { tissueReflection, waveNumberOf } from "./physical-optics.ts"
import { createScreens, type Screens, setScreens, writeRemaining } from "./screens.ts"
import { createSlab, type Slab, writeSlab } from "./slab.ts"
import { type StaticPath, staticPaths } from "./static-paths.ts"

/** Images of a node that illuminate bodies: those in the strongest surfaces. */
const bouncesMax = 3

/** A directed link. */
interface Link {
  readonly paths: ReadonlyArray<StaticPath>
  readonly empty: Field
  /** The paths that bodies can screen, each alone. */
  readonly screened: ReadonlyArray<{ readonly path: StaticPath; readonly field: Field }>
}

interface SurfaceScene extends RadioScene {
  /** All paths of the empty room for a directed pair. */
  readonly paths: (transmitter: number, receiver: number) => ReadonlyArray<StaticPath>
}

const createLink = (tones: Tones, antennas: number, { antennas: { elements } }: End, paths: Link["paths"]): Link => {
  const empty = createField(tones, antennas)
  const add = (field: Field, { beforeM, im, re, source }: StaticPath): void => {
    for (let a = 0; a < antennas; a++) {
      const d = Math.hypot(...source.map((value, axis) => value - elements[3 * a + axis]!))
      addPath(field, tones, a, re, im, beforeM + d)
    }
  }
  for (const path of paths) add(empty, path)
  const screened = paths.filter(({ corner }) => corner !== undefined).map((path) => {
    const field = createField(tones, antennas)
    add(field, path)
    return { path, field }
  })
  return { paths, empty, screened }
}

/** The surfaces that return most to the middle of the room. */
const strongest = (slabs: ReadonlyArray<Slab>, size: RoomDescription["size"], count: number): ReadonlyArray<Slab> => {
  const out = new Float64Array(2)
  const weightOf = (slab: Slab): number => {
    writeSlab(slab, 0.8, out)
    return Math.hypot(out[0]!, out[1]!) / size[slab.surface.axis]
  }
  return slabs.map((slab) => ({ slab, weight: weightOf(slab) })).sort((a, b) => b.weight - a.weight)
    .slice(0, count).map(({ slab }) => slab)
}

const factor = new Float64Array(2)

/** Adds to `field` what the screens change of a static path. */
const addScreening = (
  screens: Screens,
  { field: alone, path: { corner } }: Link["screened"][number],
  from: End,
  to: End,
  wavelengthM: number,
  { im, re }: Field,
): void => {
  const [ax, ay, az] = from.antennas.position
  const [bx, by, bz] = to.antennas.position
  factor[0] = 1
  factor[1] = 0
  if (corner === null || corner === undefined) {
    writeRemaining(screens, -1, ax, ay, az, bx, by, bz, 0, 0, wavelengthM, factor)
  } else {
    const [cx, cy, cz] = corner
    // Clutter is an end of its own; at a wall the wave goes on. Both parts of the path count as whole ones.
    writeRemaining(screens, -1, ax, ay, az, cx, cy, cz, 0, 0, wavelengthM, factor)
    writeRemaining(screens, -1, cx, cy, cz, bx, by, bz, 0, 0, wavelengthM, factor)
  }
  const cRe = factor[0]! - 1
  const cIm = factor[1]!
  if (cRe * cRe + cIm * cIm < 1e-6) return
  for (let i = 0; i < re.length; i++) {
    re[i]! += cRe * alone.re[i]! - cIm * alone.im[i]!
    im[i]! += cRe * alone.im[i]! + cIm * alone.re[i]!
  }
}

/** Builds the scene of a room: the arguments of `CreateRadioScene`, and clutter other than a random one. */
export const createSurfaceScene = (
  room: RoomDescription,
  nodes: ReadonlyArray<RadioNode>,
  tones: Tones,
  antennas: number,
  streams: Streams,
  clutter: RoomClutter = drawClutter(room, streams("clutter")),
): SurfaceScene => {
  const wavelengthM = speedOfLightMps / tones.centerFrequencyHz
  const slabs = surfacesOf(room).map((surface) =>
    createSlab(surface, tones.centerFrequencyHz, clutter.thicknessM, clutter.specularPower)
  )
  const mirrors = strongest(slabs, room.size, bouncesMax)
  const ends = nodes.map((node, i) => createEnd(node, antennas, wavelengthM, mirrors, streams(`end ${i}`)))
  const links = ends.map((transmitter, i) =>
    ends.map((receiver, j) =>
      i === j
        ? null
        : createLink(tones, antennas, receiver, staticPaths(slabs, clutter, wavelengthM, transmitter, receiver))
    )
  )
  const bodies = createBodies()
  const screens = createScreens()
  const legs = createLegs(1 + bouncesMax, elementCount(antennas))
  const k = waveNumberOf(tones.centerFrequencyHz)
  const reflection = tissueReflection(tones.centerFrequencyHz)

  const screenOf = (mover: number): number => {
    const found = screens.movers.indexOf(mover)
    return found < screens.count ? found : -1
  }
  const illuminate = (movers: ReadonlyArray<Mover>): void => {
    setScreens(screens, movers)
    setBodies(bodies, movers, screenOf, reflection, wavelengthM)
    illuminateLegs(legs, room, tones, ends, bodies, screens, wavelengthM)
  }
  const respond = (transmitter: number, receiver: number, field: Field): void => {
    const { empty, screened } = links[transmitter]![receiver]!
    field.re.set(empty.re)
    field.im.set(empty.im)
    const from = ends[transmitter]!
    if (screens.count > 0) {
      for (const one of screened) addScreening(screens, one, from, ends[receiver]!, wavelengthM, field)
    }
    // The same level for both directions, so that both leave out the same echoes.
    const level = Math.sqrt(Math.min(meanPower(empty), meanPower(links[receiver]![transmitter]!.empty)))
    addEchoes(legs, bodies, tones, field, transmitter, receiver, from.antennas.middle, level, k)
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
