/**
 * Endpoints of the group Health and metrics.
 */
import { Schema } from "effect"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

interface Health {
  /** `degraded`: the process answers but its store does not, or frames are late. */
  readonly status: "healthy" | "degraded"
  /** Why it is degraded, each as a sentence. */
  readonly reasons: ReadonlyArray<string>
  readonly version: string
  readonly uptimeS: number
}

const codec = jsonCodec(
  Schema.Struct({
    status: Schema.Literals(["healthy", "degraded"]),
    timestamp: IsoTime,
    version: Schema.String,
    uptime: Count.annotate({ description: "Seconds since this process began to serve." }),
    reasons: Schema.Array(Schema.String).annotate({
      description:
        "Extension: why it is degraded; which environment is late, how old its newest frame is, who is behind.",
    }),
  }),
  ({ reasons, status, version, uptimeS }: Health, nowMs) => ({
    status,
    timestamp: isoTime(nowMs),
    version,
    uptime: uptimeS,
    reasons,
  }),
)

export const health = endpoint({
  method: "GET",
  path: "/health",
  group: "Health and metrics",
  summary: "Whether this process serves, its store answers and its frames are on time",
  access: "public",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: [],
})
