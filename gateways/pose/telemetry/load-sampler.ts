/**
 * The recorder: samples what this node does every ten seconds, and keeps a day of it in memory.
 *
 * Owns the times of sampling. Invariants: at most `samplesMax` samples are kept; a node that cannot be asked is sampled with nulls, and
 * delays nobody.
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import {
  createSampleRing,
  type NodeRates,
  type NodeSample,
  ratesBetween,
  type SampleRing,
} from "../../../core/analytics/samples.ts"
import type { SystemReport } from "../../../protocols/pose-api/system-status.ts"
import { type ProcessUsage, processUsage } from "./process-usage.ts"
import { SystemReporter } from "./system-report.ts"
import { type HttpCounters, makeHttpCounters } from "./http-counters.ts"

const samplesMax = 8_640
const sampleMs = 10_000
/** What a rate is over. */
const rateMs = 60_000

export interface Reading {
  readonly sample: NodeSample
  /** Null when the session or the store could not be asked. */
  readonly report: SystemReport | null
  readonly usage: ProcessUsage
}

export class LoadSampler extends Context.Service<LoadSampler, {
  readonly httpCounters: HttpCounters
  readonly samples: Pick<SampleRing, "within" | "oldest">
  /** Rates of the last minute, or of the node's life while that is shorter. */
  readonly rates: (now: NodeSample) => NodeRates
  /** What the node does now. */
  readonly read: Effect.Effect<Reading>
  readonly startedMs: number
}>()("wavepose/gateways/LoadSampler") {
  static readonly layer: Layer.Layer<LoadSampler, never, SystemReporter> = Layer.effect(
    LoadSampler,
    Effect.suspend(() => make),
  )
}

const sumOrNull = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

const make = Effect.gen(function* () {
  const { loopLagMs, report } = yield* SystemReporter
  const httpCounters = yield* makeHttpCounters
  const ring = createSampleRing(samplesMax)
  const startedMs = yield* Clock.currentTimeMillis
  const atStart = yield* processUsage
  /** Before anything was asked of the node. */
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

  const reportOrNull = report.pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.logDebug("The system could not be asked", Cause.pretty(cause)), null)
    ),
  )

  const read = Effect.gen(function* () {
    const [asked, usage] = yield* Effect.all([reportOrNull, processUsage], { concurrency: 2 })
    const statuses = asked?.environments.flatMap(({ status }) => status === null ? [] : [status]) ?? []
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
