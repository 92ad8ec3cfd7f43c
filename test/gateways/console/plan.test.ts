import { describe, expect, it } from "vitest"
import {
  anglesOf,
  axisOf,
  type Draft,
  freeZoneId,
  roundedDraft,
  withCorner,
  withNewCorner,
  withNewNode,
  withNewZone,
  withNode,
  withoutCorner,
  withSize,
  withZoneMoved,
} from "../../../gateways/console/web/setup/plan/draft.ts"
import { coverageMap, nextNode } from "../../../gateways/console/web/setup/plan/coverage-map.ts"
import { lengthM } from "../../../gateways/console/web/setup/plan/lengths.ts"
import { changed, dragged, redone, settled, undoable, undone } from "../../../gateways/console/web/setup/plan/undo.ts"
import { simulationNote } from "../../../gateways/console/web/setup/simulation.ts"
import type { Coverage } from "../../../gateways/console/web/service/types.ts"

const empty: Draft = { name: "Room", geometry: null, zones: [] }
const room = withSize(empty, { x: 4, y: 3 })

describe("the draft of a plan", () => {
  it("keeps nodes and zones inside a room that shrinks", () => {
    const full = withNewZone(withNewNode(room, "a", { x: 4, y: 2.8 }), "zone-1")
    const small = withSize(full, { x: 2, y: 2 })
    expect(small.geometry!.nodes[0]!.position).toMatchObject({ x: 2, y: 2 })
    for (const { x, y } of small.zones[0]!.polygon) expect(Math.max(x, y)).toBeLessThanOrEqual(2)
  })

  it("stops a node at the walls, and a zone as a whole", () => {
    const full = withNewZone(withNewNode(room, "a"), "zone-1")
    expect(withNode(full, "a", { x: 9, z: -1 }).geometry!.nodes[0]!.position).toMatchObject({ x: 4, z: 0 })
    const moved = withZoneMoved(full, "zone-1", { x: 10, y: 0 }).zones[0]!.polygon
    expect(moved.map(({ x }) => x)).toEqual([2.5, 4, 4, 2.5])
  })

  it("adds and removes corners, but never the third last", () => {
    const zoned = withNewZone(room, "zone-1")
    const five = withNewCorner(zoned, "zone-1", 0)
    expect(five.zones[0]!.polygon).toHaveLength(5)
    expect(five.zones[0]!.polygon[1]).toEqual({ x: 2, y: 0.75 })
    const three = withoutCorner(withoutCorner(five, "zone-1", 0), "zone-1", 0)
    expect(withoutCorner(three, "zone-1", 0)).toEqual(three)
    expect(withCorner(three, "zone-1", 1, { y: 99 }).zones[0]!.polygon[1]!.y).toBe(3)
  })

  it("finds a free id, places a board once, along its wall", () => {
    expect(freeZoneId(withNewZone(room, "zone-1"))).toBe("zone-2")
    const placed = withNewNode(room, "a", { x: 0, y: 1.5 })
    expect(placed.geometry!.nodes[0]!.array_axis).toEqual({ x: 0, y: 1, z: 0 })
    expect(withNewNode(placed, "a")).toBe(placed)
  })

  it("turns angles into an axis and back", () => {
    for (
      const angles of [{ azimuth: 0, elevation: 0 }, { azimuth: -135, elevation: 30 }, { azimuth: 0, elevation: 90 }]
    ) {
      expect(anglesOf(axisOf(angles))).toEqual(angles)
    }
  })

  it("is saved in millimetres", () => {
    const { geometry } = roundedDraft(withNode(withNewNode(room, "a"), "a", { x: 1.23456 }))
    expect(geometry!.nodes[0]!.position.x).toBe(1.235)
  })
})

describe("undo", () => {
  it("takes a gesture as one step", () => {
    const dragged = settled(changed(changed(undoable(0), 1, "drag"), 2, "drag"))
    const again = changed(dragged, 3, "drag")
    expect(undone(again).present).toBe(2)
    expect(undone(undone(again)).present).toBe(0)
    expect(redone(undone(again)).present).toBe(3)
    expect(undone(undoable(7)).present).toBe(7)
  })

  it("keeps a bounded number of steps", () => {
    let steps = undoable(0)
    for (let value = 1; value <= 500; value++) steps = changed(steps, value)
    expect(steps.past.length).toBeLessThanOrEqual(100)
  })
})

describe("typed lengths", () => {
  it.each([["3.2", 3.2], ["3,2 m", 3.2], ["320 cm", 3.2], ["10 ft", 3.048], [`10'6"`, 3.2004], ["wide", null], [
    "",
    null,
  ]])(
    "%s",
    (text, metres) => {
      const read = lengthM(text)
      if (metres === null) expect(read).toBeNull()
      else expect(read).toBeCloseTo(metres, 6)
    },
  )
})

const nodeAt = (node_id: string, x: number, y: number) => ({
  node_id,
  position: { x, y, z: 1 },
  array_axis: { x: 1, y: 0, z: 0 },
})

describe("coverage by geometry", () => {
  const size = { x: 4, y: 4, z: 2.5 }
  const gradesOf = (nodes: ReadonlyArray<ReturnType<typeof nodeAt>>) =>
    coverageMap({ size, nodes }).cells.map(({ grade }) => grade)

  it("is blind with one link, and better with each node", () => {
    const [a, b, c, d] = [nodeAt("a", 0, 0), nodeAt("b", 4, 0), nodeAt("c", 4, 4), nodeAt("d", 0, 4)]
    expect(new Set(gradesOf([a, b]))).toEqual(new Set(["blind"]))
    const reported = (nodes: ReadonlyArray<typeof a>) =>
      gradesOf(nodes).filter((grade) => grade === "good" || grade === "fair").length
    expect(reported([a, b, c, d])).toBeGreaterThan(reported([a, b, c]))
  })

  it("suggests the side of a square that has no node", () => {
    const next = nextNode({ size, nodes: [nodeAt("a", 0, 0), nodeAt("b", 4, 0), nodeAt("c", 4, 4)] })!
    expect(Math.hypot(next.x - 0, next.y - 4)).toBeLessThan(2)
    expect(nextNode({ size, nodes: [] })).toBeNull()
  })

  it("covers the room with a bounded number of cells", () => {
    const { cells } = coverageMap({ size: { x: 100, y: 100, z: 3 }, nodes: [nodeAt("a", 0, 0)] })
    expect(cells.length).toBeLessThanOrEqual(1_700)
  })
})

it("a corner that is dragged inwards and out again leaves the boards where they were", () => {
  const before = withNewNode(room, "a", { x: 4, y: 3 })
  const sizeTo = (x: number) => (draft: Draft) => withSize(draft, { x })
  const inwards = dragged(undoable(before), sizeTo(2), "size")
  expect(inwards.present.geometry!.nodes[0]!.position.x).toBe(2)
  const outwards = dragged(inwards, sizeTo(5), "size")
  expect(outwards.present).toEqual(withSize(before, { x: 5 }))
  expect(undone(outwards).present).toBe(before)
  // The next gesture begins with what is there then.
  expect(dragged(settled(inwards), sizeTo(5), "size").present.geometry!.nodes[0]!.position.x).toBe(2)
})

it("a simulation is of the plan that was drawn when it began", () => {
  const { geometry } = withNewNode(room, "a")
  const job = { started_at: "2026-11-25T10:00:00.000Z" } as Coverage
  expect(simulationNote({ job, geometry }, structuredClone(geometry))).toBeNull()
  const unsaved = withNode(withNewNode(room, "a"), "a", { x: 2.00004 }).geometry
  expect(simulationNote({ job, geometry: unsaved }, geometry)).toBeNull()
  expect(simulationNote({ job, geometry }, withNewNode(room, "b").geometry)).toMatch(/has changed since it was/)
  expect(simulationNote({ job, geometry: null }, geometry)).toMatch(/^Simulated .*2026.* may have changed since\.$/)
})
