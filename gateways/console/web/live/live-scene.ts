/** The scene of a room now: grey when its newest frame is late, null when it is stale. */
import { shownEventMs } from "../state/playback.ts"
import { ageMsOf, greyMs, removedMs } from "../state/room-summary.ts"
import { roomOf } from "../state/rooms.ts"
import { type SceneAt, sceneOf } from "../state/scene.ts"

export const liveScene = (environmentId: string): SceneAt => (nowMs) => {
  const { frames, letters } = roomOf(environmentId)
  const newest = frames.at(-1)
  if (newest === undefined) return null
  const ageMs = ageMsOf(newest, nowMs)
  if (ageMs >= removedMs) return null
  return sceneOf({ frames, letters, eventMs: shownEventMs(newest, nowMs), isGrey: ageMs >= greyMs })
}
