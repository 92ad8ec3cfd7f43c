/**
 * Geometry of a site: the positions of its nodes, and its view.
 *
 * World frame: metres, right-handed, origin at a corner of the floor plan, x east, y north, z up.
 */

export type Vector3 = readonly [x: number, y: number, z: number]

/** A radio node: a router that receives, a station that transmits, or both. */
export interface RadioNode {
  /** The router id of a receiver, the transmitter id of a sender: one id for a node that is both. */
  readonly nodeId: string
  readonly position: Vector3
  /** Unit vector along the receive array (uniform, half a wavelength apart); ignored with one antenna. */
  readonly arrayAxis: Vector3
}

/** A room and the nodes in it. */
export interface SiteGeometry {
  /** Size of the room: x, y, z extents in metres. */
  readonly size: Vector3
  readonly nodes: ReadonlyArray<RadioNode>
}

/** The elevation view that keypoints are projected onto: orthographic, looking along +y, normalised to 0..1. */
export interface View {
  /** Extent of the view in metres: width along x, height along z. */
  readonly widthM: number
  readonly heightM: number
}

/** A rectangle of the world in the plane of the view, metres: x to the right, z up. */
export interface WorldWindow {
  readonly leftM: number
  readonly bottomM: number
  readonly widthM: number
  readonly heightM: number
}

/** A place on the floor plan, metres. */
export interface Place {
  readonly x: number
  readonly y: number
}

/** Distance on the floor plan, metres. */
export const placesApartM = (a: Place, b: Place): number => Math.hypot(a.x - b.x, a.y - b.y)

/** Distances of a place from the four walls, metres: at x = 0, at the width, at y = 0, at the depth. Negative beyond one. */
export const wallDistancesM = (
  { x, y }: Place,
  [width, depth]: SiteGeometry["size"],
): readonly [number, number, number, number] => [x, width - x, y, depth - y]
