/**
 * The metrics of a node by OTLP/HTTP: those of `/metrics`, under the same names, to the collector of the settings and to no other address.
 *
 * Invariants: without an endpoint nothing is exported. A series that is no longer measured is no longer exported. Sums are cumulative since the
 * start of the export. While the collector fails, exports are dropped; the next one has the totals.
 */
import { Context, Effect, Layer, Metric, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpMetrics, OtlpSerialization } from "effect/observability"
import { metricRegistries } from "../../gateways/pose/telemetry/metric-registries.ts"
import { NodeMeasures } from "../../gateways/pose/telemetry/node-measures.ts"
import type { TelemetrySettings } from "../settings/telemetry-settings.ts"
import { otlpResource } from "./otlp-resource.ts"

const shutdownTimeout = "2 seconds"

export const layerMetricsExport = (settings: TelemetrySettings | null): Layer.Layer<never, never, NodeMeasures> =>
  settings === null ? Layer.empty : Layer.effectDiscard(
    Effect.gen(function* () {
      const { endpoint, headers, metricsEveryMs } = settings
      const { read } = yield* NodeMeasures
      /** What is exported next. */
      const registry: typeof Metric.MetricRegistry.Service = new Map()
      const refresh = Effect.map(read, (measures) => {
        registry.clear()
        for (const source of metricRegistries(measures)) {
          for (const [key, metric] of Context.get(source, Metric.MetricRegistry)) registry.set(key, metric)
        }
      })
      yield* refresh
      yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(metricsEveryMs)))
      yield* OtlpMetrics.make({
        url: `${endpoint}/v1/metrics`,
        headers,
        resource: otlpResource(),
        exportInterval: metricsEveryMs,
        shutdownTimeout,
      }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
      yield* Effect.logInfo("metrics are exported", { endpoint, everyMs: metricsEveryMs })
    }),
  ).pipe(
    Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, FetchHttpClient.layer]),
  )
