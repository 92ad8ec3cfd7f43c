/**
 * What the console knows of each environment: its description, its newest frames, and a minute of presence and motion.
 *
 * Invariant: everything kept is bounded: frames by `trailMs`, samples by `stripMs`.
 */
import { computed, signal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import type { Environment, EnvironmentSummary, Frame } from "../service/types.ts"
import type { Received, Room } from "./room.ts"
import { makeRoomList } from "./room-list.ts"
import { trailMs } from "./scene.ts"

export const stripMs = 60_000

/** A room that is active, or in short one that is not. */
type ListedRoom = Environment | EnvironmentSummary

const detailOf = async (room: EnvironmentSummary): Promise<ListedRoom> =>
  room.active ? await authorised<Environment>(`/environments/${encodeURIComponent(room.environment_id)}`) : room

const list = makeRoomList(async () => {
  const { environments } = await authorised<{ readonly environments: ReadonlyArray<EnvironmentSummary> }>(
    "/environments",
  )
  return Promise.all(environments.map(detailOf))
})

const isDetailed = (room: ListedRoom): room is Environment => "geometry" in room

/** All rooms, active or not; null: not read yet. */
export const allRooms = list.rooms
/** The active environments. */
export const environments = computed(() => list.rooms.value?.filter(isDetailed) ?? null)
/** The rooms whose source does not run: only the set-up can do something with them. */
export const inactiveRooms = computed(() => list.rooms.value?.filter((room) => !isDetailed(room)) ?? [])
export const environmentsFault = list.fault
export const loadEnvironments = list.load
export const refreshEnvironments = list.refresh
export const clearEnvironments = list.clear
/** The newest frame of each environment; replaced at most four times a second for text. */
export const newest = signal<ReadonlyMap<string, Received>>(new Map())

const rooms = new Map<string, Room>()
let isPublishing = false
const publishMs = 250

export const roomOf = (environmentId: string): Room => {
  const known = rooms.get(environmentId)
  if (known !== undefined) return known
  const room: Room = { environmentId, frames: [], samples: [], letters: new Map() }
  rooms.set(environmentId, room)
  return room
}

const publish = (): void => {
  isPublishing = false
  newest.value = new Map([...rooms].flatMap(([id, { frames }]) => frames.length === 0 ? [] : [[id, frames.at(-1)!]]))
}

const dropBefore = <A>(list: Array<A>, isOld: (one: A) => boolean): void => {
  const keep = list.findIndex((one) => !isOld(one))
  if (keep > 0) list.splice(0, keep)
}

/** Takes a frame in. One that is older than the newest one, after a reconnection, is dropped. */
export const frameReceived = (frame: Frame, receivedAtMs: number): void => {
  const { frames, samples } = roomOf(frame.environment_id)
  const eventMs = Date.parse(frame.timestamp)
  const last = frames.at(-1)
  if (last !== undefined && frame.data.frame_id <= last.frame.data.frame_id && eventMs <= last.eventMs) return
  frames.push({ frame, eventMs, receivedAtMs })
  const { metadata, persons } = frame.data
  samples.push({
    atMs: receivedAtMs,
    present: metadata.presence.present,
    motion: metadata.motion,
    persons: persons.length,
  })
  dropBefore(frames, (one) => one.receivedAtMs < receivedAtMs - trailMs)
  dropBefore(samples, (one) => one.atMs < receivedAtMs - stripMs)
  list.heard(frame.environment_id)
  if (isPublishing) return
  isPublishing = true
  setTimeout(publish, publishMs)
}

/** The name of a room; its id if the console does not know it. */
export const roomName = (environmentId: string): string =>
  environments.value?.find(({ environment_id }) => environment_id === environmentId)?.name ?? environmentId

/** The source of the rooms that are shown: one, or `mixed`. Null before the first frame. */
export const sourceShown = computed(() => {
  const shown = environments.value?.flatMap(({ environment_id }) => newest.value.get(environment_id) ?? []) ?? []
  const sources = new Set(shown.map(({ frame }) => frame.data.metadata.provenance.source))
  return sources.size === 0 ? null : sources.size === 1 ? [...sources][0]! : "mixed" as const
})
