/**
 * Identities: the persons and tracks of a sequence as rows and columns of a table, and the number of hops of each.
 */
import type { HopRecord } from "./record.ts"

export interface Identities {
  /** Row of a person, column of a track. */
  readonly people: ReadonlyMap<number, number>
  readonly tracks: ReadonlyMap<number, number>
  readonly personHops: Float64Array
  readonly trackHops: Float64Array
  /** Index of a person and a track in a table of [person][track]. */
  readonly cell: (personId: number, trackId: number) => number
}

const indexOf = (ids: Iterable<number>): ReadonlyMap<number, number> =>
  new Map([...new Set(ids)].map((id, index) => [id, index]))

export const identitiesOf = (hops: ReadonlyArray<HopRecord>): Identities => {
  const people = indexOf(hops.flatMap(({ truth }) => truth.map(({ id }) => id)))
  const tracks = indexOf(hops.flatMap(({ estimate }) => estimate.persons.map(({ id }) => id)))
  const personHops = new Float64Array(people.size)
  const trackHops = new Float64Array(tracks.size)
  for (const { estimate, truth } of hops) {
    for (const { id } of truth) personHops[people.get(id)!]!++
    for (const { id } of estimate.persons) trackHops[tracks.get(id)!]!++
  }
  const cell: Identities["cell"] = (personId, trackId) => people.get(personId)! * tracks.size + tracks.get(trackId)!
  return { people, tracks, personHops, trackHops, cell }
}
