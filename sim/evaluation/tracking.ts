/**
 * Tracking: whether every person has exactly one constant track at its position.
 *
 * Owns MOTA (Bernardin and Stiefelhagen 2008) and IDF1 (Ristani et al. 2016) with a gate of 0.5 m between the pelvises on the
 * floor plan. Boundary: HOTA, which has no gate, is in `hota.ts`.
 */
import { type Figure, noPersons, ratio } from "./figure.ts"
import { identitiesOf } from "./identities.ts"
import { bestPairs, matchPersons } from "./matching.ts"
import { floorDistanceM, type HopRecord, type SequenceRecord } from "./record.ts"

const gateM = 0.5

export interface TrackingTally {
  /** [true persons, missed, false, switches of identity], over all hops */
  readonly clear: Float64Array
  /** [hops of persons with their best track, hops of persons, hops of tracks] */
  readonly identity: Float64Array
}

export const emptyTrackingTally = (): TrackingTally => ({ clear: new Float64Array(4), identity: new Float64Array(3) })

/** The track of each person of a hop; matches of the previous hop continue while within the gate. */
const continueMatches = (
  { estimate: { persons }, truth }: HopRecord,
  before: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> => {
  const matches = new Map<number, number>()
  for (const person of truth) {
    const track = persons.find(({ id }) => id === before.get(person.id))
    if (track !== undefined && floorDistanceM(person.keypoints, track.keypoints) <= gateM) {
      matches.set(person.id, track.id)
    }
  }
  const taken = new Set(matches.values())
  const openTruth = truth.filter(({ id }) => !matches.has(id))
  const openTracks = persons.filter(({ id }) => !taken.has(id))
  for (const [i, at] of matchPersons(openTruth, openTracks, gateM).entries()) {
    if (at >= 0) matches.set(openTruth[i]!.id, openTracks[at]!.id)
  }
  return matches
}

const addClear = (clear: Float64Array, hops: ReadonlyArray<HopRecord>): void => {
  let before: ReadonlyMap<number, number> = new Map()
  const lastTrack = new Map<number, number>()
  for (const hop of hops) {
    const matches = continueMatches(hop, before)
    clear[0]! += hop.truth.length
    clear[1]! += hop.truth.length - matches.size
    clear[2]! += hop.estimate.persons.length - matches.size
    for (const [person, track] of matches) {
      if (lastTrack.has(person) && lastTrack.get(person) !== track) clear[3]!++
      lastTrack.set(person, track)
    }
    before = matches
  }
}

const addIdentity = (identity: Float64Array, hops: ReadonlyArray<HopRecord>): void => {
  const { cell, people, tracks } = identitiesOf(hops)
  const together = new Float64Array(people.size * tracks.size)
  for (const { estimate: { persons }, truth } of hops) {
    identity[1]! += truth.length
    identity[2]! += persons.length
    for (const person of truth) {
      for (const track of persons) {
        if (floorDistanceM(person.keypoints, track.keypoints) <= gateM) together[cell(person.id, track.id)]!++
      }
    }
  }
  const worth = (person: number, track: number): number => together[person * tracks.size + track]!
  for (const [person, track] of bestPairs(people.size, tracks.size, worth).entries()) {
    if (track >= 0) identity[0]! += worth(person, track)
  }
}

/** Counts a whole sequence. */
export const addTracking = (tally: TrackingTally, { hops }: SequenceRecord): void => {
  addClear(tally.clear, hops)
  addIdentity(tally.identity, hops)
}

export const trackingFigures = ({ clear, identity }: TrackingTally): Readonly<Record<string, Figure>> => {
  const persons = clear[0]!
  return {
    mota: ratio(persons - clear[1]! - clear[2]! - clear[3]!, persons, noPersons),
    idf1: ratio(2 * identity[0]!, persons > 0 ? identity[1]! + identity[2]! : 0, noPersons),
  }
}
