/**
 * Endpoints of the group Health and metrics.
 */
import { Schema } from "effect"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

export interface Health {
  /** `degraded`: the process answers but its store does not. */
  readonly status: "healthy" | "degraded"
  readonly version: string
  readonly uptimeS: number
}

const codec = jsonCodec(
  Schema.Struct({
    status: Schema.Literals(["healthy", "degraded"]),
    timestamp: IsoTime,
    version: Schema.String,
    uptime: Count.annotate({ description: "Seconds since this process began to serve." }),
  }),
  ({ status, version, uptimeS }: Health, nowMs) => ({ status, timestamp: isoTime(nowMs), version, uptime: uptimeS }),
)

export const health = endpoint({
  method: "GET",
  path: "/health",
  group: "Health and metrics",
  summary: "Whether this process serves and its store answers",
  access: "public",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: [],
})
