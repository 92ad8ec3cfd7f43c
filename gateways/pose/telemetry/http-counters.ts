/**
 * What the edge has done: requests by route and status, how long they took, errors, connections and bytes.
 *
 * Owns the counters of one listener; they begin at zero when it does. On the way of every request, so it looks nothing up but its own maps.
 *
 * Invariants: labels come from the declared routes and methods alone, so that no client can make series; at most `errorsKept` errors are
 * remembered with their times.
 */
import { Clock, Context, Effect, Metric } from "effect"
import type { Socket } from "node:net"
import { isoTime } from "../../../protocols/pose-api/forms.ts"
import type { TimeRange } from "../../../core/analytics/calendar.ts"

interface HttpTotals {
  readonly requests: number
  /** Answers with a 5xx status. */
  readonly errors: number
  /** Over all answers. */
  readonly elapsedMs: number
  readonly bytesReceived: number
  readonly bytesSent: number
  /** Open now, WebSockets among them. */
  readonly connections: number
}

export interface HttpCounters {
  /** A mark of the present moment. */
  readonly begin: () => bigint
  readonly answered: (began: bigint, method: string, route: string | null, status: number) => void
  readonly connected: (socket: Socket) => void
  readonly totals: () => HttpTotals
  /** Errors of a range; a text says why they are not known. */
  readonly errorsWithin: (range: TimeRange) => number | string
  /** The registry that holds the counters and histograms of requests. */
  readonly registry: Context.Context<never>
}

const errorsKept = 10_000
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])

/** Upper bounds of the histogram's buckets: from a fast answer to one that has timed out. */
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
    description: "From a request's head to its answer.",
    attributes: { method, route },
    boundaries: boundariesS,
  }),
})

/** Counters of a listener that begins now. */
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
        ? `This node knows its errors since ${isoTime(errorsKnownSinceMs)} only.`
        : errorTimesMs.filter((timeMs) => timeMs >= fromMs && timeMs < toMs).length,
  } satisfies HttpCounters
})
