import { decode } from "fast-png"
import { describe, expect, it } from "vitest"
import { fitBody } from "../../../core/pose/fitted-body.ts"
import { renderBody } from "../../../core/pose/render-body.ts"
import { windowOf } from "../../../core/pose/view.ts"
import { densePosesOf } from "../../../gateways/frames/dense-poses.ts"
import { makeFrame, makePerson, makeStanding } from "../pose/frames.ts"

const frame = makeFrame()
const standing = makeStanding(1, 0.9)

describe("dense poses", () => {
  it("match the bounding box pixel for pixel", () => {
    const { pictures, reason } = densePosesOf(frame)(standing)
    expect(reason).toBeNull()
    const rendered = renderBody(fitBody(standing.keypoints3d)!, windowOf(standing.boundingBox, frame.view!))
    const iuv = decode(pictures!.iuv)
    expect(iuv).toMatchObject({ width: rendered.widthPx, height: 112, channels: 3, depth: 8 })
    expect(iuv.data).toEqual(rendered.iuv)
    const confidence = decode(pictures!.confidence)
    expect(confidence).toMatchObject({ width: rendered.widthPx, height: 112, channels: 1, depth: 8 })
    expect(confidence.data).toEqual(rendered.confidence)
  })

  it("have the same values as parts and as pictures", () => {
    const { bodyParts, pictures } = densePosesOf(frame)(standing)
    const { data } = decode(pictures!.iuv)
    const shown = new Set(
      Array.from({ length: data.length / 3 }, (_, at) => [...data.slice(3 * at, 3 * at + 3)].join()),
    )
    expect(bodyParts.length).toBeGreaterThan(10)
    for (const { id, uv } of bodyParts) {
      for (const [u, v] of uv) expect(shown).toContain([id, Math.round(255 * u), Math.round(255 * v)].join())
    }
  })

  it("are rendered once", () => {
    const densePose = densePosesOf(frame)
    expect(densePose(standing)).toBe(densePose(standing))
    expect(densePose(standing).pictures).toBe(densePose(standing).pictures)
    expect(densePose(standing).bodyParts).toBe(densePose(standing).bodyParts)
    expect(densePose(standing)).not.toBe(densePose(makeStanding(2, 0.9)))
  })

  it("have a reason when there is nothing to render", () => {
    const outside = { ...standing, boundingBox: { x: 1, y: 0.2, width: 0, height: 0.5 } }
    for (
      const [densePose, reason] of [
        [densePosesOf(frame)(makePerson(1, 0.9)), "17 keypoints"],
        [densePosesOf(frame)(outside), "outside the view"],
        [densePosesOf(makeFrame({ view: null }))(standing), "geometry is unknown"],
      ] as const
    ) {
      expect(densePose).toMatchObject({ bodyParts: [], pictures: null, reason: expect.stringContaining(reason) })
    }
  })
})
