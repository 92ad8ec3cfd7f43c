/**
 * The view: an orthographic elevation of the room, looking along +y.
 *
 * Owns the projection of keypoints to 0..1 (origin top left, x right, y down) and their box.
 */
import type { SiteGeometry, View } from "../imaging/geometry.ts"
import type { PlacedKeypoint } from "./place.ts"
import type { KeypointName } from "./skeleton.ts"

/** A keypoint in the view. Values outside 0..1 are outside the picture. */
export interface ViewKeypoint {
  readonly name: KeypointName
  readonly x: number
  readonly y: number
  readonly confidence: number
  /** In the picture, and more likely right than wrong. */
  readonly visible: boolean
}

export interface ViewBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The view that shows a whole room. */
export const viewOf = ({ size }: SiteGeometry): View => ({ widthM: size[0], heightM: size[2] })

/** Keypoints in a view whose middle is the middle of the room's width and whose lower edge is the floor. */
export const projectKeypoints = (
  keypoints: ReadonlyArray<PlacedKeypoint>,
  view: View,
  geometry: SiteGeometry,
): ReadonlyArray<ViewKeypoint> =>
  keypoints.map(({ name, x, z, confidence }) => {
    const across = 0.5 + (x - geometry.size[0] / 2) / view.widthM
    const down = 1 - z / view.heightM
    const inside = across >= 0 && across <= 1 && down >= 0 && down <= 1
    return { name, x: across, y: down, confidence, visible: inside && confidence >= 0.5 }
  })

const clamp = (value: number): number => Math.max(0, Math.min(1, value))

/** The smallest box around the keypoints, cut at the edges of the view. */
export const boxOf = (keypoints: ReadonlyArray<ViewKeypoint>): ViewBox => {
  const xs = keypoints.map(({ x }) => clamp(x))
  const ys = keypoints.map(({ y }) => clamp(y))
  const x = Math.min(...xs)
  const y = Math.min(...ys)
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}
