/**
 * Endpoints of the group Health and metrics.
 */
import { Schema } from "effect"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

/** The reason while the database does not answer. The doctor reads it. */
export const storeSilentText = "The store does not answer."

/** The reason while nobody says how the environments do. */
export const systemSilentText =
  "The system does not say in time how its environments do, so it is not known whether frames are on time."

interface Health {
  /**
   * `degraded`: the process answers, but its data disk is full, its store or an environment does not answer, frames are late, or work is left
   * out to stay in real time.
   */
  readonly status: "healthy" | "degraded"
  /** Why it is degraded, as sentences. */
  readonly reasons: ReadonlyArray<string>
  readonly version: string
  readonly uptimeS: number
}

const codec = jsonCodec(
  Schema.Struct({
    status: Schema.Literals(["healthy", "degraded"]),
    timestamp: IsoTime,
    version: Schema.String,
    uptime: Count.annotate({ description: "Seconds since the start of this process." }),
    reasons: Schema.Array(Schema.String).annotate({
      description:
        "Why the status is degraded: the environment that is late, the age of its newest frame, and the stage that is behind; " +
        "or the environment that leaves work out to stay in real time, or that does not answer.",
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
  summary: "Check that this process serves, that its store answers, and that its frames are on time",
  access: "public",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: [],
})
