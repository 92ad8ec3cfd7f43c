/**
 * The reduction of a router's batches: observations for the environment, readings for the edge node, and the position in the stream.
 *
 * Pure except for its own state; time is an argument. Boundary: `core/reduction` processes the signal.
 *
 * Invariant: a batch that arrives twice is reduced once. A batch whose reduction throws is not marked as taken. One that arrives after a later
 * one for the first time was not taken: its frames are late.
 */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { hopOf, hopUs, type Observation, shedHopsMax } from "../../core/observation/observation.ts"
import { shedAfterMs } from "../../core/pace/effort.ts"
import { createUsualDelay } from "../../core/pace/usual-delay.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { createSourceClock } from "../../core/signal/source-clock.ts"
import { type Counters, since } from "./dropped-frames.ts"
import { createNodeReadings, type DraftReading } from "./node-readings.ts"

/** Readings that wait for one flush: those of a batch of many hops. */
const draftsMax = 100

/** Batches that are recognised when they arrive again: more than a sender has in flight. */
const rememberedMax = 256

const identityOf = ({ batchSequence, timestampsUs }: CsiBatch): string => `${batchSequence} ${timestampsUs.at(-1)}`

/** The observations that a step completed, and the frames that it dropped. */
interface Reduced {
  readonly observations: ReadonlyArray<Observation>
  readonly dropped: Counters
}

const isSoonAfter = (hop: number, lastHop: number): boolean => hop > lastHop && hop <= lastHop + shedHopsMax

/** Reduces the batches of one router. */
export class BatchReduction {
  readonly reducer: Reducer
  readonly #readings = createNodeReadings()
  readonly #clock = createSourceClock()
  readonly #usual = createUsualDelay()
  #drafts: ReadonlyArray<DraftReading> = []
  #latest: Observation | null = null
  /** Hops of batches that were left out: those after the last observation, up to `shedHopsMax` after it. */
  readonly #shedHops = new Set<number>()
  /** The newest batches, in order of arrival: a client that resumes may send a batch again. */
  readonly #taken = new Set<string>()
  /** Event time of the newest packet; a late one changes nothing. */
  #untilUs = -Infinity

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

  /** The least time from an event to its arrival that its clock shows, milliseconds; null before the first packet. */
  get clockLagMs(): number | null {
    return this.#clock.lagMs()
  }

  /** Event time of the newest packet, milliseconds since the Unix epoch; null before the first. */
  get lastEventMs(): number | null {
    return this.#untilUs < 0 ? null : this.#untilUs / 1000
  }

  /** Whether this batch was taken before. */
  isTaken(batch: CsiBatch): boolean {
    return this.#taken.has(identityOf(batch))
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

  /** Leaves a batch out, which was overtaken. The next observation of a later hop names the hops that were left out whole. */
  leaveOut({ timestampsUs }: CsiBatch): void {
    const lastHop = this.#latest?.hop ?? hopOf(this.#untilUs) - 1
    for (const timestampUs of timestampsUs) {
      const hop = hopOf(timestampUs)
      if (isSoonAfter(hop, lastHop)) this.#shedHops.add(hop)
    }
  }

  /** Reduces a batch that arrived at this time. */
  reduce(batch: CsiBatch, arrivedMs: number): Reduced {
    const before = this.reducer.counters
    const completed = this.reducer.push(batch)
    const dropped = since(before, this.reducer.counters)
    this.#remember(batch)
    const eventUs = batch.timestampsUs.at(-1)
    if (eventUs !== undefined && dropped.late < batch.frameCount) {
      this.#clock.observe(batch.source, eventUs / 1000, arrivedMs)
      this.#untilUs = eventUs
    }
    return { observations: this.#complete(completed), dropped }
  }

  /** Ends the hop of the newest packet, which no later packet ends. */
  endLastHop(): ReadonlyArray<Observation> {
    if (this.#untilUs < 0) return []
    return this.#complete(this.reducer.flush((hopOf(this.#untilUs) + 1) * hopUs))
  }

  /** Hands out the readings since the last call. */
  takeDrafts(): ReadonlyArray<DraftReading> {
    const drafts = this.#drafts
    this.#drafts = []
    return drafts
  }

  /** The observation with the hops before it that were left out. */
  #withShed(observation: Observation): Observation {
    if (this.#shedHops.size === 0) return observation
    const shedHops = [...this.#shedHops].filter((hop) => hop < observation.hop).sort((a, b) => a - b)
    for (const hop of this.#shedHops) if (!isSoonAfter(hop, observation.hop)) this.#shedHops.delete(hop)
    return shedHops.length === 0 ? observation : { ...observation, shedHops }
  }

  #remember(batch: CsiBatch): void {
    this.#taken.add(identityOf(batch))
    if (this.#taken.size > rememberedMax) this.#taken.delete(this.#taken.values().next().value!)
  }

  #complete(completed: ReadonlyArray<Observation>): ReadonlyArray<Observation> {
    const observations = completed.map((observation) => this.#withShed(observation))
    const kind = this.reducer.layout?.format ?? "unknown"
    const clockOffsetMs = this.#clock.offsetMs()
    const drafts = observations.map((one) => ({ ...this.#readings.of(one, kind), clockOffsetMs }))
    this.#drafts = [...this.#drafts, ...drafts].slice(-draftsMax)
    this.#latest = observations.at(-1) ?? this.#latest
    return observations
  }
}
