/**
 * The sender of telemetry by OTLP: the same resource for metrics and traces, so that a collector can join them.
 */
import { hostname } from "node:os"
import process from "node:process"
import { version } from "./version.ts"

/** OpenTelemetry's resource of this process. `service.instance.id` tells the nodes apart. */
export const otlpResource = () => ({
  serviceName: "wavepose",
  serviceVersion: version,
  attributes: { "service.instance.id": `${hostname()}:${process.pid}` },
})
