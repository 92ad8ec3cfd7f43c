/**
 * Array watch: keeps links that contradict the geometry out of imaging, and calibrates antennas from the static paths.
 *
 * Owns the measured leads of a site's links and the current verdict. Boundary: the verdict itself is in `array-check.ts`. Memory is bounded
 * by the geometry.
 */
import type { LinkObservation, Observation } from "../observation/observation.ts"
import { type ArrayVerdict, type Arrival, judgeArrays } from "./array-check.ts"
import type { SiteGeometry } from "./geometry.ts"

/** Hops between two judgements: a static response changes slowly. */
const judgeHops = 50
/** A link that was silent for longer, 3 minutes, is no evidence: its node may have been repaired or removed. */
const silentHopsMax = 1800
/** If this share of the nodes or more contradicts the geometry, the agreement of the others may be chance. */
const misplacedShareMax = 0.24

/** The findings of the watch, as text for operators. */
export interface ArrayFinding {
  /** Why persons cannot be located; null while they can. */
  readonly stopped: string | null
  /** Ids of nodes that are left out, of receivers that are because their antennas cannot be calibrated, and of those calibrated here. */
  readonly misplaced: ReadonlyArray<string>
  readonly uncalibrated: ReadonlyArray<string>
  readonly selfCalibrated: ReadonlyArray<string>
}

export const noArrayFinding: ArrayFinding = { stopped: null, misplaced: [], uncalibrated: [], selfCalibrated: [] }

export interface ArrayWatch {
  /** The observations with links that fit the geometry, their antennas calibrated; ascending hops. */
  readonly take: (hop: number, observations: ReadonlyArray<Observation>) => ReadonlyArray<Observation>
  readonly finding: () => ArrayFinding
}

const listed = (ids: ReadonlyArray<string>): string => [...ids].sort().join(", ")

/** @param receivers ids of the receivers that are heard */
const findingOf = (
  { misplaced, uncalibrated }: ArrayVerdict,
  nodes: number,
  receivers: ReadonlySet<string>,
): ArrayFinding => {
  const unknown = [...uncalibrated].flatMap(([id, offsets]) => offsets === null ? [id] : [])
  const stopped = misplaced.length > misplacedShareMax * nodes
    ? `The links contradict the geometry, most of all at ${listed(misplaced)}: no person is located. ` +
      "Check the positions, the array directions and the ids of these nodes."
    : unknown.length > 0 && unknown.length === [...receivers].filter((id) => !misplaced.includes(id)).length
    ? `The antennas of ${
      listed(unknown)
    } are not calibrated in phase, or the nodes are misplaced: no person is located with them. ` +
      "Calibrate the antennas, or add nodes with known positions: a receiver with 3 or more calibrates itself."
    : null
  return {
    stopped,
    misplaced,
    uncalibrated: unknown.sort(),
    selfCalibrated: [...uncalibrated].flatMap(([id, offsets]) => offsets === null ? [] : [id]),
  }
}

/** The dynamic response with each antenna turned back by the sum of the offsets before it. */
const turnedBack = (link: LinkObservation, antennas: number, tones: number, offsets: ReadonlyArray<number>) => {
  const dynamic = link.dynamic.slice()
  const row = 2 * antennas * tones
  let rad = 0
  for (let a = 1; a < antennas; a++) {
    rad += offsets[a - 1] ?? 0
    const cos = Math.cos(rad)
    const sin = -Math.sin(rad)
    for (let at = 2 * a * tones; at < dynamic.length; at += row) {
      for (let i = at; i < at + 2 * tones; i += 2) {
        const re = dynamic[i]!
        dynamic[i] = re * cos - dynamic[i + 1]! * sin
        dynamic[i + 1] = re * sin + dynamic[i + 1]! * cos
      }
    }
  }
  return { ...link, dynamic }
}

/** An observation without links that the verdict leaves out; null if none is left. */
const fitting = (observation: Observation, { misplaced, uncalibrated }: ArrayVerdict): Observation | null => {
  const { receiveAntennas, routerId, tonesHz } = observation
  if (misplaced.includes(routerId)) return null
  const offsets = uncalibrated.get(routerId)
  if (offsets === null) return null
  const links = misplaced.length === 0
    ? observation.links
    : observation.links.filter(({ transmitterId }) => !misplaced.includes(transmitterId))
  if (offsets === undefined) return links === observation.links ? observation : { ...observation, links }
  return { ...observation, links: links.map((link) => turnedBack(link, receiveAntennas, tonesHz.length, offsets)) }
}

/** Watches the arrays of a site. */
export const createArrayWatch = (geometry: SiteGeometry): ArrayWatch => {
  const placed = new Set(geometry.nodes.map(({ nodeId }) => nodeId))
  const arrivals = new Map<string, Arrival & { readonly hop: number }>()
  let verdict: ArrayVerdict = { misplaced: [], uncalibrated: new Map() }
  let finding = noArrayFinding
  let judgedHop = -Infinity
  let known = 0

  const judge = (hop: number): void => {
    judgedHop = hop
    for (const [link, arrival] of arrivals) if (hop - arrival.hop > silentHopsMax) arrivals.delete(link)
    known = arrivals.size
    verdict = judgeArrays(geometry, [...arrivals.values()])
    const receivers = new Set([...arrivals.values()].map(({ receiver }) => receiver))
    finding = findingOf(verdict, placed.size, receivers)
  }
  const take: ArrayWatch["take"] = (hop, observations) => {
    for (const { links, routerId } of observations) {
      if (!placed.has(routerId)) continue
      for (const { leadsRad, transmitterId } of links) {
        if (leadsRad.length === 0 || !placed.has(transmitterId)) continue
        arrivals.set(JSON.stringify([routerId, transmitterId]), {
          receiver: routerId,
          transmitter: transmitterId,
          leadsRad,
          hop,
        })
      }
    }
    if (arrivals.size !== known || hop - judgedHop >= judgeHops) judge(hop)
    if (finding.stopped !== null) return []
    if (verdict.misplaced.length === 0 && verdict.uncalibrated.size === 0) return observations
    return observations.flatMap((observation) => fitting(observation, verdict) ?? [])
  }
  return { take, finding: () => finding }
}
