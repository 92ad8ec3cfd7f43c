/**
 * The scoreboard on real captures: presence, motion and breathing of this project beside a published detector.
 *
 * Each recording counts the same in the means, because lengths differ by far more than what they show. The motion's
 * area under the curve is pooled over the recordings of a link and averaged over the links.
 */
import { type BreathingFigures, breathingFigures } from "./breathing-figures.ts"
import { meanOfKnown } from "../../../core/math/mean.ts"
import type { Interval } from "../../../sim/evaluation/bootstrap.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import type { Capture } from "./captures.ts"
import { hasPresence, type Judged, type Learning, movingVarianceLearning, ownLearning } from "./detectors.ts"
import { meanInterval } from "./intervals.ts"
import { type FigureKey, figureKeys, type PresenceFigures, presenceFigures } from "./presence-figures.ts"
import { judgeHops, judgeSeconds, reduceCapture } from "./replay.ts"
import { surrogateNames, surrogateOf } from "./surrogates.ts"

export const learnings = ["nothing", "quietStart", "leaveRecordingOut", "leaveRoomOut"] as const

type LearningKey = typeof learnings[number]

interface DetectorBoard {
  readonly name: string
  /** Recordings with judged time. */
  readonly counts: Readonly<Record<LearningKey, number>>
  /** Means over the recordings. */
  readonly means: Readonly<Record<LearningKey, PresenceFigures>>
  /** 95 % intervals of the means; null with one recording, and for the area under the curve. */
  readonly intervals: Readonly<Record<LearningKey, Readonly<Record<FigureKey, Interval | null>>>>
  /** What the detector has learned in the figures of each recording. */
  readonly learned: LearningKey
  readonly recordings: ReadonlyArray<{ readonly name: string; readonly figures: PresenceFigures }>
}

export interface RecordingsBoard {
  readonly recordings: number
  readonly rooms: number
  readonly hours: number
  readonly detectors: ReadonlyArray<DetectorBoard>
  /** Means of this project's detector, nothing learned, on the captures as other receivers would have delivered them. */
  readonly surrogates: ReadonlyArray<{ readonly name: string; readonly figures: PresenceFigures }>
  readonly breathing: ReadonlyArray<BreathingFigures>
}

const byKey = (judged: Judged, keyOf: (capture: Capture) => string) =>
  [...Map.groupBy(judged, ({ capture }) => keyOf(capture))]
    .map(([name, of]) => ({ name, figures: presenceFigures(of.flatMap(({ hops }) => hops)) }))

const byName = (judged: Judged) => byKey(judged, ({ name }) => name)

const meansOf = (judged: Judged, recordings = byName(judged)): PresenceFigures => {
  const links = byKey(judged, ({ label }) => label.link).map(({ figures }) => figures)
  const mean = (key: keyof PresenceFigures) => meanOfKnown(recordings.map(({ figures }) => figures[key]))
  return {
    falsePresentPercent: mean("falsePresentPercent"),
    movingPresentPercent: mean("movingPresentPercent"),
    stillPresentPercent: mean("stillPresentPercent"),
    emptyCoveragePercent: mean("emptyCoveragePercent"),
    movingCoveragePercent: mean("movingCoveragePercent"),
    motionAuc: meanOfKnown(links.map(({ motionAuc }) => motionAuc)),
  }
}

/** The intervals of the means over recordings. The area under the curve is a mean over few links. */
const intervalsOf = (recordings: ReadonlyArray<{ readonly figures: PresenceFigures }>) => {
  const interval = (key: FigureKey): Interval | null =>
    key === "motionAuc" ? null : meanInterval(recordings.map(({ figures }) => figures[key]), createRandom(1, key))
  return Object.fromEntries(figureKeys.map((key) => [key, interval(key)])) as Record<FigureKey, Interval | null>
}

const surrogateBoards = (captures: ReadonlyArray<Capture>): RecordingsBoard["surrogates"] =>
  surrogateNames.map((name) => ({
    name,
    figures: meansOf(
      captures.filter(hasPresence).map((capture) => {
        const batches = surrogateOf(name, capture.name, capture.batches)
        return { capture, hops: judgeHops(reduceCapture({ ...capture, batches })) }
      }),
    ),
  }))

const ofEach = <T>(of: (key: LearningKey) => T): Record<LearningKey, T> =>
  Object.fromEntries(learnings.map((key) => [key, of(key)])) as Record<LearningKey, T>

const countOf = (judged: Judged): number =>
  new Set(judged.flatMap(({ capture, hops }) => hops.some(({ present }) => present !== null) ? [capture.name] : []))
    .size

const detectorBoard = (name: string, learning: Learning, learned: LearningKey): DetectorBoard => {
  const recordings = ofEach((key) => byName(learning[key]))
  return {
    name,
    counts: ofEach((key) => countOf(learning[key])),
    intervals: ofEach((key) => intervalsOf(recordings[key])),
    means: ofEach((key) => meansOf(learning[key], recordings[key])),
    learned,
    recordings: recordings[learned],
  }
}

const hopsPerHour = 36_000

/** Judges labelled captures. */
export const recordingsBoard = (captures: ReadonlyArray<Capture>): RecordingsBoard => {
  const own = ownLearning(captures)
  return {
    recordings: captures.length,
    rooms: new Set(captures.map(({ label }) => label.room)).size,
    hours: own.nothing.reduce((sum, { hops }) => sum + hops.length, 0) / hopsPerHour,
    detectors: [
      detectorBoard("wavepose", own, "nothing"),
      detectorBoard("MVS", movingVarianceLearning(captures), "quietStart"),
    ],
    surrogates: surrogateBoards(captures),
    breathing: captures.map((capture) => breathingFigures(capture, judgeSeconds(reduceCapture(capture)))),
  }
}
