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

/** A projection of points of the room onto the screen. */
export const projection = (orbit: Orbit, size: RoomSize, screen: Screen) => {
  const radius = Math.hypot(size.x, size.y, size.z) / 2
  const distance = radius * 3.2
  const focal = Math.min(screen.width, screen.height * 1.35) * 1.45 * orbit.zoom
  const [sinYaw, cosYaw, sinPitch, cosPitch] = [
    Math.sin(orbit.yaw),
    Math.cos(orbit.yaw),
    Math.sin(orbit.pitch),
    Math.cos(orbit.pitch),
  ]
  return (x: number, y: number, z: number): Point2 => {
    const [east, north, up] = [x - size.x / 2, y - size.y / 2, z - size.z * 0.38]
    const right = east * cosYaw - north * sinYaw
    const forward = east * sinYaw + north * cosYaw
    const depth = distance + forward * cosPitch - up * sinPitch
    const height = up * cosPitch + forward * sinPitch
    const scale = focal / depth
    return { x: screen.width / 2 + right * scale, y: screen.height / 2 - height * scale, depth, scale }
  }
}
