/**
 * The error of a call: its gRPC status with the details of `google.rpc`, in the terms of the other clients.
 */
import { type ServiceError, status } from "@grpc/grpc-js"
import protobuf from "protobufjs/light.js"
import { WaveposeError } from "./error.ts"

/** The parts of `google.rpc` that the service sends. */
const details = {
  nested: {
    Any: {
      fields: {
        type_url: { type: "string", id: 1 },
        value: { type: "bytes", id: 2 },
      },
    },
    Status: { fields: { details: { rule: "repeated", type: "Any", id: 3 } } },
    ErrorInfo: {
      fields: {
        reason: { type: "string", id: 1 },
        metadata: { keyType: "string", type: "string", id: 3 },
      },
    },
    RequestInfo: { fields: { request_id: { type: "string", id: 1 } } },
    BadRequest: {
      fields: {
        field_violations: { rule: "repeated", type: "Violation", id: 1 },
      },
    },
    Violation: {
      fields: {
        field: { type: "string", id: 1 },
        description: { type: "string", id: 2 },
      },
    },
    RetryInfo: { fields: { retry_delay: { type: "Delay", id: 1 } } },
    Delay: { fields: { seconds: { type: "int64", id: 1 } } },
  },
}
const { nested } = protobuf.Root.fromJSON(details as protobuf.INamespace)

/** The HTTP status of a gRPC status. */
const httpStatus: Readonly<Partial<Record<status, number>>> = {
  [status.INVALID_ARGUMENT]: 422,
  [status.OUT_OF_RANGE]: 422,
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.NOT_FOUND]: 404,
  [status.ALREADY_EXISTS]: 409,
  [status.ABORTED]: 412,
  [status.RESOURCE_EXHAUSTED]: 429,
  [status.INTERNAL]: 500,
  [status.UNKNOWN]: 500,
  [status.UNIMPLEMENTED]: 501,
  [status.FAILED_PRECONDITION]: 503,
  [status.DEADLINE_EXCEEDED]: 504,
}

/** The HTTP status of a reason, where a gRPC status stands for several. */
const httpStatusOfReason: Readonly<Record<string, number>> = {
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMIT_EXCEEDED: 429,
  HARDWARE_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
}
const standsForSeveral = (code: status): boolean =>
  code === status.FAILED_PRECONDITION || code === status.RESOURCE_EXHAUSTED

/** Without an answer of the service, which has a reason, the call failed on the way: 0. */
const statusOf = (code: status, reason: string | undefined): number => {
  if (code === status.UNAVAILABLE) return reason === undefined ? 0 : 503
  return (standsForSeveral(code) ? httpStatusOfReason[reason ?? ""] : undefined) ?? httpStatus[code] ?? 0
}

// deno-lint-ignore no-explicit-any
type Json = any

const decode = (name: string, bytes: Uint8Array): Json => {
  const type = nested![name] as protobuf.Type
  return type.toObject(type.decode(bytes), {
    defaults: true,
    longs: Number,
    arrays: true,
    objects: true,
  })
}

/** The details by their names. */
const detailsOf = (encoded: Uint8Array): Json =>
  Object.fromEntries(
    (decode("Status", encoded).details as ReadonlyArray<
      { type_url: string; value: Uint8Array }
    >)
      .map(({ type_url, value }) => [type_url.split(".").at(-1)!, value] as const)
      .filter(([name]) => nested![name] !== undefined)
      .map(([name, value]) => [name, decode(name, value)]),
  )

export const errorOf = (
  { code, details: message, metadata }: ServiceError,
): WaveposeError => {
  const [encoded] = metadata?.get("grpc-status-details-bin") ?? []
  const { BadRequest, ErrorInfo, RequestInfo, RetryInfo } = encoded instanceof Uint8Array ? detailsOf(encoded) : {}
  return new WaveposeError(message || `The call failed: ${status[code]}.`, {
    status: statusOf(code, ErrorInfo?.reason),
    code: ErrorInfo?.reason ??
      (code === status.UNAVAILABLE ? "NO_ANSWER" : status[code]),
    details: {
      ...ErrorInfo?.metadata,
      ...(BadRequest === undefined ? {} : { errors: BadRequest.field_violations }),
    },
    requestId: RequestInfo?.request_id ?? null,
    retryAfterS: RetryInfo?.retry_delay?.seconds ?? null,
  })
}
