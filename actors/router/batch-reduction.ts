/**
 * The reduction of a router's batches: observations for the environment, readings for the edge node, and the position in the stream.
 *
 * Pure except for its own state; time is an argument. Boundary: `core/reduction` processes the signal.
 *
 * Invariant: a batch that arrives twice is reduced once. A batch whose reduction throws is not marked as taken.
 */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { hopOf, hopUs, type Observation } from "../../core/observation/observation.ts"
import { shedAfterMs } from "../../core/pace/effort.ts"
import { createUsualDelay } from "../../core/pace/usual-delay.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { createSourceClock } from "../../core/signal/source-clock.ts"
import { type Counters, since } from "./dropped-frames.ts"
import { createNodeReadings, type DraftReading } from "./node-readings.ts"

/** Readings that wait for one flush: those of a batch of many hops. */
const draftsMax = 100

/** The observations that a step completed, and the frames that it dropped. */
interface Reduced {
  readonly observations: ReadonlyArray<Observation>
  readonly dropped: Counters
}

/** Reduces the batches of one router. */
export class BatchReduction {
  readonly reducer: Reducer
  readonly #readings = createNodeReadings()
  readonly #clock = createSourceClock()
  readonly #usual = createUsualDelay()
  #drafts: ReadonlyArray<DraftReading> = []
  #latest: Observation | null = null
  /** Hops of batches that were left out since the last observation. */
  readonly #shedHops = new Set<number>()
  /** The end of the stream so far: a client that resumes may send a batch again. */
  #taken = { batchSequence: -1, untilUs: -Infinity }

  constructor(routerId: string) {
    this.reducer = new Reducer(routerId)
  }

  /** The newest observation; null before the first. */
  get latest(): Observation | null {
    return this.#latest
  }

  /** By how much the router's clock is behind the service's, milliseconds. */
  get clockOffsetMs(): number {
    return this.#clock.offsetMs()
  }

  /** Event time of the newest packet, milliseconds since the Unix epoch; null before the first. */
  get lastEventMs(): number | null {
    return this.#taken.untilUs < 0 ? null : this.#taken.untilUs / 1000
  }

  /** Whether this batch was taken before. */
  isTaken({ batchSequence, timestampsUs }: CsiBatch): boolean {
    const { batchSequence: takenSequence, untilUs } = this.#taken
    return batchSequence <= takenSequence && (timestampsUs.at(-1) ?? untilUs) <= untilUs
  }

  /**
   * Whether a batch is too old to be reduced: a newer hop waits whole. The hop before that of the newest packet is never too old, because the
   * newest packet completes it. A replay has no pace, so none of it is.
   */
  isOvertaken({ source, timestampsUs }: CsiBatch, newest: CsiBatch, nowMs: number): boolean {
    const eventUs = timestampsUs.at(-1)
    if (source === "replay" || eventUs === undefined) return false
    const ageMs = this.#usual.beyond(nowMs - eventUs / 1000 - this.#clock.offsetMs(), nowMs)
    return hopOf(eventUs) < hopOf(newest.timestampsUs.at(-1) ?? 0) - 1 && ageMs > shedAfterMs
  }

  /** Leaves a batch out, which was overtaken. The next observation says which hops were left out whole. */
  leaveOut({ timestampsUs }: CsiBatch): void {
    for (const timestampUs of timestampsUs) this.#shedHops.add(hopOf(timestampUs))
  }

  /** Reduces a batch that arrived at this time. */
  reduce(batch: CsiBatch, arrivedMs: number): Reduced {
    const before = this.reducer.counters
    const observations = this.#withShed(this.reducer.push(batch))
    const eventUs = batch.timestampsUs.at(-1)
    if (eventUs !== undefined) this.#clock.observe(batch.source, eventUs / 1000, arrivedMs)
    this.#complete(observations)
    this.#taken = { batchSequence: batch.batchSequence, untilUs: eventUs ?? this.#taken.untilUs }
    return { observations, dropped: since(before, this.reducer.counters) }
  }

  /** Ends the hop of the newest packet, which no later packet ends. */
  endLastHop(): ReadonlyArray<Observation> {
    if (this.#taken.untilUs < 0) return []
    const observations = this.reducer.flush((hopOf(this.#taken.untilUs) + 1) * hopUs)
    this.#complete(observations)
    return observations
  }

  /** Hands out the readings since the last call. */
  takeDrafts(): ReadonlyArray<DraftReading> {
    const drafts = this.#drafts
    this.#drafts = []
    return drafts
  }

  #withShed(observations: ReadonlyArray<Observation>): ReadonlyArray<Observation> {
    const [first, ...later] = observations
    if (first === undefined || this.#shedHops.size === 0) return observations
    for (const { hop } of observations) this.#shedHops.delete(hop)
    const shedBefore = this.#shedHops.size
    this.#shedHops.clear()
    return shedBefore === 0 ? observations : [{ ...first, shedBefore }, ...later]
  }

  #complete(observations: ReadonlyArray<Observation>): void {
    const kind = this.reducer.layout?.format ?? "unknown"
    const clockOffsetMs = this.#clock.offsetMs()
    const drafts = observations.map((one) => ({ ...this.#readings.of(one, kind), clockOffsetMs }))
    this.#drafts = [...this.#drafts, ...drafts].slice(-draftsMax)
    this.#latest = observations.at(-1) ?? this.#latest
  }
}
