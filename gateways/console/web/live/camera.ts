/** A camera that orbits the middle of a room. Pure: metres in, pixels out. */

export interface Orbit {
  /** Radians around the vertical; 0 looks along +y. */
  readonly yaw: number
  /** Radians above the horizon. */
  readonly pitch: number
  /** 1 shows the whole room. */
  readonly zoom: number
}

interface RoomSize {
  readonly x: number
  readonly y: number
  readonly z: number
}

interface Screen {
  readonly width: number
  readonly height: number
}

export interface Point2 {
  readonly x: number
  readonly y: number
  /** Metres from the camera; larger is further. */
  readonly depth: number
  /** Pixels per metre at this depth. */
  readonly scale: number
}

export const pitchRange = { min: 0.05, max: 1.5 }
export const zoomRange = { min: 0.6, max: 4 }

const clamp = (value: number, { max, min }: { readonly min: number; readonly max: number }): number =>
  Math.min(max, Math.max(min, value))

export const turned = (orbit: Orbit, yaw: number, pitch: number): Orbit => ({
  ...orbit,
  yaw: orbit.yaw + yaw,
  pitch: clamp(orbit.pitch + pitch, pitchRange),
})

export const zoomed = (orbit: Orbit, factor: number): Orbit => ({
  ...orbit,
  zoom: clamp(orbit.zoom * factor, zoomRange),
})

/** Share of the room's height at which the camera looks. */
const middle = 0.38
/** Distance of the camera in half diagonals of the room. */
const distanceFactor = 3.2
/** Share of the picture that the room fills at most. */
const filled = 0.95

/** The greatest focal length, in pixels, at which the room fits into the screen at this pitch, however it is turned. */
const fittingFocal = (pitch: number, size: RoomSize, screen: Screen): number => {
  const distance = Math.hypot(size.x, size.y, size.z) / 2 * distanceFactor
  const reach = Math.hypot(size.x, size.y) / 2
  const [sinPitch, cosPitch] = [Math.sin(pitch), Math.cos(pitch)]
  const above = size.z * (1 - middle)
  // The extremes are on the circle around the room, nearest or furthest, on the floor or under the ceiling.
  const heights = [-size.z * middle, above].flatMap((up) =>
    [-reach, reach].map((forward) =>
      Math.abs(up * cosPitch + forward * sinPitch) / (distance + forward * cosPitch - up * sinPitch)
    )
  )
  const widest = reach / Math.sqrt((distance - above * sinPitch) ** 2 - (reach * cosPitch) ** 2)
  return filled * Math.min(screen.height / Math.max(...heights), screen.width / widest) / 2
}

/** A projection of points of the room onto the screen. */
export const projection = (orbit: Orbit, size: RoomSize, screen: Screen) => {
  const distance = Math.hypot(size.x, size.y, size.z) / 2 * distanceFactor
  const focal = fittingFocal(orbit.pitch, size, screen) * orbit.zoom
  const [sinYaw, cosYaw, sinPitch, cosPitch] = [
    Math.sin(orbit.yaw),
    Math.cos(orbit.yaw),
    Math.sin(orbit.pitch),
    Math.cos(orbit.pitch),
  ]
  return (x: number, y: number, z: number): Point2 => {
    const [east, north, up] = [x - size.x / 2, y - size.y / 2, z - size.z * middle]
    const right = east * cosYaw - north * sinYaw
    const forward = east * sinYaw + north * cosYaw
    const depth = distance + forward * cosPitch - up * sinPitch
    const height = up * cosPitch + forward * sinPitch
    const scale = focal / depth
    return { x: screen.width / 2 + right * scale, y: screen.height / 2 - height * scale, depth, scale }
  }
}
