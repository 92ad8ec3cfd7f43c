import * as grpc from "@grpc/grpc-js"
import { expect, it } from "vitest"
import { endReason } from "../../../gateways/grpc/connection-failure.ts"

const { NOT_FOUND, UNAVAILABLE } = grpc.status

it.each([
  [
    UNAVAILABLE,
    "No connection established. Last error: Error: connect ECONNREFUSED ::1:9. Resolution note: ",
    "connect ECONNREFUSED ::1:9",
  ],
  [UNAVAILABLE, "No connection established. Last error: read ECONNRESET. Resolution note: x", "read ECONNRESET"],
  [NOT_FOUND, "There is no such room.", "There is no such room."],
  [UNAVAILABLE, "", "status 14 of gRPC"],
])(
  "the reason of status %i with %j is %j",
  (code, details, reason) => expect(endReason({ code, details })).toBe(reason),
)
