/**
 * Telemetry by OTLP/HTTP: sampled traces of frames, to the collector of the settings and to no other address.
 *
 * Invariants: without `OTEL_EXPORTER_OTLP_ENDPOINT` nothing is measured, kept or sent. At most `spansMax` spans wait; while the collector fails
 * they are dropped.
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization } from "effect/observability"
import {
  CurrentFrameTracer,
  type FrameSpan,
  type FrameTracer,
  type TracedFrame,
} from "../../protocols/ports/frame-trace.ts"
import type { TelemetrySettings } from "../settings/telemetry-settings.ts"
import { otlpResource } from "./otlp-resource.ts"

const spansMax = 512
const exportInterval = "2 seconds"
const shutdownTimeout = "2 seconds"
/** Frames whose first stage is remembered. */
const framesMax = 1_024
/** OTLP's numbers: an internal span, a success, a failure. */
const codes = { internal: 1, ok: 1, error: 2 } as const

interface TraceIds {
  readonly traceId: string
  readonly rootId: string
  /** Uniform in 0..1, the same on every node. */
  readonly draw: number
}

const idsOf = ({ environmentId, timestampMs }: TracedFrame): TraceIds => {
  const hash = createHash("sha256").update(`${environmentId}\n${timestampMs}`).digest()
  return {
    traceId: hash.toString("hex", 0, 16),
    rootId: hash.toString("hex", 16, 24),
    draw: hash.readUInt32BE(24) / 2 ** 32,
  }
}

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === "number" ? { doubleValue: value } : { stringValue: value },
})

/** A span in the form of OTLP's JSON; `number` tells spans of one trace apart. */
const otlpSpan = (
  { environmentId, timestampMs }: TracedFrame,
  { attributes, endNs, stage, startNs }: FrameSpan & { readonly startNs: bigint },
  { rootId, traceId }: TraceIds,
  spanId: string,
) => ({
  traceId,
  spanId: stage === "frame" ? rootId : spanId,
  ...(stage === "frame" ? {} : { parentSpanId: rootId }),
  name: stage,
  kind: codes.internal,
  startTimeUnixNano: String(startNs),
  endTimeUnixNano: String(endNs),
  attributes: [
    attribute("wavepose.environment_id", environmentId),
    attribute("wavepose.hop_end_ms", timestampMs),
    ...Object.entries(attributes).map(([name, value]) => attribute(`wavepose.${name}`, value)),
  ],
  events: [],
  links: [],
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
  status: { code: attributes["outcome"] === "Failure" ? codes.error : codes.ok },
})

const makeTracer = (ratio: number, push: (span: unknown) => void): FrameTracer => {
  const started = new Map<string, bigint>()
  let spans = 0
  return {
    isSampled: (frame) => idsOf(frame).draw < ratio,
    add: (frame, span) => {
      const ids = idsOf(frame)
      const startNs = span.startNs ?? started.get(ids.traceId) ?? span.endNs
      if (!started.has(ids.traceId)) started.set(ids.traceId, startNs)
      if (started.size > framesMax) started.delete(started.keys().next().value!)
      spans += 1
      const spanId = createHash("sha256").update(`${ids.traceId}${process.pid}/${spans}/${startNs}`).digest("hex")
      push(otlpSpan(frame, { ...span, startNs }, ids, spanId.slice(0, 16)))
    },
  }
}

/** The tracer of these settings; none without an endpoint. */
export const layerTelemetry = (settings: TelemetrySettings | null): Layer.Layer<never> =>
  settings === null ? Layer.empty : Layer.effect(
    CurrentFrameTracer,
    Effect.gen(function* () {
      const serialization = yield* OtlpSerialization.OtlpSerialization
      const { attributes, serviceName, serviceVersion } = otlpResource()
      const names = { "service.name": serviceName, "service.version": serviceVersion, ...attributes }
      const resource = {
        attributes: Object.entries(names).map(([key, value]) => attribute(key, value)),
        droppedAttributesCount: 0,
      }
      const scope = { name: serviceName, version: serviceVersion }
      const { push } = yield* OtlpExporter.make({
        label: "frames",
        url: `${settings.endpoint}/v1/traces`,
        headers: settings.headers,
        exportInterval,
        maxBatchSize: spansMax,
        shutdownTimeout,
        body: (spans) => [
          serialization.traces({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] } as never),
          Effect.void,
        ],
      })
      yield* Effect.logInfo("traces are exported", { endpoint: settings.endpoint, ratio: settings.ratio })
      return makeTracer(settings.ratio, push)
    }),
  ).pipe(
    Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, FetchHttpClient.layer]),
  )
