/**
 * Failures of the REST and WebSocket edge itself: what a request can get wrong, and what the edge cannot take on.
 *
 * Boundary: failures that come from actors and stores are in `protocols/domain`; statuses and codes are in `errors.ts`.
 */
import { Data } from "effect"

/** One thing wrong with a request; `field` is the dotted path, `received` null where nothing was given. */
export interface FieldError {
  readonly field: string
  readonly message: string
  readonly received: unknown
}

/** Readable, but fields are missing, of the wrong type or out of range. At least one field error. */
export class InvalidRequest extends Data.TaggedError("InvalidRequest")<{ readonly errors: ReadonlyArray<FieldError> }> {
  /** A request with one wrong field. */
  static of(field: string, message: string, received: unknown = null): InvalidRequest {
    return new InvalidRequest({ errors: [{ field, message, received }] })
  }
  override get message(): string {
    return `The request is not valid: ${this.errors.map(({ field, message }) => `${field}: ${message}`).join("; ")}.`
  }
}

/** Not readable at all, e.g. broken JSON; `part` says what. */
export class MalformedRequest extends Data.TaggedError("MalformedRequest")<{
  readonly part: string
  readonly message: string
}> {}

/** The body is larger than this route takes. */
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {
  override get message(): string {
    return `The body is larger than ${this.limitBytes} bytes, the most this route takes.`
  }
}

/** Nothing is served at this path, or there is no such thing in a collection. */
export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{
  readonly resource: string
  readonly message: string
}> {}

/** No environment that could be meant follows a track of this id, or remembers one. */
export class UnknownTrack extends Data.TaggedError("UnknownTrack")<{ readonly trackId: number }> {
  override get message(): string {
    return `There is no track ${this.trackId}. A track can be asked for while it lives and for a while after its end.`
  }
}

/** Times in the details of an error, ISO 8601; null: no limit. */
export interface TimeRange {
  readonly start: string | null
  readonly end: string | null
}

/** Nothing is stored of this range of time. */
export class NoFramesInRange extends Data.TaggedError("NoFramesInRange")<{
  /** Null: no environment has any. */
  readonly environmentId: string | null
  readonly requested: TimeRange
  /** Null when nothing is stored at all. */
  readonly available: TimeRange | null
}> {
  override get message(): string {
    const environment = this.environmentId === null ? "any environment" : `environment "${this.environmentId}"`
    return this.available === null
      ? `No frame of ${environment} is stored yet.`
      : `No frame of ${environment} is stored of this time; there are some from ${this.available.start} to ${this.available.end}.`
  }
}

/** The path exists, but not for this method. */
export class MethodNotAllowed extends Data.TaggedError("MethodNotAllowed")<{
  readonly method: string
  readonly allowed: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.method} is not served here; use ${this.allowed.join(" or ")}.`
  }
}

/** A caller has as many WebSocket connections open as it may have. */
export class TooManyConnections extends Data.TaggedError("TooManyConnections")<{ readonly limit: number }> {
  override get message(): string {
    return `There are ${this.limit} connections of this account already. Close one, or share one.`
  }
}

/** The node has as many connections as it keeps; `limit` is how many. */
export class Overloaded extends Data.TaggedError("Overloaded")<{
  readonly limit: number
  readonly message: string
}> {}

/** A defect: the reader learns nothing but the request id, by which the log is searched. */
export class Unexpected extends Data.TaggedError("Unexpected")<{ readonly message: string }> {}
