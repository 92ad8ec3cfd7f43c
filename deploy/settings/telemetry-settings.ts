/** Settings of the export of traces and metrics, under OpenTelemetry's own names. Without an endpoint nothing is exported. */
import { Schema } from "effect"
import { withDefault } from "./variables.ts"

export interface TelemetrySettings {
  /** Base address of the collector without a final slash, e.g. `http://127.0.0.1:4318`. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Fraction of the frames that are traced. */
  readonly ratio: number
  /** Time between two exports of metrics. */
  readonly metricsEveryMs: number
}

const Endpoint = Schema.String.check(
  Schema.makeFilter((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
    expected: "the http or https address of a collector, e.g. http://127.0.0.1:4318",
  }),
)

const isPercentEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The variables, as fields of the schema of all settings. */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Schema.optionalKey(Endpoint),
  OTEL_EXPORTER_OTLP_HEADERS: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/, { expected: "name=value pairs, separated by commas" }),
      Schema.makeFilter(isPercentEncoded, { expected: "values that are percent-encoded; write % as %25" }),
    ),
  ),
  WAVEPOSE_TRACE_RATIO: withDefault(
    Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
    "0.01",
  ),
  OTEL_METRIC_EXPORT_INTERVAL: withDefault(
    Schema.NumberFromString.check(Schema.isBetween({ minimum: 1_000, maximum: 3_600_000 })),
    "60000",
  ),
} as const

const TelemetryVariables = Schema.Struct(telemetryVariables)

export const telemetrySettingsOf = (v: typeof TelemetryVariables.Type): TelemetrySettings | null =>
  v.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? null : {
    endpoint: v.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ""),
    headers: Object.fromEntries(
      (v.OTEL_EXPORTER_OTLP_HEADERS ?? "").split(",").filter((pair) => pair !== "").map((pair) => {
        const at = pair.indexOf("=")
        return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]
      }),
    ),
    ratio: v.WAVEPOSE_TRACE_RATIO,
    metricsEveryMs: v.OTEL_METRIC_EXPORT_INTERVAL,
  }
