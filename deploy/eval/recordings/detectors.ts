/**
 * The detectors of the scoreboard, and what each learns of a site.
 *
 * - Nothing learned: the detector as it is installed. MVS calibrates on the first 10 s, as it does when it starts.
 * - Leave one recording out: it calibrates on another recording of the same link, in which the room is empty from the start to the end.
 * - Leave one room out: its threshold is fitted to the recordings of the other rooms. A recording is left out where these have no empty or no
 *   moving time.
 */
import type { Capture } from "./captures.ts"
import { movingVariances, movingVarianceThreshold, type Variances } from "./moving-variance.ts"
import { type JudgedHop, judgeHops, lastHopOf, reduceCapture, type Reduced, stateAt } from "./replay.ts"

/** The hops of each recording, by the recording; a recording may be judged several times. */
export type Judged = ReadonlyArray<{ readonly capture: Capture; readonly hops: ReadonlyArray<JudgedHop> }>

export interface Learning {
  readonly nothing: Judged
  readonly leaveRecordingOut: Judged
  readonly leaveRoomOut: Judged
}

/** Whether the room is known to be empty in each hop before the one with the last packet. */
const isEmpty = (capture: Capture): boolean => {
  const hops = Math.max(1, lastHopOf(capture))
  for (let hop = 0; hop < hops; hop++) if (stateAt(capture, hop) !== "empty") return false
  return true
}
export const hasPresence = ({ label }: Capture): boolean => label.spans.some(({ state }) => state !== "phantom")

/** Empty recordings of the same link as `capture`, without itself. */
const calibrationsOf = (capture: Capture, all: ReadonlyArray<Capture>): ReadonlyArray<Capture> =>
  all.filter((other) => other !== capture && other.label.link === capture.label.link && isEmpty(other))

/** Sum of the shares of wrong time, of empty and of moving time: what a threshold is fitted by. */
const errorOf = (judged: ReadonlyArray<ReadonlyArray<JudgedHop>>): number => {
  const hops = judged.flat()
  const share = (state: string, wrong: boolean | null): number => {
    const of = hops.filter((hop) => hop.state === state)
    return of.length === 0 ? 0 : of.filter(({ present }) => present === wrong).length / of.length
  }
  return share("empty", true) + share("moving", false)
}

/** For each recording whose other rooms have empty and moving time, the threshold of `candidates` that fits these best; the first of equals. */
const fitToOtherRooms = (
  captures: ReadonlyArray<Capture>,
  candidates: ReadonlyArray<number>,
  judge: (capture: Capture, threshold: number) => ReadonlyArray<JudgedHop>,
): Judged => {
  const known = new Map<string, ReadonlyArray<JudgedHop>>()
  const cached = (capture: Capture, threshold: number) => {
    const key = `${threshold} ${capture.name}`
    if (!known.has(key)) known.set(key, judge(capture, threshold))
    return known.get(key)!
  }
  const fitted = new Map<string, number>()
  for (const room of new Set(captures.map(({ label }) => label.room))) {
    const others = captures.filter(({ label }) => label.room !== room)
    const states = new Set(others.flatMap(({ label }) => label.spans.map(({ state }) => state)))
    if (!states.has("empty") || !states.has("moving")) continue
    const errors = candidates.map((threshold) => errorOf(others.map((other) => cached(other, threshold))))
    fitted.set(room, candidates[errors.indexOf(Math.min(...errors))]!)
  }
  return captures.flatMap((capture) => {
    const threshold = fitted.get(capture.label.room)
    return threshold === undefined ? [] : [{ capture, hops: cached(capture, threshold) }]
  })
}

/** Thresholds of the echo level that are tried, the installed one first. */
const entryCandidates = [-3, -2.75, -3.25, -2.5, -3.5, -2.25, -3.75, -2, -4]

/** The detector of this project. */
export const ownLearning = (all: ReadonlyArray<Capture>): Learning => {
  const captures = all.filter(hasPresence)
  const reduced = new Map<Capture, Reduced>(captures.map((capture) => [capture, reduceCapture(capture, null)]))
  return {
    nothing: captures.map((capture) => ({ capture, hops: judgeHops(reduced.get(capture)!) })),
    leaveRecordingOut: captures.flatMap((capture) =>
      calibrationsOf(capture, captures).map((other) => ({ capture, hops: judgeHops(reduceCapture(capture, other)) }))
    ),
    leaveRoomOut: fitToOtherRooms(
      captures,
      entryCandidates,
      (capture, entry) => judgeHops(reduced.get(capture)!, entry),
    ),
  }
}

/** Hops at the start that MVS calibrates on. */
const bootHops = 100
/** Quantiles of all variances that are tried as thresholds. */
const quantileSteps = 100

const judgeVariances = (
  capture: Capture,
  variances: Variances,
  threshold: number | null,
  fromHop = 0,
): ReadonlyArray<JudgedHop> => {
  const last = variances.keys().reduce((newest, hop) => Math.max(newest, hop), 0)
  const hops: Array<JudgedHop> = []
  let variance: number | null = null
  for (let hop = 0; hop <= last; hop++) {
    variance = variances.get(hop) ?? variance
    const state = stateAt(capture, hop)
    if (state === null) continue
    const present = variance === null || threshold === null || hop < fromHop ? null : variance > threshold
    hops.push({ hop, state, present, motion: variance })
  }
  return hops
}

/** ESPectre's MVS. */
export const movingVarianceLearning = (all: ReadonlyArray<Capture>): Learning => {
  const captures = all.filter(hasPresence)
  const variances = new Map(captures.map((capture) => [capture, movingVariances(capture.batches)]))
  const sorted = [...variances.values()].flatMap((of) => [...of.values()]).sort((a, b) => a - b)
  const candidates = Array.from(
    { length: quantileSteps },
    (_, i) => sorted[Math.floor(i * sorted.length / quantileSteps)] ?? 0,
  )
  const bootThreshold = (of: Variances) =>
    movingVarianceThreshold([...of].flatMap(([hop, variance]) => hop < bootHops ? [variance] : []))
  return {
    nothing: captures.map((capture) => {
      const of = variances.get(capture)!
      return { capture, hops: judgeVariances(capture, of, bootThreshold(of), bootHops) }
    }),
    leaveRecordingOut: captures.flatMap((capture) =>
      calibrationsOf(capture, captures).map((other) => ({
        capture,
        hops: judgeVariances(
          capture,
          variances.get(capture)!,
          movingVarianceThreshold(variances.get(other)!.values()),
        ),
      }))
    ),
    leaveRoomOut: fitToOtherRooms(
      captures,
      candidates,
      (capture, threshold) => judgeVariances(capture, variances.get(capture)!, threshold),
    ),
  }
}
