/** What a plan or a stage draws at a moment: persons, their trails and their letters. Pure. */
import { personsAt, type ShownPerson } from "./playback.ts"
import type { Received } from "./room.ts"

/** How much of the way of a person before the moment is drawn. */
export const trailMs = 10_000

interface Place {
  readonly x: number
  readonly y: number
}

interface Scene {
  readonly persons: ReadonlyArray<ShownPerson>
  /** The places of a person in the last seconds, oldest first, metres. */
  readonly trailOf: (id: number) => ReadonlyArray<Place>
  /** The letter of each person, by id. Drawings add those that they name first. */
  readonly letters: Map<number, string>
  /** Late frames are drawn grey. */
  readonly isGrey: boolean
}

/** The scene at a time of the page's monotonic clock; null: nothing is drawn. */
export type SceneAt = (nowMs: number) => Scene | null

/** The scene of `frames`, in order of time, at `eventMs`. */
export const sceneOf = (
  { eventMs, frames, isGrey, letters }: {
    readonly frames: ReadonlyArray<Received>
    readonly letters: Map<number, string>
    readonly eventMs: number
    readonly isGrey: boolean
  },
): Scene => ({
  persons: personsAt(frames, eventMs),
  trailOf: (id) =>
    frames.filter((one) => one.eventMs > eventMs - trailMs && one.eventMs <= eventMs)
      .flatMap(({ frame }) => frame.data.persons.filter((person) => person.id === id).map(({ location }) => location)),
  letters,
  isGrey,
})
