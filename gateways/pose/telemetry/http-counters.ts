/**
 * Counters of the HTTP edge: requests by route and status, their duration, errors, connections and bytes.
 *
 * Owns the counters of one listener, which begin at zero with it. It is on the path of every request, so it reads its own maps only.
 *
 * Invariants: labels come only from the declared routes and methods, so that no client can create series; the times of at most
 * `errorsKept` errors are kept.
 */
import { Clock, Context, Effect, Metric } from "effect"
import type { Socket } from "node:net"
import { isoTime } from "../../../protocols/pose-api/forms.ts"
import type { TimeRange } from "../../../core/analytics/calendar.ts"

interface HttpTotals {
  readonly requests: number
  /** Answers with a 5xx status. */
  readonly errors: number
  /** Sum over all answers. */
  readonly elapsedMs: number
  readonly bytesReceived: number
  readonly bytesSent: number
  /** Open connections, including WebSockets. */
  readonly connections: number
}

export interface HttpCounters {
  /** The time now, for `answered`. */
  readonly begin: () => bigint
  readonly answered: (began: bigint, method: string, route: string | null, status: number) => void
  readonly connected: (socket: Socket) => void
  readonly totals: () => HttpTotals
  /** Number of errors in a range; a text is the reason why it is unknown. */
  readonly errorsWithin: (range: TimeRange) => number | string
  /** The registry that holds the counters and histograms of requests. */
  readonly registry: Context.Context<never>
}

const errorsKept = 10_000
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])

/** Upper bounds of the histogram's buckets: from a fast answer to a timeout. */
const boundariesS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series {
  readonly requests: Metric.Counter<number>
  readonly duration: Metric.Histogram<number>
}

const seriesOf = (method: string, route: string, status: number): Series => ({
  requests: Metric.counter("wavepose_http_requests_total", {
    description: "Requests answered, by route and status.",
    attributes: { method, route, status: String(status) },
    incremental: true,
  }),
  duration: Metric.histogram("wavepose_http_request_duration_seconds", {
    description: "Time from the head of a request to its answer.",
    attributes: { method, route },
    boundaries: boundariesS,
  }),
})

/** Counters that begin at zero. */
export const makeHttpCounters: Effect.Effect<HttpCounters> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const registry = Context.make(Metric.MetricRegistry, new Map()) as Context.Context<never>
  const series = new Map<string, Series>()
  const sockets = new Set<Socket>()
  const errorTimesMs: Array<number> = []
  let errorsKnownSinceMs = clock.currentTimeMillisUnsafe()
  let requests = 0
  let errors = 0
  let elapsedMs = 0
  let closedReceived = 0
  let closedSent = 0

  const countError = (): void => {
    errors++
    errorTimesMs.push(clock.currentTimeMillisUnsafe())
    if (errorTimesMs.length > errorsKept) errorsKnownSinceMs = errorTimesMs.shift()! + 1
  }

  return {
    registry,
    begin: () => clock.monotonicTimeNanosUnsafe(),
    answered: (began, method, route, status) => {
      const tookMs = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
      requests++
      elapsedMs += tookMs
      if (status >= 500) countError()
      const key = `${method} ${status} ${route}`
      let found = series.get(key)
      if (found === undefined) {
        found = seriesOf(methods.has(method) ? method : "other", route ?? "none", status)
        if (methods.has(method)) series.set(key, found)
      }
      found.requests.updateUnsafe(1, registry)
      found.duration.updateUnsafe(tookMs / 1e3, registry)
    },
    connected: (socket) => {
      sockets.add(socket)
      socket.once("close", () => {
        if (!sockets.delete(socket)) return
        closedReceived += socket.bytesRead
        closedSent += socket.bytesWritten
      })
    },
    totals: () => {
      let bytesReceived = closedReceived
      let bytesSent = closedSent
      for (const { bytesRead, bytesWritten } of sockets) {
        bytesReceived += bytesRead
        bytesSent += bytesWritten
      }
      return { requests, errors, elapsedMs, bytesReceived, bytesSent, connections: sockets.size }
    },
    errorsWithin: ({ fromMs, toMs }) =>
      fromMs < errorsKnownSinceMs
        ? `This node has counted errors only since ${isoTime(errorsKnownSinceMs)}.`
        : errorTimesMs.filter((timeMs) => timeMs >= fromMs && timeMs < toMs).length,
  } satisfies HttpCounters
})
