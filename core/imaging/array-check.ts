/**
 * Array check: whether antennas and positions agree with the static paths of the links.
 *
 * On the direct path antenna a + 1 leads antenna a by pi cos(angle to the transmitter). The difference of the measured lead and this one
 * is the residual of a link. Over the links of a receiver the residuals of calibrated antennas lie around 0, those of uncalibrated ones
 * around an offset of each pair of antennas, which then calibrates them; those of a wrong geometry have no common value. Other paths add
 * about half a radian to a link.
 *
 * Boundary: `core/reduction` measures the leads; `array-watch.ts` applies the verdict to observations.
 */
import type { SiteGeometry, Vector3 } from "./geometry.ts"

/** The measured leads of a link; at least one. */
export interface Arrival {
  readonly receiver: string
  readonly transmitter: string
  /** By how much each antenna leads the one before it, radians. */
  readonly leadsRad: Float32Array
}

/** Verdict about a site. */
export interface ArrayVerdict {
  /** Nodes whose links contradict their position or the direction of their array, the worst first. */
  readonly misplaced: ReadonlyArray<string>
  /** Receivers whose antennas are not calibrated, with the offset of each pair; null if there are too few links to estimate it. */
  readonly uncalibrated: ReadonlyMap<string, ReadonlyArray<number> | null>
}

/** Mean cosine of the residuals from which on antennas count as calibrated. */
const calibratedMin = 0.5
/** Mean cosine of the residuals about common offsets, from which on these explain them: other paths do not. */
const offsetAgreementMin = 0.5
/** Minimum number of links to estimate a receiver's offsets: fewer residuals always have a common value. */
const offsetLinksMin = 3
/** Mean cosine of the residuals of a node's links, below which it is misplaced. */
const agreementMin = 0.36
/** Minimum number of nodes to identify the wrong one. */
const nodesMin = 3

interface Residual {
  readonly receiver: string
  readonly transmitter: string
  readonly rad: ReadonlyArray<number>
}

const expectedLead = (receiver: Vector3, axis: Vector3, transmitter: Vector3): number => {
  const way = transmitter.map((value, i) => value - receiver[i]!)
  const length = Math.max(1e-9, Math.hypot(...way))
  return (Math.PI * way.reduce((sum, value, i) => sum + value * axis[i]!, 0)) / length
}

const residualsOf = ({ nodes }: SiteGeometry, arrivals: ReadonlyArray<Arrival>): ReadonlyArray<Residual> => {
  const known = new Map(nodes.map((node) => [node.nodeId, node]))
  return arrivals.flatMap(({ leadsRad, receiver, transmitter }): ReadonlyArray<Residual> => {
    const to = known.get(receiver)
    const from = known.get(transmitter)
    if (to === undefined || from === undefined || to === from || leadsRad.length === 0) return []
    const expected = expectedLead(to.position, to.arrayAxis, from.position)
    return [{ receiver, transmitter, rad: Array.from(leadsRad, (lead) => lead - expected) }]
  })
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Mean cosine of the residuals of links about the offsets of their receiver. */
const agreement = (links: ReadonlyArray<Residual>, offsets: ReadonlyArray<number> | null): number =>
  mean(links.flatMap(({ rad }) => rad.map((value, pair) => Math.cos(value - (offsets?.[pair] ?? 0)))))

/** The offset of each pair of antennas that the links of a receiver have in common. */
const commonOffsets = (links: ReadonlyArray<Residual>): ReadonlyArray<number> =>
  links[0]!.rad.map((_, pair) =>
    Math.atan2(mean(links.map(({ rad }) => Math.sin(rad[pair]!))), mean(links.map(({ rad }) => Math.cos(rad[pair]!))))
  )

const grouped = <T>(items: ReadonlyArray<T>, keyOf: (item: T) => string): ReadonlyMap<string, ReadonlyArray<T>> => {
  const groups = new Map<string, Array<T>>()
  for (const item of items) groups.set(keyOf(item), [...groups.get(keyOf(item)) ?? [], item])
  return groups
}

/** Receivers whose residuals are not around 0, with their common offsets. Those of few links are judged together. */
const uncalibratedOf = (links: ReadonlyArray<Residual>): ArrayVerdict["uncalibrated"] => {
  const receivers = [...grouped(links, ({ receiver }) => receiver)]
  const few = receivers.filter(([, own]) => own.length < offsetLinksMin)
  const fewAgree = few.length === 0 || agreement(few.flatMap(([, own]) => own), null) >= calibratedMin
  return new Map(receivers.flatMap(([receiver, own]): ReadonlyArray<[string, ReadonlyArray<number> | null]> => {
    if (own.length < offsetLinksMin) return fewAgree ? [] : [[receiver, null]]
    if (agreement(own, null) >= calibratedMin) return []
    const offsets = commonOffsets(own)
    const fair = mean(own.map((link) => fairAgreement(link, own, offsets)))
    return fair < offsetAgreementMin ? [] : [[receiver, offsets]]
  }))
}

/**
 * The agreement of a link, less what fitted offsets take from any residuals: n random ones have a mean cosine of 0.89 / sqrt(n) about
 * their own mean.
 */
const fairAgreement = (
  link: Residual,
  links: ReadonlyArray<Residual>,
  offsets: ReadonlyArray<number> | null,
): number => {
  const value = agreement([link], offsets)
  if (offsets === null) return value
  const gift = 0.89 / Math.sqrt(links.filter(({ receiver }) => receiver === link.receiver).length)
  return (value - gift) / (1 - gift)
}

/** The node that agrees least with the others: its links in both directions; null if all agree. */
const leastAgreeing = (
  links: ReadonlyArray<Residual>,
  uncalibrated: ArrayVerdict["uncalibrated"],
): string | null => {
  let worst: string | null = null
  let least = agreementMin
  for (const node of new Set(links.flatMap(({ receiver, transmitter }) => [receiver, transmitter]))) {
    const own = links.filter(({ receiver, transmitter }) => receiver === node || transmitter === node)
    // Residuals of a receiver without known offsets are no evidence.
    const judged = own.filter(({ receiver }) => uncalibrated.get(receiver) !== null)
    if (judged.length < 2) continue
    const value = mean(judged.map((link) => fairAgreement(link, links, uncalibrated.get(link.receiver) ?? null)))
    if (value >= least) continue
    least = value
    worst = node
  }
  return worst
}

/** Judges the arrays of a site. Without contradiction `misplaced` and `uncalibrated` are empty. */
export const judgeArrays = (geometry: SiteGeometry, arrivals: ReadonlyArray<Arrival>): ArrayVerdict => {
  let links = residualsOf(geometry, arrivals)
  const misplaced: Array<string> = []
  for (;;) {
    const uncalibrated = uncalibratedOf(links)
    const worst = leastAgreeing(links, uncalibrated)
    if (worst === null) return { misplaced, uncalibrated }
    misplaced.push(worst)
    links = links.filter(({ receiver, transmitter }) => receiver !== worst && transmitter !== worst)
    const left = new Set(links.flatMap(({ receiver, transmitter }) => [receiver, transmitter]))
    // Too few nodes are left to contradict each other, so none of them is confirmed.
    if (left.size < nodesMin) return { misplaced: [...misplaced, ...left], uncalibrated: new Map() }
  }
}
