import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { WorldWindow } from "../../../core/imaging/geometry.ts"
import { partId, type PartName, type PartSide } from "../../../core/pose/body-parts.ts"
import { type BodyKeypoint, type BodySolid, fitBody, silhouetteOf } from "../../../core/pose/fitted-body.ts"
import { renderBody, type SurfacePicture } from "../../../core/pose/render-body.ts"
import { dot } from "../../../core/pose/vector.ts"
import { boxOfPerson, windowOf } from "../../../core/pose/view.ts"
import { placesMax, visibleParts } from "../../../core/pose/visible-parts.ts"
import { jittered, poses } from "./poses.ts"

const pictureOf = (keypoints: ReadonlyArray<BodyKeypoint>, window?: WorldWindow): SurfacePicture => {
  const body = fitBody(keypoints)!
  return renderBody(body, window ?? silhouetteOf(body))
}

interface Pixel {
  readonly x: number
  readonly y: number
  readonly u: number
  readonly v: number
}

const pixelsOf = ({ iuv, widthPx }: SurfacePicture, id: number): ReadonlyArray<Pixel> => {
  const pixels: Array<Pixel> = []
  for (let at = 0; 3 * at < iuv.length; at++) {
    if (iuv[3 * at] !== id) continue
    pixels.push({ x: at % widthPx, y: Math.floor(at / widthPx), u: iuv[3 * at + 1]!, v: iuv[3 * at + 2]! })
  }
  return pixels
}

const part = (picture: SurfacePicture, name: PartName, side: PartSide | null = null) =>
  pixelsOf(picture, partId(name, side))

const mean = (pixels: ReadonlyArray<Pixel>, axis: keyof Pixel): number =>
  pixels.reduce((sum, pixel) => sum + pixel[axis], 0) / pixels.length

/** Pieces of the silhouette, by flood fill over the eight neighbours. */
const pieces = ({ heightPx, iuv, widthPx }: SurfacePicture): number => {
  const left = new Set<number>()
  for (let at = 0; 3 * at < iuv.length; at++) if (iuv[3 * at] !== 0) left.add(at)
  let count = 0
  while (left.size > 0) {
    count++
    const [first] = left
    const open = [first!]
    left.delete(first!)
    while (open.length > 0) {
      const at = open.pop()!
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const [x, y] = [at % widthPx + dx, Math.floor(at / widthPx) + dy]
          if (x < 0 || y < 0 || x >= widthPx || y >= heightPx) continue
          if (left.delete(y * widthPx + x)) open.push(y * widthPx + x)
        }
      }
    }
  }
  return count
}

describe("the visible surface", () => {
  it("of a person who faces the viewer is the front, the left hand at the right", () => {
    const picture = pictureOf(poses.standing)
    for (const name of ["torso", "left_upper_leg", "right_upper_leg", "left_lower_leg", "right_lower_leg"] as const) {
      expect(part(picture, name, "front").length).toBeGreaterThan(50)
      expect(part(picture, name, "back")).toHaveLength(0)
    }
    const middle = picture.widthPx / 2
    for (const name of ["hand", "foot"] as const) {
      expect(Math.min(...part(picture, `left_${name}`).map(({ x }) => x))).toBeGreaterThan(middle)
      expect(Math.max(...part(picture, `right_${name}`).map(({ x }) => x))).toBeLessThan(middle)
    }
    for (const [name, side] of [["upper_arm", "inner"], ["lower_arm", "inner"], ["upper_leg", "front"]] as const) {
      expect(mean(part(picture, `left_${name}`, side), "x")).toBeGreaterThan(middle)
      expect(mean(part(picture, `right_${name}`, side), "x")).toBeLessThan(middle)
    }
    expect(mean(part(picture, "head", "left"), "x")).toBeGreaterThan(mean(part(picture, "head", "right"), "x"))
    expect(mean(part(picture, "head", "left"), "y")).toBeLessThan(mean(part(picture, "torso", "front"), "y"))
    expect(mean(part(picture, "left_foot"), "y")).toBeGreaterThan(mean(part(picture, "left_lower_leg", "front"), "y"))
  })

  it("of a person who looks away is the back, the left hand at the left", () => {
    const picture = pictureOf(poses.standingAway)
    for (const name of ["torso", "left_upper_leg", "right_upper_leg", "left_lower_leg", "right_lower_leg"] as const) {
      expect(part(picture, name, "back").length).toBeGreaterThan(50)
      expect(part(picture, name, "front")).toHaveLength(0)
    }
    const middle = picture.widthPx / 2
    expect(Math.max(...part(picture, "left_hand").map(({ x }) => x))).toBeLessThan(middle)
    expect(Math.min(...part(picture, "right_hand").map(({ x }) => x))).toBeGreaterThan(middle)
    expect(part(picture, "left_upper_arm", "outer").length).toBeGreaterThan(
      part(picture, "left_upper_arm", "inner").length,
    )
  })

  it("of a person who looks to the right is the right side, the front at the right", () => {
    const picture = pictureOf(poses.standingSideways)
    expect(part(picture, "head", "left")).toHaveLength(0)
    expect(part(picture, "left_hand")).toHaveLength(0)
    expect(part(picture, "left_foot")).toHaveLength(0)
    expect(part(picture, "right_hand").length).toBeGreaterThan(20)
    expect(mean(part(picture, "torso", "front"), "x")).toBeGreaterThan(mean(part(picture, "torso", "back"), "x"))
    expect(mean(part(picture, "right_foot"), "x")).toBeGreaterThan(
      mean(part(picture, "right_lower_leg", "back"), "x"),
    )
  })

  it("of a sitting person is the upper side of the thighs above the lower one", () => {
    const picture = pictureOf(poses.sittingSideways)
    const [front, back] = [part(picture, "right_upper_leg", "front"), part(picture, "right_upper_leg", "back")]
    expect(mean(front, "y")).toBeLessThan(mean(back, "y"))
    expect(mean(part(picture, "right_lower_leg", "front"), "x")).toBeGreaterThan(mean(front, "x"))
    expect(mean(part(picture, "right_hand"), "x")).toBeGreaterThan(mean(part(picture, "torso", "front"), "x"))
    const ahead = pictureOf(poses.sitting)
    expect(part(ahead, "left_lower_leg", "front").length).toBeGreaterThan(100)
    expect(part(ahead, "left_lower_leg", "back")).toHaveLength(0)
  })

  it("of a lying person is the front above the back, the head at one end", () => {
    const picture = pictureOf(poses.lying)
    expect(picture.widthPx).toBe(112)
    expect(mean(part(picture, "torso", "front"), "y")).toBeLessThan(mean(part(picture, "torso", "back"), "y"))
    const xs = [
      part(picture, "head", "right"),
      part(picture, "torso", "front"),
      part(picture, "right_upper_leg", "front"),
      part(picture, "right_lower_leg", "front"),
      part(picture, "right_foot"),
    ].map((pixels) => mean(pixels, "x"))
    expect(xs).toEqual([...xs].sort((a, b) => a - b))
  })

  it("of feet towards the viewer is in front of the body", () => {
    const picture = pictureOf(poses.lyingAlong)
    const feet = [...part(picture, "left_foot"), ...part(picture, "right_foot")]
    expect(feet.length).toBeGreaterThan(400)
    expect(part(picture, "head", "left")).toHaveLength(0)
    expect(mean(part(picture, "left_foot"), "x")).toBeGreaterThan(mean(part(picture, "right_foot"), "x"))
  })
})

describe("the charts", () => {
  const increases = (values: ReadonlyArray<number>) => {
    for (let i = 1; i < values.length; i++) expect(values[i]).toBeGreaterThanOrEqual(values[i - 1]!)
    expect(values.at(-1)! - values[0]!).toBeGreaterThan(0)
  }

  it("run along a stretched arm from shoulder to hand", () => {
    const picture = pictureOf(poses.armsAside)
    const names = [["left_upper_arm", "inner"], ["left_lower_arm", "inner"], ["left_hand", null]] as const
    const row = Math.round(mean(part(picture, "left_lower_arm", "inner"), "y"))
    let last = 0
    for (const [name, side] of names) {
      const along = part(picture, name, side).filter(({ y }) => y === row).sort((a, b) => a.x - b.x)
      increases(along.map(({ v }) => v))
      expect(along[0]!.v).toBeLessThan(50)
      expect(along.at(-1)!.v).toBeGreaterThan(205)
      expect(along[0]!.x).toBeGreaterThan(last)
      last = along.at(-1)!.x
    }
  })

  it("run down a leg and across it from the body's right to its left", () => {
    for (const [pose, side, sign] of [["standing", "front", 1], ["standingAway", "back", -1]] as const) {
      const picture = pictureOf(poses[pose])
      for (const name of ["left_upper_leg", "left_lower_leg", "right_lower_leg"] as const) {
        const pixels = part(picture, name, side)
        const row = Math.round(mean(pixels, "y"))
        const column = Math.round(mean(pixels, "x"))
        increases(pixels.filter(({ x }) => x === column).sort((a, b) => a.y - b.y).map(({ v }) => v))
        const across = pixels.filter(({ y }) => y === row).sort((a, b) => sign * (a.x - b.x))
        increases(across.map(({ u }) => u))
        expect(across[0]!.u).toBeLessThan(80)
        expect(across.at(-1)!.u).toBeGreaterThan(175)
      }
    }
  })

  it("run up the trunk and the head, and over the head from its back to the nose", () => {
    const picture = pictureOf(poses.standingSideways)
    const torso = part(pictureOf(poses.standing), "torso", "front")
    const column = Math.round(mean(torso, "x"))
    increases(torso.filter(({ x }) => x === column).sort((a, b) => b.y - a.y).map(({ v }) => v))
    const head = part(picture, "head", "right")
    const [x, y] = [Math.round(mean(head, "x")), Math.round(mean(head, "y"))]
    increases(head.filter((pixel) => pixel.x === x).sort((a, b) => b.y - a.y).map(({ v }) => v))
    increases(head.filter((pixel) => pixel.y === y).sort((a, b) => a.x - b.x).map(({ u }) => u))
  })
})

/** Depth (world y) at which a ray first meets a solid: by sampling the balls between its two. */
const depthOf = ({ directions, length, origin, radii, unitsM }: BodySolid, x: number, z: number): number => {
  const own = (point: readonly [number, number, number]) => directions.map((d, i) => dot(point, d) / unitsM[i]!)
  const [ox, oy, oz] = own([x - origin[0], -origin[1], z - origin[2]]) as [number, number, number]
  const [rx, ry, rz] = own([0, 1, 0]) as [number, number, number]
  const a = rx * rx + ry * ry + rz * rz
  let nearest = Infinity
  for (let step = 0; step <= 400; step++) {
    const h = step / 400
    const z = oz - h * length
    const b = rx * ox + ry * oy + rz * z
    const d = b * b - a * (ox * ox + oy * oy + z * z - (radii[0] + h * (radii[1] - radii[0])) ** 2)
    if (d >= 0) nearest = Math.min(nearest, (-b - Math.sqrt(d)) / a)
  }
  return nearest
}

describe("the rendering", () => {
  it("shows the nearest surface, compared with sampling", () => {
    for (const keypoints of [poses.striding, poses.lyingAlong, jittered(poses.sitting, 1), jittered(poses.lying, 2)]) {
      const body = fitBody(keypoints)!
      const window = silhouetteOf(body)
      const { iuv, widthPx, heightPx } = renderBody(body, window)
      let differ = 0
      let compared = 0
      for (let at = 0; at < widthPx * heightPx; at += 7) {
        const x = window.leftM + (at % widthPx + 0.5) * window.widthM / widthPx
        const z = window.bottomM + window.heightM - (Math.floor(at / widthPx) + 0.5) * window.heightM / heightPx
        const depths = body.solids.map((solid) => depthOf(solid, x, z))
        const nearest = Math.min(...depths)
        const owner = body.charts[body.solids[depths.indexOf(nearest)]!.chart]!
        compared++
        if (nearest === Infinity ? iuv[3 * at] !== 0 : !owner.parts.includes(iuv[3 * at]!)) differ++
      }
      // Sampling is not exact at the outline and where two surfaces cross.
      expect(compared).toBeGreaterThan(300)
      expect(differ / compared).toBeLessThan(0.02)
    }
  })

  it("fills the window, and shows the body in one piece", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(poses)), fc.integer({ min: 0, max: 1000 }), (pose, seed) => {
        const picture = pictureOf(seed < 100 ? pose : jittered(pose, seed))
        const { heightPx, iuv, widthPx } = picture
        expect(Math.max(widthPx, heightPx)).toBe(112)
        expect(pieces(picture)).toBe(1)
        const shows = (x: number, y: number) => iuv[3 * (y * widthPx + x)] !== 0
        const columns = Array.from({ length: widthPx }, (_, x) => x)
        const rows = Array.from({ length: heightPx }, (_, y) => y)
        // A round end may miss the outermost pixel, but not its neighbour.
        expect(columns.some((x) => shows(x, 0) || shows(x, 1))).toBe(true)
        expect(columns.some((x) => shows(x, heightPx - 1) || shows(x, heightPx - 2))).toBe(true)
        expect(rows.some((y) => shows(0, y) || shows(1, y))).toBe(true)
        expect(rows.some((y) => shows(widthPx - 1, y) || shows(widthPx - 2, y))).toBe(true)
      }),
      { seed: 8, numRuns: 40 },
    )
  })

  it("has the confidence of the joints around a place", () => {
    const keypoints = poses.armsAside.map((k) => k.name === "left_wrist" ? { ...k, confidence: 0.2 } : k)
    const { confidence, iuv } = pictureOf(keypoints)
    for (let at = 0; at < confidence.length; at++) {
      const [i, , v] = iuv.subarray(3 * at, 3 * at + 3)
      if (i === 0) expect(confidence[at]).toBe(0)
      else if (i === partId("left_hand", null)) expect(confidence[at]).toBe(51)
      else if (i === partId("left_lower_arm", "inner") || i === partId("left_lower_arm", "outer")) {
        expect(Math.abs(confidence[at]! - (0.9 * 255 - 0.7 * v!))).toBeLessThan(1.5)
      } else expect(Math.abs(confidence[at]! - 0.9 * 255)).toBeLessThan(1)
    }
  })

  const geometry = { size: [6, 5, 2.5], nodes: [] } as const
  const view = { widthM: 6, heightM: 2.5 }
  const standingAt = (x: number) => poses.standing.map((k) => ({ ...k, x: k.x - 3 + x }))

  it("cuts a person at the edge of the view", () => {
    const keypoints = standingAt(0.05)
    const box = boxOfPerson(keypoints, view, geometry)
    expect(box.x).toBe(0)
    const picture = pictureOf(keypoints, windowOf(box, view))
    expect(part(picture, "left_hand").length).toBeGreaterThan(0)
    expect(part(picture, "right_hand")).toHaveLength(0)
    expect(Array.from({ length: picture.heightPx }, (_, y) => picture.iuv[3 * y * picture.widthPx])).toContain(2)
  })

  it("renders slivers, and views smaller than a person", () => {
    const sliver = pictureOf(standingAt(-0.262), windowOf(boxOfPerson(standingAt(-0.262), view, geometry), view))
    expect([sliver.widthPx, sliver.heightPx]).toEqual([1, 112])
    const small = { size: [0.3, 5, 0.3], nodes: [] } as const
    const smallView = { widthM: 0.3, heightM: 0.3 }
    const box = boxOfPerson(standingAt(0), smallView, small)
    const picture = pictureOf(standingAt(0), windowOf(box, smallView))
    expect(visibleParts(picture).map(({ name }) => name)).toEqual(["left_foot", "left_lower_leg"])
    const nowhere = boxOfPerson(standingAt(-2), view, geometry)
    expect(nowhere.width).toBe(0)
  })
})

describe("the visible parts", () => {
  it("are those of the picture, with places spread over each", () => {
    for (const pose of Object.values(poses)) {
      const picture = pictureOf(pose)
      const ids = new Set(picture.iuv.filter((_, at) => at % 3 === 0))
      const visible = visibleParts(picture)
      expect(visible.map(({ id }) => id)).toEqual([...ids].filter((id) => id !== 0).sort((a, b) => a - b))
      for (const { confidence, id, name, side, uv } of visible) {
        expect(partId(name, side)).toBe(id)
        const pixels = pixelsOf(picture, id)
        const places = new Set(pixels.map(({ u, v }) => `${u / 255} ${v / 255}`))
        expect(uv.length).toBeGreaterThan(0)
        expect(uv.length).toBeLessThanOrEqual(placesMax)
        expect(new Set(uv.map(([u, v]) => `${u} ${v}`)).size).toBe(uv.length)
        for (const [u, v] of uv) expect(places).toContain(`${u} ${v}`)
        expect(confidence).toBeCloseTo(0.9, 2)
        if (pixels.length < 100) continue
        const span = (values: ReadonlyArray<number>) => Math.max(...values) - Math.min(...values)
        expect(span(uv.map(([u]) => u))).toBeGreaterThan(0.6 * span(pixels.map(({ u }) => u / 255)))
        expect(span(uv.map(([, v]) => v))).toBeGreaterThan(0.6 * span(pixels.map(({ v }) => v / 255)))
      }
    }
  })

  it("are none in an empty picture", () => {
    const empty = { widthPx: 2, heightPx: 1, iuv: new Uint8Array(6), confidence: new Uint8Array(2) }
    expect(visibleParts(empty)).toEqual([])
  })
})
