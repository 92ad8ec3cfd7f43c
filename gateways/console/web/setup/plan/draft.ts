/**
 * The draft of a room: what the editor changes before it is saved. It has the shape of the body of `PUT /environments/{id}`, without the
 * routers, which boards join and leave meanwhile.
 *
 * Pure. Invariant: nodes and corners stay inside the room, so the service accepts what can be drawn.
 */
import type { Environment, Geometry } from "../../service/types.ts"
import { clamped } from "./lengths.ts"

export type Zone = Environment["zones"][number]
export type Node = Geometry["nodes"][number]
export interface Place {
  readonly x: number
  readonly y: number
}

export type Draft = Pick<Environment, "name" | "geometry" | "zones">

/** The part of a draft whose properties are shown. */
export type Selection =
  | { readonly kind: "room" }
  | { readonly kind: "node"; readonly id: string }
  | { readonly kind: "zone"; readonly id: string }

export const extentM = { min: 1, max: 100 }
const defaultHeightM = 2.5
const boardHeightM = 1.2
const newZoneM = 1.5
export const cornersMin = 3

export const draftOf = ({ geometry, name, zones }: Environment): Draft => ({ name, geometry, zones })

export const sameDraft = (a: Draft, b: Draft): boolean => JSON.stringify(a) === JSON.stringify(b)

const inside = ({ x, y }: Place, { size }: Geometry): Place => ({ x: clamped(x, 0, size.x), y: clamped(y, 0, size.y) })

/** Gives a room its extent; a room without positions gets a plan. */
export const withSize = (draft: Draft, extent: Partial<Geometry["size"]>): Draft => {
  const before = draft.geometry?.size ?? { x: 4, y: 4, z: defaultHeightM }
  const within = (value: number) => clamped(value, extentM.min, extentM.max)
  const wanted = { ...before, ...extent }
  const size = { x: within(wanted.x), y: within(wanted.y), z: within(wanted.z) }
  const geometry = { size, nodes: draft.geometry?.nodes ?? [] }
  const nodes = geometry.nodes.map((node) => ({
    ...node,
    position: { ...inside(node.position, geometry), z: clamped(node.position.z, 0, size.z) },
  }))
  const zones = draft.zones.map((zone) => ({
    ...zone,
    polygon: zone.polygon.map((corner) => inside(corner, geometry)),
  }))
  return { ...draft, geometry: { size, nodes }, zones }
}

/** Changes a node of the plan. */
export const withNode = (
  draft: Draft,
  id: string,
  change: Partial<Node["position"]> | { array_axis: Node["array_axis"] },
): Draft => {
  const { geometry } = draft
  if (geometry === null) return draft
  const apply = (node: Node): Node => {
    if ("array_axis" in change) return { ...node, array_axis: change.array_axis }
    const { x, y, z } = { ...node.position, ...change }
    return { ...node, position: { ...inside({ x, y }, geometry), z: clamped(z, 0, geometry.size.z) } }
  }
  return {
    ...draft,
    geometry: { ...geometry, nodes: geometry.nodes.map((node) => node.node_id === id ? apply(node) : node) },
  }
}

/** Places a node, by default in the middle of the wall at y = 0; one that is placed already stays. */
export const withNewNode = (draft: Draft, id: string, place?: Place): Draft => {
  const { geometry } = draft
  if (geometry === null || geometry.nodes.some(({ node_id }) => node_id === id)) return draft
  const { size } = geometry
  const at = inside(place ?? { x: size.x / 2, y: 0 }, geometry)
  // The antennas of a board on a wall are along the wall.
  const isSide = Math.min(at.x, size.x - at.x) < Math.min(at.y, size.y - at.y)
  const node = {
    node_id: id,
    position: { ...at, z: Math.min(boardHeightM, size.z) },
    array_axis: isSide ? { x: 0, y: 1, z: 0 } : { x: 1, y: 0, z: 0 },
  }
  return { ...draft, geometry: { ...geometry, nodes: [...geometry.nodes, node] } }
}

export const withoutNode = (draft: Draft, id: string): Draft =>
  draft.geometry === null
    ? draft
    : { ...draft, geometry: { ...draft.geometry, nodes: draft.geometry.nodes.filter(({ node_id }) => node_id !== id) } }

export const withZone = (draft: Draft, id: string, change: Partial<Omit<Zone, "zone_id">>): Draft => ({
  ...draft,
  zones: draft.zones.map((zone) => zone.zone_id === id ? { ...zone, ...change } : zone),
})

export const withoutZone = (draft: Draft, id: string): Draft => ({
  ...draft,
  zones: draft.zones.filter(({ zone_id }) => zone_id !== id),
})

/** The first `zone-N` that is free. */
export const freeZoneId = ({ zones }: Draft): string => {
  for (let number = 1;; number++) {
    if (zones.every(({ zone_id }) => zone_id !== `zone-${number}`)) return `zone-${number}`
  }
}

/** Adds a square zone in the middle of the room. */
export const withNewZone = (draft: Draft, id: string): Draft => {
  const { geometry } = draft
  if (geometry === null) return draft
  const { x, y } = geometry.size
  const [wide, deep] = [Math.min(newZoneM, x) / 2, Math.min(newZoneM, y) / 2]
  const polygon = [[-wide, -deep], [wide, -deep], [wide, deep], [-wide, deep]].map(([east, north]) => ({
    x: x / 2 + east!,
    y: y / 2 + north!,
  }))
  const zone: Zone = { zone_id: id, name: `Zone ${id.replace("zone-", "")}`, kind: "general", role: null, polygon }
  return { ...draft, zones: [...draft.zones, zone] }
}

const withPolygon = (
  draft: Draft,
  id: string,
  change: (polygon: Zone["polygon"], within: Geometry) => Zone["polygon"],
): Draft => {
  const { geometry } = draft
  if (geometry === null) return draft
  return {
    ...draft,
    zones: draft.zones.map((zone) => zone.zone_id === id ? { ...zone, polygon: change(zone.polygon, geometry) } : zone),
  }
}

export const withCorner = (draft: Draft, id: string, index: number, place: Partial<Place>): Draft =>
  withPolygon(
    draft,
    id,
    (polygon, geometry) =>
      polygon.map((corner, at) => at === index ? inside({ ...corner, ...place }, geometry) : corner),
  )

/** Adds a corner in the middle of the edge that begins at `index`. */
export const withNewCorner = (draft: Draft, id: string, index: number): Draft =>
  withPolygon(draft, id, (polygon) => {
    const [from, to] = [polygon[index]!, polygon[(index + 1) % polygon.length]!]
    return polygon.toSpliced(index + 1, 0, { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 })
  })

/** Removes a corner, unless the zone would not be a polygon any more. */
export const withoutCorner = (draft: Draft, id: string, index: number): Draft =>
  withPolygon(draft, id, (polygon) => polygon.length <= cornersMin ? polygon : polygon.toSpliced(index, 1))

/** Moves a whole zone by as much as the room allows. */
export const withZoneMoved = (draft: Draft, id: string, by: Place): Draft =>
  withPolygon(draft, id, (polygon, { size }) => {
    const [xs, ys] = [polygon.map(({ x }) => x), polygon.map(({ y }) => y)]
    const x = clamped(by.x, -Math.min(...xs), size.x - Math.max(...xs))
    const y = clamped(by.y, -Math.min(...ys), size.y - Math.max(...ys))
    return polygon.map((corner) => ({ x: corner.x + x, y: corner.y + y }))
  })

const degrees = 180 / Math.PI

/** Degrees of an array axis from the x axis of the plan, and above the floor. */
export const anglesOf = (
  { x, y, z }: Node["array_axis"],
): { readonly azimuth: number; readonly elevation: number } => ({
  azimuth: Math.hypot(x, y) < 1e-6 ? 0 : Math.round(Math.atan2(y, x) * degrees),
  elevation: Math.round(Math.atan2(z, Math.hypot(x, y)) * degrees),
})

/** The unit vector of these angles, degrees. */
export const axisOf = ({ azimuth, elevation }: ReturnType<typeof anglesOf>): Node["array_axis"] => {
  const [around, above] = [azimuth / degrees, elevation / degrees]
  return { x: Math.cos(above) * Math.cos(around), y: Math.cos(above) * Math.sin(around), z: Math.sin(above) }
}

const millimetres = (valueM: number): number => Math.round(valueM * 1000) / 1000

/** The draft as it is saved: places in whole millimetres. */
export const roundedDraft = (draft: Draft): Draft => ({
  ...draft,
  geometry: draft.geometry === null ? null : {
    size: draft.geometry.size,
    nodes: draft.geometry.nodes.map(({ position: { x, y, z }, ...node }) => ({
      ...node,
      position: { x: millimetres(x), y: millimetres(y), z: millimetres(z) },
    })),
  },
  zones: draft.zones.map(({ polygon, ...zone }) => ({
    ...zone,
    polygon: polygon.map(({ x, y }) => ({ x: millimetres(x), y: millimetres(y) })),
  })),
})
