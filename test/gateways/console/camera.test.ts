import { describe, expect, it } from "vitest"
import {
  type Orbit,
  pitchRange,
  projection,
  turned,
  zoomed,
  zoomRange,
} from "../../../gateways/console/web/live/camera.ts"

const size = { x: 6, y: 5, z: 2.6 }
const screen = { width: 400, height: 300 }
const front: Orbit = { yaw: 0, pitch: 0.3, zoom: 1 }

describe("the camera", () => {
  it("shows the east on the right, up above, and the north further away", () => {
    const project = projection(front, size, screen)
    expect(project(5, 2.5, 1).x).toBeGreaterThan(project(1, 2.5, 1).x)
    expect(project(3, 2.5, 2).y).toBeLessThan(project(3, 2.5, 0).y)
    expect(project(3, 5, 0).depth).toBeGreaterThan(project(3, 0, 0).depth)
  })

  it.each([size, { x: 3, y: 8, z: 2.4 }, { x: 12, y: 4, z: 5 }])("keeps the room %j within the picture", (size) => {
    for (const pitch of [pitchRange.min, 0.5, 1, pitchRange.max]) {
      for (let yaw = 0; yaw < 6.3; yaw += 0.1) {
        const project = projection({ yaw, pitch, zoom: 1 }, size, screen)
        for (
          const [x, y, z] of [0, size.x].flatMap((x) => [0, size.y].flatMap((y) => [0, size.z].map((z) => [x, y, z])))
        ) {
          const point = project(x!, y!, z!)
          expect(Math.abs(point.x - screen.width / 2)).toBeLessThanOrEqual(screen.width / 2 + 1e-6)
          expect(Math.abs(point.y - screen.height / 2)).toBeLessThanOrEqual(screen.height / 2 + 1e-6)
        }
      }
    }
  })

  it("stays above the floor and within its zoom", () => {
    expect(turned(front, 0, -9).pitch).toBe(pitchRange.min)
    expect(turned(front, 0, 9).pitch).toBe(pitchRange.max)
    expect(zoomed(front, 100).zoom).toBe(zoomRange.max)
    expect(zoomed(front, 0.001).zoom).toBe(zoomRange.min)
  })
})
