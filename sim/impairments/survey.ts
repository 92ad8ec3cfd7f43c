/**
 * Survey: the geometry of a site as people measure it.
 *
 * Positions are wrong by centimetres in each coordinate, arrays by degrees on the floor plan. Reported nodes are always inside the
 * room. Boundary: the radio uses the true geometry, the service gets this one.
 */
import type { RadioNode, SiteGeometry, Vector3 } from "../../core/imaging/geometry.ts"
import type { Random } from "../randomness/random.ts"
import type { Impairments } from "./impairments.ts"

const surveyed = (node: RadioNode, size: Vector3, impairments: Impairments, random: Random): RadioNode => {
  const read = (axis: 0 | 1 | 2): number =>
    Math.min(size[axis], Math.max(0, node.position[axis] + impairments.surveySigmaM * random.normal()))
  const position: Vector3 = [read(0), read(1), read(2)]
  const yawRad = impairments.surveyYawSigmaRad * random.normal()
  const [x, y, z] = node.arrayAxis
  const cos = Math.cos(yawRad)
  const sin = Math.sin(yawRad)
  return { nodeId: node.nodeId, position, arrayAxis: [x * cos - y * sin, x * sin + y * cos, z] }
}

/** The surveyed geometry of a true one. */
export const surveySite = (site: SiteGeometry, impairments: Impairments, random: Random): SiteGeometry => ({
  size: site.size,
  nodes: site.nodes.map((node) => surveyed(node, site.size, impairments, random)),
})
