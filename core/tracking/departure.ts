/**
 * Departure: whether everybody who was tracked in a room has walked out of it.
 *
 * Then a room without motion is empty; otherwise a person who is not seen any more may keep still. After a track has ended in the room, it is
 * not known whether its person is still there, until the room is found empty.
 */
import type { Leaving } from "./leaving.ts"

export interface Departure {
  /** Whether a person has left, and whether the track of another one has ended in the room, since the room was last found empty. */
  readonly someoneLeft: boolean
  readonly someoneVanished: boolean
}

export const noDeparture: Departure = { someoneLeft: false, someoneVanished: false }
/** After a silence it is not known who has stayed or come, until the room is found empty. */
export const silencedDeparture: Departure = { someoneLeft: false, someoneVanished: true }

/** The confirmed tracks of a hop. */
interface HopTracks {
  /** Those that have ended in this hop. */
  readonly ended: ReadonlyArray<{ readonly leaving: Leaving }>
  /** Those that are followed, also if they are lost for a moment. */
  readonly current: ReadonlyArray<{ readonly leaving: Leaving }>
  /** Whether the room was found empty. */
  readonly empty: boolean
}

const hasLeft = ({ leaving }: { readonly leaving: Leaving }): boolean => leaving === "left"

export const departureAfter = (before: Departure, { current, empty, ended }: HopTracks): Departure => {
  const { someoneLeft, someoneVanished } = empty ? noDeparture : before
  return {
    someoneLeft: someoneLeft || current.some(hasLeft) || ended.some(hasLeft),
    someoneVanished: someoneVanished || !ended.every(hasLeft),
  }
}

/** @param current the confirmed tracks that are followed */
export const hasEveryoneLeft = (
  { someoneLeft, someoneVanished }: Departure,
  current: HopTracks["current"],
): boolean => someoneLeft && !someoneVanished && current.every(hasLeft)
