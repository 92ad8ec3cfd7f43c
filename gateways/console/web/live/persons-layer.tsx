/**
 * Persons on a floor plan: discs of one and two sigma, trails, letters, on a canvas above the drawing of the room.
 */
import type { Geometry } from "../service/types.ts"
import type { ShownPerson } from "../state/playback.ts"
import type { SceneAt } from "../state/scene.ts"
import { hueOf, letterOf, opacityOf } from "./skeleton.ts"
import { type Brush, useSurface } from "./surface.ts"

const drawPerson = (
  { colour, context }: Brush,
  at: (x: number, y: number) => readonly [number, number],
  person: ShownPerson,
  letter: string,
  path: ReadonlyArray<{ readonly x: number; readonly y: number }>,
  pixelsPerM: number,
): void => {
  const hue = hueOf(letter)
  const [x, y] = at(person.x, person.y)
  context.strokeStyle = `hsl(${hue} 60% 48%)`
  context.fillStyle = `hsl(${hue} 60% 48%)`
  context.globalAlpha = 0.35
  context.lineWidth = 2
  context.beginPath()
  for (const [index, point] of path.entries()) {
    const [px, py] = at(point.x, point.y)
    if (index === 0) context.moveTo(px, py)
    else context.lineTo(px, py)
  }
  context.stroke()
  context.globalAlpha = 0.12
  for (const sigmas of [2, 1]) {
    context.beginPath()
    context.arc(x, y, sigmas * person.sigmaM * pixelsPerM, 0, 2 * Math.PI)
    context.fill()
  }
  context.globalAlpha = opacityOf(person.confidence)
  context.beginPath()
  context.arc(x, y, 10, 0, 2 * Math.PI)
  context.fill()
  context.globalAlpha = 1
  context.fillStyle = colour("--surface")
  context.font = "600 12px system-ui, sans-serif"
  context.textAlign = "center"
  context.textBaseline = "middle"
  context.fillText(letter, x, y + 0.5)
}

export const PersonsLayer = ({ marginM, sceneAt, size }: {
  readonly size: Geometry["size"]
  /** Metres around the room that the picture leaves free. */
  readonly marginM: number
  readonly sceneAt: SceneAt
}) => {
  const canvas = useSurface((brush) => {
    const scene = sceneAt(brush.nowMs)
    if (scene === null) return
    const { isGrey, letters, persons, trailOf } = scene
    // As an SVG of this extent is fitted: whole, and in the middle.
    const [wide, high] = [size.x + 2 * marginM, size.y + 2 * marginM]
    const pixelsPerM = Math.min(brush.width / wide, brush.height / high)
    const [left, top] = [(brush.width - wide * pixelsPerM) / 2, (brush.height - high * pixelsPerM) / 2]
    const at = (x: number, y: number) =>
      [left + (x + marginM) * pixelsPerM, top + (size.y - y + marginM) * pixelsPerM] as const
    brush.context.filter = isGrey ? "grayscale(1)" : "none"
    for (const person of persons) {
      drawPerson(brush, at, person, letterOf(letters, person), trailOf(person.id), pixelsPerM)
    }
    brush.context.filter = "none"
  })
  return <canvas ref={canvas} aria-hidden="true" />
}
