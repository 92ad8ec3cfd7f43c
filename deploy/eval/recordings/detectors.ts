/**
 * The detectors of the scoreboard, and what each learns of a site.
 *
 * - Nothing learned: the detector as it is installed. MVS cannot answer then.
 * - Quiet start: recordings whose first 10 s are labelled empty, from there on. MVS calibrates on them, as it does when it starts.
 * - Leave one recording out: it calibrates on another recording of the same link, in which the room is empty from the start to the end.
 * - Leave one room out: its threshold is fitted to the recordings of the other rooms. A recording is left out where these have no empty or no
 *   moving time.
 */
import type { Capture } from "./captures.ts"
import type { RoomState } from "./labels.ts"
import { movingVariances, movingVarianceThreshold, type Variances } from "./moving-variance.ts"
import { type JudgedHop, judgeHops, reduceCalibrated, reduceCapture, type Reduced } from "./replay.ts"
import { type Moment, packetHopsOf, timelineOf } from "./timeline.ts"

/** The hops of each recording, by the recording; a recording may be judged several times. */
export type Judged = ReadonlyArray<{ readonly capture: Capture; readonly hops: ReadonlyArray<JudgedHop> }>

export interface Learning {
  readonly nothing: Judged
  readonly quietStart: Judged
  readonly leaveRecordingOut: Judged
  readonly leaveRoomOut: Judged
}

/** Whether the room is known to be empty in each hop with packets before the last one. */
const isEmpty = (capture: Capture): boolean => {
  const empty = new Set(timelineOf(capture).flatMap(({ hop, span }) => span.state === "empty" ? [hop] : []))
  return packetHopsOf(capture.batches).every((hop, i, hops) => empty.has(hop) || (i > 0 && i + 1 === hops.length))
}
export const hasPresence = ({ label }: Capture): boolean => label.spans.some(({ state }) => state !== "phantom")

/** For each recording, the empty recordings of the same link without itself. */
const calibrationsIn = (captures: ReadonlyArray<Capture>): (capture: Capture) => ReadonlyArray<Capture> => {
  const empty = captures.filter(isEmpty)
  return (capture) => empty.filter((other) => other !== capture && other.label.link === capture.label.link)
}

/** Hops at the start of a recording that MVS calibrates on. */
const startHops = 100

const startsEmpty = (timeline: ReadonlyArray<{ readonly hop: number; readonly state: RoomState }>): boolean => {
  const start = timeline.filter(({ hop }) => hop < startHops)
  return start.length === startHops && start.every(({ state }) => state === "empty")
}

/** What is said after a start in the empty room. */
const afterQuietStart = (judged: Judged): Judged =>
  judged.filter(({ hops }) => startsEmpty(hops)).map(({ capture, hops }) => ({
    capture,
    hops: hops.filter(({ hop }) => hop >= startHops),
  }))

/** Sum of the shares of wrong time, of empty and of moving time: what a threshold is fitted by. */
const errorOf = (judged: ReadonlyArray<ReadonlyArray<JudgedHop>>): number => {
  const hops = judged.flat()
  const share = (state: string, wrong: boolean | null): number => {
    const of = hops.filter((hop) => hop.state === state)
    return of.length === 0 ? 0 : of.filter(({ present }) => present === wrong).length / of.length
  }
  return share("empty", true) + share("moving", false)
}

/** For each recording whose other rooms have empty and moving time, the threshold of `candidates` that fits these best; of equals the middle one. */
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
    const best = candidates.filter((_, i) => errors[i] === Math.min(...errors))
    fitted.set(room, best[best.length >> 1]!)
  }
  return captures.flatMap((capture) => {
    const threshold = fitted.get(capture.label.room)
    return threshold === undefined ? [] : [{ capture, hops: cached(capture, threshold) }]
  })
}

/** Thresholds of the echo level that are tried, ascending. */
const entryCandidates = [-4, -3.75, -3.5, -3.25, -3, -2.75, -2.5, -2.25, -2]

/** The detector of this project. */
export const ownLearning = (all: ReadonlyArray<Capture>): Learning => {
  const captures = all.filter(hasPresence)
  const calibrationsOf = calibrationsIn(captures)
  const reduced = new Map<Capture, Reduced>(captures.map((capture) => [capture, reduceCapture(capture)]))
  const nothing = captures.map((capture) => ({ capture, hops: judgeHops(reduced.get(capture)!) }))
  return {
    nothing,
    quietStart: afterQuietStart(nothing),
    leaveRecordingOut: captures.flatMap((capture) =>
      calibrationsOf(capture).flatMap((other) => {
        const calibrated = reduceCalibrated(capture, other)
        return calibrated === null ? [] : [{ capture, hops: judgeHops(calibrated) }]
      })
    ),
    leaveRoomOut: fitToOtherRooms(
      captures,
      entryCandidates,
      (capture, entry) => judgeHops(reduced.get(capture)!, entry),
    ),
  }
}

/** Hops after the last variance in which MVS answers: 30 s, as long as this project's detector keeps a link that falls silent. */
const heldHops = 300
/** Quantiles of all variances that are tried as thresholds. */
const quantileSteps = 100

const judgeVariances = (
  timeline: ReadonlyArray<Moment>,
  variances: Variances,
  threshold: number | null,
): ReadonlyArray<JudgedHop> => {
  const known = [...variances].sort(([a], [b]) => a - b)
  let taken = 0
  return timeline.map(({ hop, span: { state } }) => {
    while (taken < known.length && known[taken]![0] <= hop) taken++
    const [lastHop, last] = known[taken - 1] ?? [-Infinity, 0]
    const motion = hop - lastHop < heldHops ? last : null
    return { hop, state, present: motion === null || threshold === null ? null : motion > threshold, motion }
  })
}

/** ESPectre's MVS. */
export const movingVarianceLearning = (all: ReadonlyArray<Capture>): Learning => {
  const captures = all.filter(hasPresence)
  const calibrationsOf = calibrationsIn(captures)
  const variances = new Map(captures.map((capture) => [capture, movingVariances(capture.batches)]))
  const sorted = [...variances.values()].flatMap((of) => [...of.values()]).sort((a, b) => a - b)
  const candidates = Array.from(
    { length: quantileSteps },
    (_, i) => sorted[Math.floor(i * sorted.length / quantileSteps)] ?? 0,
  )
  const judge = (capture: Capture, threshold: number | null) =>
    judgeVariances(timelineOf(capture), variances.get(capture)!, threshold)
  const started = captures.map((capture) => {
    const start = [...variances.get(capture)!].flatMap(([hop, variance]) => hop < startHops ? [variance] : [])
    return { capture, hops: judge(capture, movingVarianceThreshold(start)) }
  })
  return {
    nothing: [],
    quietStart: afterQuietStart(started),
    leaveRecordingOut: captures.flatMap((capture) =>
      calibrationsOf(capture).map((other) => ({
        capture,
        hops: judge(capture, movingVarianceThreshold(variances.get(other)!.values())),
      }))
    ),
    leaveRoomOut: fitToOtherRooms(captures, candidates, judge),
  }
}
