/**
 * The floor plan of a room: walls, zones, boards and links as SVG, with persons on a canvas above.
 */
import type { Environment, Geometry } from "../service/types.ts"
import type { SceneAt } from "../state/scene.ts"
import { PersonsLayer } from "./persons-layer.tsx"

/** Metres around the room that the picture leaves free. */
const marginM = 0.35

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
  return (
    <div class="plan">
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
      <PersonsLayer size={size} marginM={marginM} sceneAt={sceneAt} />
    </div>
  )
}
