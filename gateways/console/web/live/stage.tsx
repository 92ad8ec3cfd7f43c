/**
 * The room in three dimensions: floor, walls, boards and skeletons, turned by drag, wheel or keys. Drawn on a canvas; the list of
 * persons beside it says the same in words.
 */
import { useRef } from "preact/hooks"
import type { Geometry } from "../service/types.ts"
import type { SceneAt } from "../state/scene.ts"
import { type Orbit, type Point2, projection, turned, zoomed } from "./camera.ts"
import { drawFigure } from "./figure.ts"
import { letterOf } from "./skeleton.ts"
import { type Brush, useSurface } from "./surface.ts"

type Project = (x: number, y: number, z: number) => Point2

const start: Orbit = { yaw: 0.5, pitch: 0.5, zoom: 1 }
const keyStep = 0.12

const polyline = (context: CanvasRenderingContext2D, points: ReadonlyArray<Point2>): void => {
  context.beginPath()
  for (const [index, point] of points.entries()) {
    if (index === 0) context.moveTo(point.x, point.y)
    else context.lineTo(point.x, point.y)
  }
}

const drawRoom = ({ colour, context }: Brush, project: Project, { nodes, size }: Geometry): void => {
  const { x, y, z } = size
  context.lineWidth = 1
  context.strokeStyle = colour("--line")
  for (let east = 0; east <= x; east++) {
    polyline(context, [project(east, 0, 0), project(east, y, 0)])
    context.stroke()
  }
  for (let north = 0; north <= y; north++) {
    polyline(context, [project(0, north, 0), project(x, north, 0)])
    context.stroke()
  }
  context.strokeStyle = colour("--ink-soft")
  polyline(context, [project(0, 0, 0), project(x, 0, 0), project(x, y, 0), project(0, y, 0), project(0, 0, 0)])
  context.stroke()
  context.globalAlpha = 0.35
  for (const [east, north] of [[0, 0], [x, 0], [x, y], [0, y]] as const) {
    polyline(context, [project(east, north, 0), project(east, north, z)])
    context.stroke()
  }
  polyline(context, [project(0, 0, z), project(x, 0, z), project(x, y, z), project(0, y, z), project(0, 0, z)])
  context.stroke()
  context.globalAlpha = 1
  context.fillStyle = colour("--ink-soft")
  for (const { position } of nodes) {
    const point = project(position.x, position.y, position.z)
    context.fillRect(point.x - 3, point.y - 3, 6, 6)
  }
}

export const Stage = ({ geometry, sceneAt }: { readonly geometry: Geometry; readonly sceneAt: SceneAt }) => {
  const orbit = useRef(start)
  const drag = useRef<{ readonly x: number; readonly y: number } | null>(null)
  const canvas = useSurface((brush) => {
    const { colour, context, height, nowMs, width } = brush
    const project = projection(orbit.current, geometry.size, { width, height })
    drawRoom(brush, project, geometry)
    const scene = sceneAt(nowMs)
    if (scene === null) return
    const { isGrey, letters } = scene
    const persons = scene.persons.map((person) => ({ person, depth: project(person.x, person.y, 1).depth }))
      .sort((a, b) => b.depth - a.depth)
    context.filter = isGrey ? "grayscale(1)" : "none"
    for (const { person } of persons) {
      drawFigure(context, project, person, letterOf(letters, person), colour("--ink"))
    }
    context.filter = "none"
  })
  const keys: Readonly<Record<string, () => Orbit>> = {
    ArrowLeft: () => turned(orbit.current, -keyStep, 0),
    ArrowRight: () => turned(orbit.current, keyStep, 0),
    ArrowUp: () => turned(orbit.current, 0, keyStep),
    ArrowDown: () => turned(orbit.current, 0, -keyStep),
    "+": () => zoomed(orbit.current, 1.1),
    "-": () => zoomed(orbit.current, 1 / 1.1),
    Home: () => start,
  }
  return (
    <canvas
      ref={canvas}
      class="stage"
      tabIndex={0}
      role="application"
      aria-label="The room in three dimensions. Arrow keys turn it, plus and minus zoom, Home resets."
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { x: event.clientX, y: event.clientY }
      }}
      onPointerMove={(event) => {
        if (drag.current === null) return
        const { x, y } = drag.current
        orbit.current = turned(orbit.current, (event.clientX - x) / 160, (event.clientY - y) / 160)
        drag.current = { x: event.clientX, y: event.clientY }
      }}
      onPointerUp={() => drag.current = null}
      onPointerCancel={() => drag.current = null}
      onWheel={(event) => {
        if (!event.ctrlKey && document.activeElement !== event.currentTarget) return
        event.preventDefault()
        orbit.current = zoomed(orbit.current, Math.exp(-event.deltaY / 500))
      }}
      onKeyDown={(event) => {
        const next = keys[event.key]
        if (next === undefined) return
        event.preventDefault()
        orbit.current = next()
      }}
    />
  )
}
