/**
 * Failures of the REST and WebSocket edge itself: invalid requests, and limits of the edge.
 *
 * Boundary: failures that come from actors and stores are in `protocols/domain`; statuses and codes are in `errors.ts`.
 */
import { Data } from "effect"

/** One error of a request. `field` is the dotted path; `received` is null if the field is missing. */
export interface FieldError {
  readonly field: string
  readonly message: string
  readonly received: unknown
}

/** Fields of a readable request are missing, of the wrong type or out of range. Has at least one field error. */
export class InvalidRequest extends Data.TaggedError("InvalidRequest")<{ readonly errors: ReadonlyArray<FieldError> }> {
  /** A request with one wrong field. */
  static of(field: string, message: string, received: unknown = null): InvalidRequest {
    return new InvalidRequest({ errors: [{ field, message, received }] })
  }
  override get message(): string {
    return `The request is not valid: ${this.errors.map(({ field, message }) => `${field}: ${message}`).join("; ")}.`
  }
}

/** The request is unreadable, e.g. invalid JSON. `part` names the unreadable part. */
export class MalformedRequest extends Data.TaggedError("MalformedRequest")<{
  readonly part: string
  readonly message: string
}> {}

/** The body exceeds the limit of this route. */
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {
  override get message(): string {
    return `The body is larger than the limit of this route, ${this.limitBytes} bytes. Send a smaller one.`
  }
}

/** There is no such path, or no such item in a collection. */
export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{
  readonly resource: string
  readonly message: string
}> {}

/** Neither an environment nor the store has a track with this id. */
export class UnknownTrack extends Data.TaggedError("UnknownTrack")<{ readonly trackId: number }> {
  override get message(): string {
    return `There is no track ${this.trackId}. Tracks are available while they exist and, for a limited time, after their end.`
  }
}

/** A range in the details of an error: ISO 8601 times; null: unbounded. */
interface TimeRange {
  readonly start: string | null
  readonly end: string | null
}

/** No frame of this range is stored. */
export class NoFramesInRange extends Data.TaggedError("NoFramesInRange")<{
  /** Null: the request covers all active environments. */
  readonly environmentId: string | null
  readonly requested: TimeRange
  /** Null when no frame is stored at all. */
  readonly available: TimeRange | null
}> {
  override get message(): string {
    const environment = this.environmentId === null ? "any active environment" : `environment "${this.environmentId}"`
    return this.available === null
      ? `No frame of ${environment} is stored yet.`
      : `No frame of ${environment} is stored for this time. Frames exist from ${this.available.start} to ${this.available.end}.`
  }
}

/** The path does not support this method. */
export class MethodNotAllowed extends Data.TaggedError("MethodNotAllowed")<{
  readonly method: string
  readonly allowed: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.method} is not supported here. Use ${this.allowed.join(" or ")}.`
  }
}

/** The account has reached its limit of WebSocket connections. */
export class TooManyConnections extends Data.TaggedError("TooManyConnections")<{ readonly limit: number }> {
  override get message(): string {
    return `This account already has ${this.limit} connections, the maximum. Close or share one.`
  }
}

/** The node has reached its limit of connections. */
export class Overloaded extends Data.TaggedError("Overloaded")<{
  readonly limit: number
  readonly message: string
}> {}

/** A defect. The client receives only the request id, with which the operator finds the cause in the log. */
export class Unexpected extends Data.TaggedError("Unexpected")<{ readonly message: string }> {}
