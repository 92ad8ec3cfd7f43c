/**
 * Empty baseline: the changes of the static responses of a site's links since their calibration.
 *
 * A calibrated reference stays as it is, because a person who keeps still must not become part of it. But doors, chairs and
 * receivers change, and every such change looks like a still person. So while presence is decided to be false with enough
 * confidence, the mean dynamic response of each link is learned, and later subtracted. The echoes of persons are not subtracted,
 * because nothing is learned while presence is true or unknown. Links whose response has hardly changed are not corrected.
 * A new calibration of a link starts its baseline anew.
 *
 * Limit: the change of a room while a person is in it is learned only after the person has left.
 */
import type { Presence } from "../vitals/presence.ts"
import type { LinkObservation, Observation } from "../observation/observation.ts"

/** Confidence of absence from which the room counts as empty. */
const confidenceMin = 0.75
/** Hops of an empty room before the mean is used, and the time constant of the mean: 5 s and 30 s. */
const hopsMin = 50
const hopsMax = 300
/** Power of the mean over that of the static response below which it is not subtracted: -30 dB. */
const powerMin = 1e-3

/** Maximum number of followed links. */
const linksMax = 1024

interface Learned {
  /** When the calibration ended that `mean` is relative to. */
  readonly calibratedAtUs: number
  readonly mean: Float32Array
  hops: number
  power: number
}

/** The learned baseline of a link. */
interface BaselineMemory extends Readonly<Learned> {
  readonly key: string
}

interface EmptyBaseline {
  /** What was learned, which another baseline continues from. */
  readonly memory: () => ReadonlyArray<BaselineMemory>

  /** The observations of a hop less the baselines of their links, which first take the hop if the room is empty. */
  readonly take: (observations: ReadonlyArray<Observation>, presence: Presence) => ReadonlyArray<Observation>
}

const learn = (learned: Learned, { dynamic }: LinkObservation): void => {
  const { mean } = learned
  const rows = dynamic.length / mean.length
  if (rows === 0) return
  learned.hops = Math.min(hopsMax, learned.hops + 1)
  let power = 0
  for (let v = 0; v < mean.length; v++) {
    let sum = 0
    for (let at = v; at < dynamic.length; at += mean.length) sum += dynamic[at]!
    mean[v]! += (sum / rows - mean[v]!) / learned.hops
    power += mean[v]! ** 2
  }
  learned.power = power / (mean.length / 2)
}

const without = (link: LinkObservation, { mean }: Learned): LinkObservation => ({
  ...link,
  dynamic: link.dynamic.map((value, i) => value - mean[i % mean.length]!),
})

/**
 * Learns the baselines of a site; memory is bounded by its links.
 *
 * @param before what an earlier one has learned
 */
export const createEmptyBaseline = (before: ReadonlyArray<BaselineMemory> = []): EmptyBaseline => {
  const known = new Map<string, Learned>(before.slice(0, linksMax).map(({ key, ...learned }) => [key, { ...learned }]))
  const learnedOf = (key: string, calibratedAtUs: number, values: number): Learned | null => {
    const found = known.get(key)
    if (found?.calibratedAtUs === calibratedAtUs && found.mean.length === values) return found
    if (found === undefined && known.size >= linksMax) return null
    const fresh = { calibratedAtUs, mean: new Float32Array(values), hops: 0, power: 0 }
    known.set(key, fresh)
    return fresh
  }
  return {
    memory: () => [...known].map(([key, learned]) => ({ key, ...learned })),
    take: (observations, { confidence, present }) => {
      const empty = present === false && confidence >= confidenceMin
      return observations.map((observation) => {
        const { links, receiveAntennas, routerId, tonesHz } = observation
        let changed = false
        const kept = links.map((link) => {
          if (link.calibratedAtUs === null) return link
          const learned = learnedOf(
            JSON.stringify([routerId, link.transmitterId]),
            link.calibratedAtUs,
            2 * receiveAntennas * tonesHz.length,
          )
          if (learned === null) return link
          if (empty) learn(learned, link)
          if (learned.hops < hopsMin || learned.power < powerMin) return link
          changed = true
          return without(link, learned)
        })
        return changed ? { ...observation, links: kept } : observation
      })
    },
  }
}
