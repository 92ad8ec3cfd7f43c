/**
 * Draws a person on a canvas through a projection: bones whose opacity is their confidence, dashed where a joint is inferred, joints as circles
 * of one sigma, a disc on the floor for the location. A person without a pose is a hollow marker: no body is invented.
 */
import type { ShownPerson } from "../state/playback.ts"
import type { Point2 } from "./camera.ts"
import { bones, head, hueOf, isDashed, opacityOf } from "./skeleton.ts"

type Project = (x: number, y: number, z: number) => Point2

const headRadiusM = 0.11
const lineM = 0.045

const strokeBones = (
  context: CanvasRenderingContext2D,
  { joints }: ShownPerson,
  points: ReadonlyArray<Point2>,
  hue: number,
): void => {
  context.lineCap = "round"
  for (const { from, to } of bones) {
    const [a, b] = [points[from]!, points[to]!]
    const [left, right] = [joints[from]!, joints[to]!]
    context.globalAlpha = opacityOf(Math.min(left.confidence, right.confidence))
    context.strokeStyle = `hsl(${hue} 60% 48%)`
    context.lineWidth = Math.max(2, lineM * (a.scale + b.scale) / 2)
    context.setLineDash(isDashed(left, right) ? [context.lineWidth * 1.2, context.lineWidth * 1.6] : [])
    context.beginPath()
    context.moveTo(a.x, a.y)
    context.lineTo(b.x, b.y)
    context.stroke()
  }
  context.setLineDash([])
}

const drawSigmas = (
  context: CanvasRenderingContext2D,
  { joints }: ShownPerson,
  points: ReadonlyArray<Point2>,
  hue: number,
): void => {
  context.fillStyle = `hsl(${hue} 60% 48%)`
  context.globalAlpha = 0.1
  for (const [index, point] of points.entries()) {
    context.beginPath()
    context.arc(point.x, point.y, Math.max(2, joints[index]!.sigmaM * point.scale), 0, 2 * Math.PI)
    context.fill()
  }
}

const drawHead = (context: CanvasRenderingContext2D, { joints }: ShownPerson, point: Point2, hue: number): void => {
  context.globalAlpha = opacityOf(joints[head]!.confidence)
  context.fillStyle = `hsl(${hue} 60% 48%)`
  context.beginPath()
  context.arc(point.x, point.y, Math.max(3, headRadiusM * point.scale), 0, 2 * Math.PI)
  context.fill()
}

/** A ring on the floor around a place, `radiusM` wide. */
const floorRing = (
  context: CanvasRenderingContext2D,
  project: Project,
  x: number,
  y: number,
  radiusM: number,
): void => {
  context.beginPath()
  for (let step = 0; step <= 32; step++) {
    const angle = step / 16 * Math.PI
    const point = project(x + radiusM * Math.cos(angle), y + radiusM * Math.sin(angle), 0)
    if (step === 0) context.moveTo(point.x, point.y)
    else context.lineTo(point.x, point.y)
  }
}

const footprintM = 0.28

/** Draws one person with the letter that names it. */
export const drawFigure = (
  context: CanvasRenderingContext2D,
  project: Project,
  person: ShownPerson,
  letter: string,
  ink: string,
): void => {
  const hue = hueOf(letter)
  context.save()
  floorRing(context, project, person.x, person.y, footprintM)
  context.globalAlpha = 0.25
  context.fillStyle = `hsl(${hue} 60% 48%)`
  context.fill()
  context.globalAlpha = opacityOf(person.confidence)
  context.strokeStyle = `hsl(${hue} 60% 48%)`
  context.lineWidth = 1.5
  context.stroke()
  const points = person.joints.map(({ x, y, z }) => project(x, y, z))
  if (points.length > head) {
    drawSigmas(context, person, points, hue)
    strokeBones(context, person, points, hue)
    drawHead(context, person, points[head]!, hue)
  }
  const label = points[head] ?? project(person.x, person.y, 0)
  context.globalAlpha = 1
  context.fillStyle = ink
  context.font = "600 13px system-ui, sans-serif"
  context.textAlign = "center"
  context.fillText(letter, label.x, label.y - Math.max(12, 0.24 * label.scale))
  context.restore()
}
