/**
 * Space: where a floor plan has room for a movement of a body.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import type { FloorPlan, Place } from "../rooms/floor-plan.ts"
import type { Planner } from "./planner.ts"
import { wrapAngle } from "../bodies/pose.ts"
import { offset } from "../bodies/postures.ts"
import type { FallDirection } from "../bodies/step.ts"

/** Share of the usual clearances that limbs keep. */
const limbShare = 0.3
const drawsMax = 80

/** The free places of a floor. */
type Ground = Pick<Planner, "isFree">

/** A rectangle on the floor in front of (+) and behind (-) a body, to its left (+) and right (-), metres. */
interface Extent {
  readonly behindM: number
  readonly aheadM: number
  readonly rightM: number
  readonly leftM: number
}

const falls: Readonly<Record<FallDirection, Extent>> = {
  forward: { behindM: -0.5, aheadM: 1.9, rightM: -0.4, leftM: 0.4 },
  backward: { behindM: -1.4, aheadM: 0.9, rightM: -0.4, leftM: 0.4 },
  left: { behindM: -0.4, aheadM: 0.8, rightM: -0.6, leftM: 1.4 },
  right: { behindM: -0.4, aheadM: 0.8, rightM: -1.4, leftM: 0.6 },
}

/** Room for arms and a bent back in front, for knees behind, and for spread arms. */
const around: Extent = { behindM: -0.7, aheadM: 0.9, rightM: -0.65, leftM: 0.65 }

const hasRoom = (ground: Ground, [x, y]: Place, yaw: number, extent: Extent, share: number): boolean => {
  const alongs = Math.ceil((extent.aheadM - extent.behindM) / 0.3)
  const asides = Math.ceil((extent.leftM - extent.rightM) / 0.3)
  for (let i = 0; i <= alongs; i++) {
    for (let j = 0; j <= asides; j++) {
      const ahead = extent.behindM + ((extent.aheadM - extent.behindM) * i) / alongs
      const left = extent.rightM + ((extent.leftM - extent.rightM) * j) / asides
      if (!ground.isFree(offset(x, y, yaw, ahead, left), share)) return false
    }
  }
  return true
}

/** Whether there is room to fall in a direction with at least `share` of the usual clearances. */
export const canFall = (
  ground: Ground,
  place: Place,
  yaw: number,
  direction: FallDirection,
  share: number,
): boolean => hasRoom(ground, place, yaw, falls[direction], share)

const headings = Array.from({ length: 16 }, (_, i) => (2 * Math.PI * i) / 16)

/** The heading nearest to `yaw` that satisfies `suits`, or null. */
export const headingThat = (suits: (heading: number) => boolean, yaw: number): number | null =>
  [yaw, ...[...headings].sort((a, b) => Math.abs(wrapAngle(a - yaw)) - Math.abs(wrapAngle(b - yaw)))].find(suits) ??
    null

/** The heading nearest to `yaw` with room for arms and knees. */
export const openHeading = (ground: Ground, place: Place, yaw: number): number | null =>
  headingThat((heading) => hasRoom(ground, place, heading, around, limbShare), yaw)

/** A random free place that satisfies `suits`, with rooms weighted by area; null when none is found. */
export const drawPlace = (
  floor: FloorPlan,
  planner: Planner,
  random: Random,
  suits: (place: Place) => boolean,
): Place | null => {
  const areas = floor.rooms.map(({ high, low }) => (high[0] - low[0]) * (high[1] - low[1]))
  const total = areas.reduce((sum, area) => sum + area, 0)
  for (let draw = 0; draw < drawsMax; draw++) {
    let left = random.uniform() * total
    const room = floor.rooms.find((_, i) => (left -= areas[i]!) <= 0) ?? floor.rooms[0]
    if (room === undefined) return null
    const place: Place = [uniformIn(random, room.low[0], room.high[0]), uniformIn(random, room.low[1], room.high[1])]
    if (planner.isFree(place, draw < drawsMax / 2 ? 1 : 0.7) && suits(place)) return place
  }
  return null
}
