/**
 * The gRPC status of each failure, and the caller of a call by its metadata.
 */
import * as grpc from "@grpc/grpc-js"
import { Data, Effect } from "effect"
import type {
  ActorUnavailable,
  AnswerTimeout,
  NoFrames,
  StoreUnavailable,
  SwitchedOff,
  SystemNotRunning,
  UnknownEnvironment,
} from "../../protocols/domain/failure.ts"
import { type Caller, NotAuthenticated, type NotAuthorised } from "../../protocols/domain/identity.ts"
import type { ClassRefused } from "../../protocols/ports/edge-feed.ts"
import type { Authenticator } from "../access/authenticator.ts"

/** The server is shutting down. The client should open its stream again, later or on another node. */
export class GoingAway extends Data.TaggedError("GoingAway")<{ readonly message: string }> {
  static readonly now = new GoingAway({ message: "The server is shutting down. Open the stream again." })
}

/** A field of the request has an invalid value. */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<{ readonly message: string }> {}

/** Every failure that can end a call. */
export type CallFailure =
  | NotAuthenticated
  | NotAuthorised
  | UnknownEnvironment
  | NoFrames
  | SystemNotRunning
  | SwitchedOff
  | StoreUnavailable
  | ActorUnavailable
  | AnswerTimeout
  | GoingAway
  | ClassRefused
  | InvalidArgument

const statusOfFailure: Record<CallFailure["_tag"], grpc.status> = {
  NotAuthenticated: grpc.status.UNAUTHENTICATED,
  NotAuthorised: grpc.status.PERMISSION_DENIED,
  UnknownEnvironment: grpc.status.NOT_FOUND,
  NoFrames: grpc.status.NOT_FOUND,
  SystemNotRunning: grpc.status.UNAVAILABLE,
  SwitchedOff: grpc.status.FAILED_PRECONDITION,
  StoreUnavailable: grpc.status.UNAVAILABLE,
  ActorUnavailable: grpc.status.UNAVAILABLE,
  AnswerTimeout: grpc.status.DEADLINE_EXCEEDED,
  GoingAway: grpc.status.UNAVAILABLE,
  ClassRefused: grpc.status.FAILED_PRECONDITION,
  InvalidArgument: grpc.status.INVALID_ARGUMENT,
}

/** The status with which a call ends after this failure. */
export const statusOf = (failure: CallFailure): { readonly code: grpc.status; readonly details: string } => ({
  code: statusOfFailure[failure._tag],
  details: failure.message,
})

/** Authenticates the caller by the metadata `authorization: Bearer <token>` or `x-api-key: <key>`; a bearer token takes precedence. */
export const authenticate = (
  authenticator: Authenticator["Service"],
  metadata: grpc.Metadata,
): Effect.Effect<Caller, NotAuthenticated | StoreUnavailable> => {
  const authorization = textOf(metadata, "authorization")
  const token = authorization === null ? null : /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null
  const key = textOf(metadata, "x-api-key")
  if (token !== null) return authenticator.bearer(token)
  return key === null ? Effect.fail(nothingGiven) : authenticator.apiKey(key)
}

const nothingGiven = new NotAuthenticated({
  message: 'Credentials are missing. Send the metadata "authorization: Bearer <token>" or "x-api-key: <key>".',
})

const textOf = (metadata: grpc.Metadata, key: string): string | null => {
  const value = metadata.get(key)[0]
  return typeof value === "string" ? value : null
}
