import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../../core/formats/csi-batch.ts"
import { blank, type Canvas, ink } from "../../../../core/inspection/picture/canvas.ts"
import { createPicture } from "../../../../core/inspection/picture/picture.ts"
import { PictureMaps } from "../../../../core/inspection/picture-maps.ts"
import { layoutOf } from "../../signal/channel.ts"
import { capture, inspected } from "../captures.ts"

const pictureOf = (batches: ReadonlyArray<CsiBatch>, title = "room.dat"): Canvas => {
  const maps = new PictureMaps(inspected(batches))
  for (const batch of batches) maps.add(batch)
  return createPicture(title, maps.finish())
}

const pixel = ({ pixels, width }: Canvas, x: number, y: number): ReadonlyArray<number> => [
  ...pixels.subarray(3 * (y * width + x), 3 * (y * width + x) + 3),
]

/** How many pixels of a rectangle have a colour. */
const count = (canvas: Canvas, [x0, y0, x1, y1]: readonly number[], colour: ReadonlyArray<number>): number => {
  let found = 0
  for (let y = y0!; y < y1!; y++) {
    for (let x = x0!; x < x1!; x++) if (pixel(canvas, x, y).every((value, i) => value === colour[i])) found++
  }
  return found
}

const one = layoutOf({ receiveAntennas: 1 })

describe("the picture", () => {
  it("has both panels, their axes and their scales", () => {
    const canvas = pictureOf(capture({ seconds: 10, rateHz: 50, layout: one }))
    expect([canvas.width, canvas.height]).toEqual([1370, 950])
    // Title, left axis, axis below, and the two scales are written on white.
    for (const place of [[120, 20, 600, 45], [60, 120, 110, 540], [120, 885, 1220, 925], [1255, 120, 1370, 880]]) {
      expect(count(canvas, place, ink)).toBeGreaterThan(20)
    }
    expect(count(canvas, [120, 120, 1220, 540], blank)).toBe(0)
  })

  it("leaves the time without packets blank in both panels", () => {
    const canvas = pictureOf(capture({ seconds: 20, rateHz: 50, layout: one, silence: [8, 12] }))
    for (const y of [200, 400, 700, 850]) {
      expect(pixel(canvas, 120 + 550, y)).toEqual([...blank])
      expect(pixel(canvas, 120 + 200, y)).not.toEqual([...blank])
    }
  })

  it("adds the paths of several antennas, and leaves Doppler out without time", () => {
    expect(pictureOf(capture({ seconds: 5, rateHz: 50 })).height).toBe(1380)
    const timeless = capture({ seconds: 1, rateHz: 50, layout: one }).map((batch) => ({
      ...batch,
      timestampsUs: new Float64Array(batch.frameCount),
    }))
    expect(pictureOf(timeless).height).toBe(640)
  })

  it("cuts a title that is too long", () => {
    const canvas = pictureOf(capture({ seconds: 5, rateHz: 50, layout: one }), "x".repeat(500))
    expect(count(canvas, [1360, 0, 1370, 60], ink)).toBe(0)
    expect(count(canvas, [1200, 0, 1350, 60], ink)).toBeGreaterThan(0)
  })
})
