/**
 * Captured motion: a performer moves as a person in a clip did.
 *
 * Owns the place at which a clip fits into a room and the blend into it. Boundary: `sim/motion-capture` has the clips.
 */
import {
  armChannels,
  channel,
  channelCount,
  createPose,
  legChannels,
  type Pose,
  sides,
  wrapAngle,
} from "../bodies/pose.ts"
import { keep, type Phase, stepS } from "../bodies/phase.ts"
import type { Clip, Start } from "../motion-capture/clip.ts"
import { clipOf } from "../motion-capture/families.ts"
import { type Variation, varied } from "../motion-capture/variation.ts"
import type { Place } from "../rooms/floor-plan.ts"
import { getUp, goTo } from "./actions.ts"
import { groundOf, isOpen, placeOf } from "./crowding.ts"
import type { Performer, Phases } from "./performer.ts"
import { drawPlace } from "./space.ts"
import { face } from "./travel.ts"

/** Time over which the pose before a clip fades. */
const fadeS = 0.5
const headings = 12
const placesMax = 25
const lookS = 0.25
/** Share of the usual clearances that a clip keeps. */
const clearShare = 0.6

/** The places of the hips in a clip. */
const wayOf = (clip: Clip, legM: number, { mirrored, x, y, yaw }: Start): ReadonlyArray<Place> =>
  Array.from({ length: Math.ceil(clip.seconds / lookS) + 1 }, (_, i) => {
    const [forward, left] = clip.placeAt(i * lookS)
    const [along, aside] = [legM * forward, legM * left * (mirrored ? -1 : 1)]
    return [
      x + Math.cos(yaw) * along - Math.sin(yaw) * aside,
      y + Math.sin(yaw) * along + Math.cos(yaw) * aside,
    ] as const
  })

/** A way to begin a clip at a place so that it stays in free space; null if there is none. */
const startAt = (performer: Performer, clip: Clip, [x, y]: Place): Start | null => {
  const { physique, pose, random } = performer
  const ground = groundOf(performer)
  const first = random.uniform() < 0.3 ? Math.PI * (2 * random.uniform() - 1) : pose[channel.yaw]
  const mirrored = random.uniform() < 0.5
  for (let i = 0; i < headings; i++) {
    // The nearest headings first, on both sides in turn.
    const yaw = first + (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * ((2 * Math.PI) / headings)
    for (const start of [{ x, y, yaw, mirrored }, { x, y, yaw, mirrored: !mirrored }]) {
      const way = wayOf(clip, physique.thighM + physique.shankM, start)
      if (way.every((place) => ground.isFree(place, clearShare))) return start
    }
  }
  return null
}

/** Channels that are positions, not angles. */
const positions: ReadonlySet<number> = new Set([
  channel.pelvisX,
  channel.pelvisY,
  channel.pelvisZ,
  channel.supportZ,
  ...sides.flatMap((side) => {
    const { ankleX, ankleY, ankleZ } = legChannels[side]
    return [ankleX, ankleY, ankleZ]
  }),
])

/**
 * Rewrites arms that a clip has turned through whole turns with the smallest angles, so that they do not turn back. No point of the
 * body moves. Returns whether a channel has changed.
 */
const unwind = (pose: Pose): boolean => {
  let changed = false
  for (const side of sides) {
    const { abduct, elbow: _, flex, turn } = armChannels[side]
    const before = [pose[abduct], pose[flex], pose[turn]]
    pose[abduct] = wrapAngle(pose[abduct])
    if (Math.abs(pose[abduct]) > Math.PI / 2) {
      pose[flex] += Math.PI
      pose[abduct] = wrapAngle(Math.PI - pose[abduct])
      pose[turn] += Math.PI
    }
    pose[flex] = wrapAngle(pose[flex])
    pose[turn] = wrapAngle(pose[turn])
    const { kneeOut } = legChannels[side]
    const knee = wrapAngle(pose[kneeOut])
    changed ||= knee !== pose[kneeOut] || before.some((value, i) => value !== [pose[abduct], pose[flex], pose[turn]][i])
    pose[kneeOut] = knee
  }
  return changed
}

const perform = (performer: Performer, clip: Clip, start: Start): Phase => {
  const { physique, pose } = performer
  const offsets = createPose()
  clip.write(0, physique, start, offsets)
  for (let i = 0; i < channelCount; i++) {
    const offset = pose[i]! - offsets[i]!
    offsets[i] = positions.has(i) ? offset : wrapAngle(offset)
  }
  let steps = 0
  return {
    step: (into) => {
      steps++
      clip.write(steps * stepS, physique, start, into)
      const u = Math.min(1, (steps * stepS) / fadeS)
      const share = 1 - u * u * u * (10 + u * (6 * u - 15))
      for (let i = 0; share > 0 && i < channelCount; i++) into[i]! += share * offsets[i]!
      return steps * stepS >= clip.seconds
    },
    activity: () => clip.activityAt(steps * stepS),
  }
}

/** Moves as in a variation of the named clips, one after the other, here or where they fit; leaves out those that fit nowhere. */
export function* moveAs(performer: Performer, names: ReadonlyArray<string>, variation: Variation): Phases {
  yield* getUp(performer)
  for (const name of names) {
    const found = clipOf(name)
    if (found === null) continue
    const clip = varied(found, variation)
    let start = startAt(performer, clip, placeOf(performer))
    for (let tries = 0; start === null && tries < placesMax; tries++) {
      const { floor, planner, random } = performer
      const place = drawPlace(floor, planner, random, (spot) => isOpen(performer, spot))
      if (place === null || startAt(performer, clip, place) === null) continue
      yield* goTo(performer, place, null)
      start = startAt(performer, clip, placeOf(performer))
    }
    if (start === null) continue
    if (Math.abs(start.yaw - performer.pose[channel.yaw]) > 0.2) yield* face(performer, start.yaw)
    const [x, y] = placeOf(performer)
    const now = { ...start, x, y, yaw: performer.pose[channel.yaw] }
    performer.occupancy.claim(performer, wayOf(clip, performer.physique.thighM + performer.physique.shankM, now))
    yield perform(performer, clip, now)
    // A rewritten pose must not mix with the step before it.
    if (unwind(performer.pose)) yield keep(stepS)
    yield* face(performer, performer.pose[channel.yaw])
  }
}
