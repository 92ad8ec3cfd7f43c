/**
 * Samples of a running node, and the rates between two of them.
 *
 * Cumulative values count from the start of the node. A rate refers to the time between the samples. It is null if that is zero, or if a
 * value is unknown.
 */
import { meanOfKnown } from "../math/mean.ts"
import type { TimeRange } from "./calendar.ts"

export interface NodeSample {
  readonly atMs: number
  /** Sum of all environments; null if they did not answer. */
  readonly framesPerSecond: number | null
  readonly averageLatencyMs: number | null
  /** Share of the machine's processors in use, 0..1. */
  readonly cpuUsage: number | null
  /** Longest delay of the event loop since the previous sample. */
  readonly loopLagMs: number
  /** Cumulative. */
  readonly requests: number
  readonly errors: number
  readonly elapsedMs: number
  readonly diskReadBytes: number | null
  readonly diskWrittenBytes: number | null
}

export interface NodeRates {
  readonly requestsPerSecond: number | null
  /** Mean time of an answer; null without requests. */
  readonly responseTimeMs: number | null
  /** Share of answers with a 5xx status; null without requests. */
  readonly errorRate: number | null
  readonly diskReadMbps: number | null
  readonly diskWrittenMbps: number | null
}

/** Bytes a second in megabytes (1e6). */
const megabytesPerSecond = (from: number | null, to: number | null, elapsedS: number): number | null =>
  from === null || to === null || elapsedS <= 0 ? null : (to - from) / elapsedS / 1e6

/** The rates between two samples. */
export const ratesBetween = (from: NodeSample, to: NodeSample): NodeRates => {
  const elapsedS = (to.atMs - from.atMs) / 1e3
  const requests = to.requests - from.requests
  return {
    requestsPerSecond: elapsedS <= 0 ? null : requests / elapsedS,
    responseTimeMs: requests === 0 ? null : (to.elapsedMs - from.elapsedMs) / requests,
    errorRate: requests === 0 ? null : (to.errors - from.errors) / requests,
    diskReadMbps: megabytesPerSecond(from.diskReadBytes, to.diskReadBytes, elapsedS),
    diskWrittenMbps: megabytesPerSecond(from.diskWrittenBytes, to.diskWrittenBytes, elapsedS),
  }
}

/** The last `max` samples, oldest first. */
export interface SampleRing {
  readonly add: (sample: NodeSample) => void
  readonly within: (range: TimeRange) => ReadonlyArray<NodeSample>
  readonly oldest: () => NodeSample | null
  /** The oldest sample of the last `spanMs` before a time, else the newest one. */
  readonly since: (nowMs: number, spanMs: number) => NodeSample | null
}

export const createSampleRing = (max: number): SampleRing => {
  const samples: Array<NodeSample> = []
  return {
    add: (sample) => {
      samples.push(sample)
      if (samples.length > max) samples.shift()
    },
    within: ({ fromMs, toMs }) => samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
    oldest: () => samples[0] ?? null,
    since: (nowMs, spanMs) => samples.find(({ atMs }) => atMs >= nowMs - spanMs) ?? samples.at(-1) ?? null,
  }
}

/** A point of a history. */
export interface HistoryPoint {
  readonly atMs: number
  readonly framesPerSecond: number | null
  readonly averageLatencyMs: number | null
  readonly cpuUsage: number | null
}

/** A history of at most `max` points: groups of successive samples are averaged, and have the time of their first sample. */
export const thinned = (samples: ReadonlyArray<NodeSample>, max: number): ReadonlyArray<HistoryPoint> => {
  const size = Math.max(1, Math.ceil(samples.length / max))
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, i) => {
    const group = samples.slice(i * size, (i + 1) * size)
    return {
      atMs: group[0]!.atMs,
      framesPerSecond: meanOfKnown(group.map(({ framesPerSecond }) => framesPerSecond)),
      averageLatencyMs: meanOfKnown(group.map(({ averageLatencyMs }) => averageLatencyMs)),
      cpuUsage: meanOfKnown(group.map(({ cpuUsage }) => cpuUsage)),
    }
  })
}
