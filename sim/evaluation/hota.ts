/**
 * HOTA: detection and association in one score (Luiten et al. 2021), on the floor plan.
 *
 * The similarity of a person and a track is max(0, 1 - d / 1 m), d the distance of their pelvises; HOTA is the mean over the
 * thresholds 0.05 to 0.95 of sqrt(detection accuracy x association accuracy).
 */
import { type Figure, noPersons, ratio } from "./figure.ts"
import { type Identities, identitiesOf } from "./identities.ts"
import { bestPairs } from "./matching.ts"
import { floorDistanceM, type HopRecord, type SequenceRecord } from "./record.ts"

const similarityRangeM = 1
const thresholds = Array.from({ length: 19 }, (_, i) => 0.05 * (i + 1))
/** Tolerance for a similarity that equals a threshold in decimals but not in binary. */
const rounding = 1e-9

export interface HotaTally {
  /** [threshold][matched, missed, false, sum over the matched of the association's Jaccard index] */
  readonly hota: Float64Array
}

export const emptyHotaTally = (): HotaTally => ({ hota: new Float64Array(4 * thresholds.length) })

/** Similarity of each person and track of a hop, [person][track]. */
const similaritiesOf = ({ estimate, truth }: HopRecord): Float64Array => {
  const { length } = estimate.persons
  return Float64Array.from({ length: truth.length * length }, (_, at) => {
    const person = truth[Math.floor(at / length)]!
    const distanceM = floorDistanceM(person.keypoints, estimate.persons[at % length]!.keypoints)
    return Math.max(0, 1 - distanceM / similarityRangeM)
  })
}

/** Shared hops over the hops in which either is present; `shared` is a table of [person][track]. */
const jaccardOf = ({ personHops, trackHops, tracks }: Identities, shared: Float64Array): Float64Array =>
  shared.map((matched, at) => {
    const person = Math.floor(at / tracks.size)
    return matched / (personHops[person]! + trackHops[at % tracks.size]! - matched)
  })

/** Alignment of each person and track over the whole sequence, [person][track]. */
const alignmentOf = (
  hops: ReadonlyArray<HopRecord>,
  ids: Identities,
  similarities: ReadonlyArray<Float64Array>,
): Float64Array => {
  const shared = new Float64Array(ids.people.size * ids.tracks.size)
  for (const [h, { estimate: { persons }, truth }] of hops.entries()) {
    const at = (p: number, t: number): number => similarities[h]![p * persons.length + t]!
    const ofPerson = truth.map((_, p) => persons.reduce((sum, _, t) => sum + at(p, t), 0))
    const ofTrack = persons.map((_, t) => truth.reduce((sum, _, p) => sum + at(p, t), 0))
    for (const [p, person] of truth.entries()) {
      for (const [t, track] of persons.entries()) {
        const similarity = at(p, t)
        if (similarity <= 0) continue
        shared[ids.cell(person.id, track.id)]! += similarity / (ofPerson[p]! + ofTrack[t]! - similarity)
      }
    }
  }
  return jaccardOf(ids, shared)
}

/** Counts a whole sequence. */
export const addHota = ({ hota }: HotaTally, { hops }: SequenceRecord): void => {
  const ids = identitiesOf(hops)
  const similarities = hops.map(similaritiesOf)
  const alignment = alignmentOf(hops, ids, similarities)
  /** Hops in which a person and a track are matched, [threshold][person][track]. */
  const together = thresholds.map(() => new Float64Array(alignment.length))
  for (const [h, { estimate: { persons }, truth }] of hops.entries()) {
    const similarity = (p: number, t: number): number => similarities[h]![p * persons.length + t]!
    const cell = (p: number, t: number): number => ids.cell(truth[p]!.id, persons[t]!.id)
    const pairs = bestPairs(truth.length, persons.length, (p, t) => alignment[cell(p, t)]! * similarity(p, t))
    for (const [a, threshold] of thresholds.entries()) {
      let matched = 0
      for (const [p, t] of pairs.entries()) {
        if (t < 0 || similarity(p, t) < threshold - rounding) continue
        matched++
        together[a]![cell(p, t)]!++
      }
      hota[4 * a]! += matched
      hota[4 * a + 1]! += truth.length - matched
      hota[4 * a + 2]! += persons.length - matched
    }
  }
  for (const [a, table] of together.entries()) {
    const jaccard = jaccardOf(ids, table)
    for (const [at, matched] of table.entries()) hota[4 * a + 3]! += matched * jaccard[at]!
  }
}

export const hotaFigures = ({ hota }: HotaTally): Readonly<Record<string, Figure>> => {
  let persons = 0
  let sum = 0
  for (let a = 0; a < thresholds.length; a++) {
    const [matched, missed, wrong, association] = hota.subarray(4 * a, 4 * a + 4)
    persons = matched! + missed!
    if (matched! > 0) sum += Math.sqrt(matched! / (persons + wrong!) * association! / matched!)
  }
  return { hota: ratio(sum, persons > 0 ? thresholds.length : 0, noPersons) }
}
