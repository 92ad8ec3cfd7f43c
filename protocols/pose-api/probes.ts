/**
 * Endpoints of the probes of an orchestrator: liveness and readiness. Both are also served at the root, without `/api/v1`.
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
  category: "monitoring",
  status: 200,
} as const

const liveCodec = probeCodec("live")
export const live = endpoint({
  ...shared,
  path: "/health/live",
  summary: "Liveness probe: check that this process serves. Also at /health/live",
  response: { bare: liveCodec, envelope: liveCodec },
  failures: [],
})

const readyCodec = probeCodec("ready")
export const ready = endpoint({
  ...shared,
  path: "/health/ready",
  summary: "Readiness probe: check the database, the data disk and the system session. Also at /health/ready",
  response: { bare: readyCodec, envelope: readyCodec },
  failures: ["NotReady"],
})
