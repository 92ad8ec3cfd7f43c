/**
 * The floor plan of a room: walls, zones, boards and links as SVG, with persons and their trails on a canvas above.
 */
import type { Environment, Geometry } from "../service/types.ts"
import type { ShownPerson } from "../state/playback.ts"
import type { SceneAt } from "../state/scene.ts"
import { hueOf, letterOf, opacityOf } from "./skeleton.ts"
import { type Brush, useSurface } from "./surface.ts"

/** Metres around the room that the picture leaves free. */
const marginM = 0.35

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

const Links = ({ nodes }: Geometry) => (
  <g class="links">
    {nodes.flatMap((from, index) =>
      nodes.slice(index + 1).map((to) => (
        <line
          key={`${from.node_id} ${to.node_id}`}
          x1={from.position.x}
          y1={-from.position.y}
          x2={to.position.x}
          y2={-to.position.y}
        />
      ))
    )}
  </g>
)

export const FloorPlan = ({ environment, geometry, sceneAt }: {
  readonly environment: Environment
  readonly geometry: Geometry
  readonly sceneAt: SceneAt
}) => {
  const { size } = geometry
  const [wide, high] = [size.x + 2 * marginM, size.y + 2 * marginM]
  const canvas = useSurface((brush) => {
    const scene = sceneAt(brush.nowMs)
    if (scene === null) return
    const { isGrey, letters, persons, trailOf } = scene
    const pixelsPerM = brush.width / wide
    const at = (x: number, y: number) => [(x + marginM) * pixelsPerM, (size.y - y + marginM) * pixelsPerM] as const
    brush.context.filter = isGrey ? "grayscale(1)" : "none"
    for (const person of persons) {
      drawPerson(brush, at, person, letterOf(letters, person), trailOf(person.id), pixelsPerM)
    }
    brush.context.filter = "none"
  })
  return (
    <div class="plan" data-aspect={`${wide}:${high}`}>
      <svg
        viewBox={`${-marginM} ${-size.y - marginM} ${wide} ${high}`}
        role="img"
        aria-label={`Floor plan of ${environment.name}, ${size.x} by ${size.y} metres, ${geometry.nodes.length} boards`}
      >
        <rect class="floor" x={0} y={-size.y} width={size.x} height={size.y} />
        {environment.zones.map(({ name, polygon, zone_id }) => (
          <g key={zone_id} class="zone">
            <polygon points={polygon.map(({ x, y }) => `${x},${-y}`).join(" ")} />
            <text x={polygon[0]!.x + 0.1} y={-polygon[0]!.y - 0.1}>{name}</text>
          </g>
        ))}
        <Links {...geometry} />
        {geometry.nodes.map(({ node_id, position }) => (
          <g key={node_id} class="board">
            <title>{`${node_id}, ${position.z} m high`}</title>
            <rect x={position.x - 0.09} y={-position.y - 0.09} width={0.18} height={0.18} rx={0.04} />
          </g>
        ))}
      </svg>
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  )
}
