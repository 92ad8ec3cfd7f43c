/**
 * Endpoint of the group System control with the findings of two examinations: what prevents frames or makes them worse, and what to do.
 */
import { Schema } from "effect"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { NullableString } from "./fields.ts"
import { IsoTime } from "./forms.ts"

const verdicts = ["ok", "limit", "problem", "unknown"] as const

export const Finding = Schema.Struct({
  check: Schema.String.annotate({ description: "The subject of the check, e.g. `router node-1`." }),
  verdict: Schema.Literals(verdicts).annotate({
    description: "`ok`: as expected. `limit`: fewer or worse results. `problem`: frames are prevented or wrong. " +
      "`unknown`: the check failed.",
  }),
  finding: Schema.String.annotate({ description: "What was found." }),
  advice: NullableString.annotate({ description: "What to do; null if nothing." }),
  environment_id: NullableString.annotate({ description: "The environment that it concerns; null: not a single one." }),
  router_id: NullableString.annotate({ description: "The router that it concerns; null: not a single one." }),
})
export type Finding = typeof Finding.Type

export const FindingsBody = Schema.Struct({
  timestamp: IsoTime.annotate({ description: "Time of the second examination." }),
  findings: Schema.Array(Finding).annotate({ description: "From the network edge inwards." }),
})

const codec = jsonCodec(FindingsBody, (body: typeof FindingsBody.Type) => body)

export const systemFindings = endpoint({
  method: "GET",
  path: "/system/findings",
  group: "System control",
  summary: "Examine the service twice within seconds, and say what prevents frames and what to do",
  access: "write:configuration",
  credentials: "recent",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["StoreUnavailable"],
})
