/**
 * Samples the load of this node every ten seconds, and keeps one day of samples in memory.
 *
 * Invariants: at most `samplesMax` samples are kept; while the session or the store does not answer, a sample has nulls and is not delayed.
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import {
  createSampleRing,
  type NodeRates,
  type NodeSample,
  ratesBetween,
  type SampleRing,
} from "../../../core/analytics/samples.ts"
import { sumOrNull } from "../../../protocols/pose-api/known-values.ts"
import { type KnownReport, statusesOf } from "../../../protocols/pose-api/system-status.ts"
import { type ProcessUsage, processUsage } from "./process-usage.ts"
import { SystemReporter } from "./system-report.ts"
import { type HttpCounters, makeHttpCounters } from "./http-counters.ts"

const samplesMax = 8_640
const sampleMs = 10_000
/** The time over which a rate is measured. */
const rateMs = 60_000
/** How long a sample waits for the session and the store; shorter than the ten seconds that Prometheus waits for an answer. */
const reportMsMax = 5_000

export interface Reading {
  readonly sample: NodeSample
  /** Null when the store did not answer. */
  readonly report: KnownReport | null
  readonly usage: ProcessUsage
}

export class LoadSampler extends Context.Service<LoadSampler, {
  readonly httpCounters: HttpCounters
  readonly samples: Pick<SampleRing, "within" | "oldest">
  /** Rates over the last minute, or since the node's start if that is shorter. */
  readonly rates: (now: NodeSample) => NodeRates
  /** The load now. */
  readonly read: Effect.Effect<Reading>
  readonly startedMs: number
}>()("wavepose/gateways/LoadSampler") {
  static readonly layer: Layer.Layer<LoadSampler, never, SystemReporter> = Layer.effect(
    LoadSampler,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { knownReport, loopLagMs } = yield* SystemReporter
  const httpCounters = yield* makeHttpCounters
  const ring = createSampleRing(samplesMax)
  const startedMs = yield* Clock.currentTimeMillis
  const atStart = yield* processUsage
  /** The sample at the start, before any request. */
  const first: NodeSample = {
    atMs: startedMs,
    framesPerSecond: null,
    averageLatencyMs: null,
    cpuUsage: null,
    loopLagMs: 0,
    requests: 0,
    errors: 0,
    elapsedMs: 0,
    diskReadBytes: atStart.diskReadBytes,
    diskWrittenBytes: atStart.diskWrittenBytes,
  }

  const reportOrNull = knownReport.pipe(
    Effect.timeout(reportMsMax),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logDebug("the system did not answer the load sampler", Cause.pretty(cause)), null)
    ),
  )

  const read = Effect.gen(function* () {
    const [asked, usage] = yield* Effect.all([reportOrNull, processUsage], { concurrency: 2 })
    const statuses = asked === null ? [] : statusesOf(asked)
    const latencies = statuses.flatMap(({ averageLatencyMs }) => averageLatencyMs ?? [])
    const { elapsedMs, errors, requests } = httpCounters.totals()
    const sample: NodeSample = {
      atMs: yield* Clock.currentTimeMillis,
      framesPerSecond: sumOrNull(statuses.map(({ framesPerSecond }) => framesPerSecond)),
      averageLatencyMs: latencies.length === 0 ? null : latencies.reduce((a, b) => a + b, 0) / latencies.length,
      cpuUsage: asked?.host.cpu ?? null,
      loopLagMs: yield* loopLagMs,
      requests,
      errors,
      elapsedMs,
      diskReadBytes: usage.diskReadBytes,
      diskWrittenBytes: usage.diskWrittenBytes,
    }
    return { sample, report: asked, usage }
  })

  const takeSample = Effect.gen(function* () {
    const { sample } = yield* read
    ring.add(sample)
  })

  yield* takeSample.pipe(Effect.andThen(Effect.sleep(sampleMs)), Effect.forever, Effect.forkScoped)
  const rates = (now: NodeSample): NodeRates =>
    ratesBetween(now.atMs - startedMs < rateMs ? first : ring.since(now.atMs, rateMs) ?? first, now)
  return { httpCounters, samples: ring, rates, read, startedMs }
})
