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

  it("keeps the floor of the room within the picture at any turn", () => {
    for (let yaw = 0; yaw < 6.3; yaw += 0.1) {
      const project = projection({ yaw, pitch: 0.5, zoom: 1 }, size, screen)
      for (const [x, y] of [[0, 0], [6, 0], [6, 5], [0, 5]] as const) {
        const point = project(x, y, 0)
        expect(point.x).toBeGreaterThan(-screen.width * 0.1)
        expect(point.x).toBeLessThan(screen.width * 1.1)
        expect(point.y).toBeGreaterThan(-screen.height * 0.1)
        expect(point.y).toBeLessThan(screen.height * 1.1)
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
