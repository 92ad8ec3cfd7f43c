/**
 * Endpoints of the probes of an orchestrator: liveness and readiness. Both are served below `/` and below `/api/v1`.
 */
import { Schema } from "effect"
import { endpoint, jsonCodec } from "./endpoint.ts"

const probeCodec = (status: "live" | "ready") =>
  jsonCodec(
    Schema.Struct({
      status: Schema.Literal(status),
      reasons: Schema.Array(Schema.String).annotate({ description: "Always empty in a success." }),
    }),
    (_: null) => ({ status, reasons: [] }),
  )

const shared = {
  method: "GET",
  group: "Health and metrics",
  access: "public",
  category: "health",
  status: 200,
} as const

const liveCodec = probeCodec("live")
const live = {
  ...shared,
  path: "/health/live",
  summary: "Liveness probe: check that this process serves. A failure means that it must be restarted",
  response: { bare: liveCodec, envelope: liveCodec },
  failures: [],
}

const readyCodec = probeCodec("ready")
const ready = {
  ...shared,
  path: "/health/ready",
  summary:
    "Readiness probe: check that the database answers, the data disk has space and the system session is reachable",
  response: { bare: readyCodec, envelope: readyCodec },
  failures: ["NotReady"] as const,
}

export const liveEndpoints = [endpoint(live), endpoint({ ...live, atRoot: true })]
export const readyEndpoints = [endpoint(ready), endpoint({ ...ready, atRoot: true })]
