/**
 * The gRPC status of each failure, with the same code, fields and request id as the error of a REST answer.
 */
import * as grpc from "@grpc/grpc-js"
import { Data } from "effect"
import { encodeStatusDetails, type StatusDetails, statusDetailsTrailer } from "../../protocols/grpc/status-details.ts"
import { errorBody, type Failure } from "../../protocols/pose-api/errors.ts"
import type { ClassRefused } from "../../protocols/ports/edge-feed.ts"
import { retryAfterS } from "../access/connection-guard.ts"

/** The server is shutting down. The client should open its stream again, later or on another node. */
export class GoingAway extends Data.TaggedError("GoingAway")<{ readonly message: string }> {
  static readonly now = new GoingAway({ message: "The server is shutting down. Open the stream again." })
}

/** The client opened a call and did not send its request. */
export class SlowRequest extends Data.TaggedError("SlowRequest")<{ readonly message: string }> {
  static readonly after = (ms: number) =>
    new SlowRequest({
      message: `The request did not arrive within ${ms / 1000} s. Send it at once after the call's metadata.`,
    })
}

/** Every failure that can end a call. */
export type CallFailure = Failure | GoingAway | SlowRequest | ClassRefused

const { status: Status } = grpc

const statusOfFailure: Record<CallFailure["_tag"], grpc.status> = {
  AccountConflict: Status.FAILED_PRECONDITION,
  ActorUnavailable: Status.UNAVAILABLE,
  AnswerTimeout: Status.DEADLINE_EXCEEDED,
  ClassRefused: Status.FAILED_PRECONDITION,
  ConfigurationMoved: Status.ABORTED,
  EnrolmentConflict: Status.ALREADY_EXISTS,
  EnvironmentMoved: Status.ABORTED,
  GoingAway: Status.UNAVAILABLE,
  InvalidConfiguration: Status.INVALID_ARGUMENT,
  InvalidRequest: Status.INVALID_ARGUMENT,
  MalformedRequest: Status.INVALID_ARGUMENT,
  MethodNotAllowed: Status.UNIMPLEMENTED,
  NoFrames: Status.NOT_FOUND,
  NoFramesInRange: Status.NOT_FOUND,
  NotAuthenticated: Status.UNAUTHENTICATED,
  NotAuthorised: Status.PERMISSION_DENIED,
  NotReady: Status.UNAVAILABLE,
  Overloaded: Status.RESOURCE_EXHAUSTED,
  PayloadTooLarge: Status.RESOURCE_EXHAUSTED,
  RateLimited: Status.RESOURCE_EXHAUSTED,
  ResourceNotFound: Status.NOT_FOUND,
  RoutersSilent: Status.FAILED_PRECONDITION,
  SlowRequest: Status.DEADLINE_EXCEEDED,
  StoreUnavailable: Status.UNAVAILABLE,
  SwitchedOff: Status.FAILED_PRECONDITION,
  SystemConflict: Status.FAILED_PRECONDITION,
  SystemNotRunning: Status.FAILED_PRECONDITION,
  TooManyConnections: Status.RESOURCE_EXHAUSTED,
  TooManyWebhooks: Status.FAILED_PRECONDITION,
  Unexpected: Status.INTERNAL,
  UnknownEnvironment: Status.NOT_FOUND,
  UnknownModel: Status.INVALID_ARGUMENT,
  UnknownRouter: Status.NOT_FOUND,
  UnknownTrack: Status.NOT_FOUND,
  UnusableModel: Status.INTERNAL,
}

/** Code and details of a failure. Codes of failures that REST does not have are those of gRPC alone. */
const bodyOf = (failure: CallFailure): { readonly code: string; readonly details: Record<string, unknown> } => {
  switch (failure._tag) {
    case "GoingAway":
      return { code: "SERVICE_UNAVAILABLE", details: {} }
    case "SlowRequest":
      return { code: "TIMEOUT", details: {} }
    case "ClassRefused":
      return { code: "PRIVACY_CLASS_REFUSED", details: { node_id: failure.nodeId } }
    default:
      return errorBody(failure, "bare")
  }
}

const retryOf = (failure: CallFailure): number | null => {
  if (failure._tag === "RateLimited") return failure.retryAfterS
  return failure._tag === "TooManyConnections" || failure._tag === "Overloaded" ? retryAfterS : null
}

interface BadField {
  readonly field: string
  readonly message: string
}

const detailsOf = (failure: CallFailure, requestId: string): StatusDetails => {
  const { code, details: { field_errors = [], ...details } } = bodyOf(failure)
  const shown = Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  return {
    code: statusOfFailure[failure._tag],
    message: failure.message,
    reason: code,
    metadata: Object.fromEntries(
      shown.map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
    ),
    requestId,
    fields: (field_errors as ReadonlyArray<BadField>).map(({ field, message }) => ({ field, description: message })),
    retryAfterS: retryOf(failure),
  }
}

/** The end of a call, as grpc-js takes it. */
export interface CallStatus {
  readonly code: grpc.status
  readonly details: string
  readonly metadata: grpc.Metadata
}

/** Characters of a message in a status. Some proxies and clients reject longer trailers. */
const messageCharsMax = 2_000

/** The status with which a call ends after this failure. */
export const statusOf = (failure: CallFailure, requestId: string): CallStatus => {
  const details = detailsOf(failure, requestId)
  const message = details.message.slice(0, messageCharsMax)
  const metadata = new grpc.Metadata()
  metadata.set(statusDetailsTrailer, Buffer.from(encodeStatusDetails({ ...details, message })))
  return { code: details.code, details: message, metadata }
}
