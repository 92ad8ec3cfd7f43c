/**
 * The view: an orthographic elevation of the room, looking along +y.
 *
 * Owns the projection to 0..1 (origin top left, x right, y down), and the box of a person: around the silhouette of the
 * fitted body, which includes hands, feet and the crown, and around every keypoint.
 */
import type { SiteGeometry, View, WorldWindow } from "../imaging/geometry.ts"
import { fitBody, silhouetteOf } from "./fitted-body.ts"
import type { PlacedKeypoint } from "./place.ts"
import type { KeypointName } from "./skeleton.ts"

/** A keypoint in the view. Values outside 0..1 are outside the picture. */
interface ViewKeypoint {
  readonly name: KeypointName
  readonly x: number
  readonly y: number
  readonly confidence: number
  /** In the picture, and more likely correct than not. */
  readonly visible: boolean
  readonly observed: boolean | null
}

/** A place in the view. */
type ViewPoint = Pick<ViewKeypoint, "x" | "y">

interface ViewBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The view that shows a whole room. */
export const viewOf = ({ size }: SiteGeometry): View => ({ widthM: size[0], heightM: size[2] })

/** A place in a view whose centre is the middle of the room's width and whose lower edge is the floor. */
const projectPoint = (xM: number, zM: number, view: View, geometry: SiteGeometry): ViewPoint => ({
  x: 0.5 + (xM - geometry.size[0] / 2) / view.widthM,
  y: 1 - zM / view.heightM,
})

/** Keypoints in the view. */
export const projectKeypoints = (
  keypoints: ReadonlyArray<PlacedKeypoint>,
  view: View,
  geometry: SiteGeometry,
): ReadonlyArray<ViewKeypoint> =>
  keypoints.map(({ name, x: xM, z: zM, confidence, observed }) => {
    const { x, y } = projectPoint(xM, zM, view, geometry)
    const inside = x >= 0 && x <= 1 && y >= 0 && y <= 1
    return { name, x, y, confidence, visible: inside && confidence >= 0.5, observed }
  })

const clamp = (value: number): number => Math.max(0, Math.min(1, value))

/** The smallest box around the points, clipped to the view. */
export const boxOf = (points: ReadonlyArray<ViewPoint>): ViewBox => {
  const xs = points.map(({ x }) => clamp(x))
  const ys = points.map(({ y }) => clamp(y))
  const x = Math.min(...xs)
  const y = Math.min(...ys)
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

/** The smallest box around a person's body and keypoints, clipped to the view. */
export const boxOfPerson = (
  keypoints: ReadonlyArray<PlacedKeypoint>,
  view: View,
  geometry: SiteGeometry,
): ViewBox => {
  const points = projectKeypoints(keypoints, view, geometry)
  const body = fitBody(keypoints)
  if (body === null) return boxOf(points)
  const { bottomM, heightM, leftM, widthM } = silhouetteOf(body)
  const lowerLeft = projectPoint(leftM, bottomM, view, geometry)
  const upperRight = projectPoint(leftM + widthM, bottomM + heightM, view, geometry)
  return boxOf([...points, lowerLeft, upperRight])
}

/** The part of the room that a box of the whole room's view (`viewOf`) shows. */
export const windowOf = ({ height, width, x, y }: ViewBox, { heightM, widthM }: View): WorldWindow => ({
  leftM: x * widthM,
  bottomM: (1 - y - height) * heightM,
  widthM: width * widthM,
  heightM: height * heightM,
})
