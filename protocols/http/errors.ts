/**
 * Failures at the REST and WebSocket edge: what a request itself can get wrong, and the one table from a failure to its
 * status, its code and its details in each form.
 */
import { Data } from "effect"
import type {
  ActorUnavailable,
  NoFrames,
  RoutersSilent,
  StoreUnavailable,
  SwitchedOff,
  SystemConflict,
  SystemNotRunning,
  UnknownEnvironment,
  UnknownModel,
  UnknownRouter,
  UnusableModel,
} from "../domain/failure.ts"
import type { ConfigurationMoved, InvalidConfiguration } from "../domain/configuration-change.ts"
import type { AccountConflict, NotAuthenticated, NotAuthorised } from "../domain/identity.ts"
import type { RateLimited } from "../domain/rate-limit.ts"
import { type TooManyWebhooks, webhooksMax } from "../domain/webhook.ts"
import { fieldOf } from "./configuration-fields.ts"
import { type ErrorBody, type Form, isoTime } from "./forms.ts"

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
  readonly environmentId: string
  readonly requested: TimeRange
  /** Null when nothing is stored at all. */
  readonly available: TimeRange | null
}> {
  override get message(): string {
    return this.available === null
      ? `No frame of environment "${this.environmentId}" is stored yet.`
      : `No frame of environment "${this.environmentId}" is stored of this time; there are some from ${this.available.start} to ${this.available.end}.`
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

/** An actor did not answer within its time. */
export class AnswerTimeout extends Data.TaggedError("AnswerTimeout")<{
  readonly actor: string
  readonly limitMs: number
}> {
  override get message(): string {
    return `${this.actor} did not answer within ${this.limitMs} ms. Try again.`
  }
}

/** A defect: the reader learns nothing but the request id, by which the log is searched. */
export class Unexpected extends Data.TaggedError("Unexpected")<{ readonly message: string }> {}

/** Everything a handler or the edge itself may fail with. */
export type Failure =
  | AccountConflict
  | ActorUnavailable
  | AnswerTimeout
  | ConfigurationMoved
  | InvalidConfiguration
  | InvalidRequest
  | MalformedRequest
  | MethodNotAllowed
  | NoFrames
  | NoFramesInRange
  | NotAuthenticated
  | NotAuthorised
  | PayloadTooLarge
  | RateLimited
  | ResourceNotFound
  | RoutersSilent
  | StoreUnavailable
  | SwitchedOff
  | SystemConflict
  | SystemNotRunning
  | TooManyWebhooks
  | TooManyConnections
  | Unexpected
  | UnknownEnvironment
  | UnknownTrack
  | UnknownModel
  | UnknownRouter
  | UnusableModel

export type FailureTag = Failure["_tag"]
type Tagged<Tag extends FailureTag> = Extract<Failure, { readonly _tag: Tag }>

interface Row<Tag extends FailureTag> {
  readonly status: number
  readonly code: Record<Form, string>
  readonly details: (failure: Tagged<Tag>, form: Form) => Record<string, unknown>
}

const code = (both: string): Record<Form, string> => ({ bare: both, envelope: both })
const nothing = () => ({})

const validationDetails = (errors: ReadonlyArray<FieldError>, form: Form): Record<string, unknown> => {
  if (form === "bare") {
    return {
      field_errors: errors.map(({ field, message, received }) => ({ field, message, received_value: received })),
    }
  }
  const entries = errors.map(({ field, message }) => ({ field, reason: message }))
  return { ...entries[0], errors: entries }
}

/** A model that is not there or does not fit is a mistake in the request that named it. */
const modelDetails = (
  { message, modelVersion }: { readonly message: string; readonly modelVersion: string | null },
  form: Form,
): Record<string, unknown> =>
  validationDetails([{ field: "neural_network.model_version", message, received: modelVersion }], form)

const table: { readonly [Tag in FailureTag]: Row<Tag> } = {
  AccountConflict: { status: 409, code: code("CONFLICT"), details: ({ reason }) => ({ reason }) },
  ActorUnavailable: { status: 503, code: code("SERVICE_UNAVAILABLE"), details: ({ actor }) => ({ actor }) },
  AnswerTimeout: {
    status: 504,
    code: code("TIMEOUT"),
    details: ({ actor, limitMs }) => ({ actor, limit_ms: limitMs }),
  },
  ConfigurationMoved: {
    status: 412,
    code: code("CONFLICT"),
    details: ({ revision }) => ({ resource: "configuration", revision }),
  },
  InvalidConfiguration: {
    status: 422,
    code: code("VALIDATION_ERROR"),
    details: ({ problems }, form) =>
      validationDetails(
        problems.map(({ message, setting }) => ({ field: fieldOf(form, setting), message, received: null })),
        form,
      ),
  },
  InvalidRequest: {
    status: 422,
    code: code("VALIDATION_ERROR"),
    details: ({ errors }, form) => validationDetails(errors, form),
  },
  MalformedRequest: {
    status: 400,
    code: code("VALIDATION_ERROR"),
    details: ({ part, message }, form) => validationDetails([{ field: part, message, received: null }], form),
  },
  MethodNotAllowed: { status: 405, code: code("METHOD_NOT_ALLOWED"), details: ({ allowed }) => ({ allowed }) },
  NoFrames: {
    status: 404,
    code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
    details: ({ environmentId, message }, form) =>
      form === "bare"
        ? { environment_id: environmentId, reason: message, requested_range: null, available_range: null }
        : { environment_id: environmentId, reason: message },
  },
  NoFramesInRange: {
    status: 404,
    code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
    details: ({ available, environmentId, requested }) => ({
      environment_id: environmentId,
      requested_range: requested,
      available_range: available,
    }),
  },
  NotAuthenticated: { status: 401, code: code("AUTHENTICATION_ERROR"), details: nothing },
  NotAuthorised: {
    status: 403,
    code: code("AUTHORIZATION_ERROR"),
    details: ({ permission }) => ({ permission }),
  },
  PayloadTooLarge: {
    status: 413,
    code: code("PAYLOAD_TOO_LARGE"),
    details: ({ limitBytes }) => ({ limit_bytes: limitBytes }),
  },
  RateLimited: {
    status: 429,
    code: code("RATE_LIMIT_EXCEEDED"),
    details: ({ limit, resetMs, windowS }, form) =>
      form === "bare"
        ? { limit, window_seconds: windowS, reset_time: isoTime(resetMs) }
        : { limit, window: windowS, reset_at: isoTime(resetMs) },
  },
  ResourceNotFound: { status: 404, code: code("RESOURCE_NOT_FOUND"), details: ({ resource }) => ({ resource }) },
  RoutersSilent: {
    status: 502,
    code: code("HARDWARE_ERROR"),
    details: ({ routerIds }) => ({ router_ids: routerIds }),
  },
  StoreUnavailable: { status: 503, code: code("SERVICE_UNAVAILABLE"), details: nothing },
  SwitchedOff: { status: 503, code: code("SERVICE_UNAVAILABLE"), details: ({ setting }) => ({ setting }) },
  SystemConflict: { status: 409, code: code("CONFLICT"), details: ({ status }) => ({ status }) },
  SystemNotRunning: { status: 503, code: code("SERVICE_UNAVAILABLE"), details: ({ status }) => ({ status }) },
  TooManyWebhooks: {
    status: 409,
    code: code("CONFLICT"),
    details: () => ({ resource: "webhook", limit: webhooksMax }),
  },
  TooManyConnections: {
    status: 429,
    code: code("RATE_LIMIT_EXCEEDED"),
    details: ({ limit }, form) =>
      form === "bare" ? { limit, window_seconds: null, reset_time: null } : { limit, window: null, reset_at: null },
  },
  Unexpected: { status: 500, code: code("SYSTEM_ERROR"), details: nothing },
  UnknownEnvironment: {
    status: 404,
    code: code("RESOURCE_NOT_FOUND"),
    details: ({ environmentId }) => ({ resource: "environment", environment_id: environmentId }),
  },
  UnknownTrack: {
    status: 404,
    code: { bare: "POSE_DATA_NOT_FOUND", envelope: "RESOURCE_NOT_FOUND" },
    details: ({ trackId }) => ({ resource: "track", track_id: trackId }),
  },
  UnknownModel: { status: 422, code: code("VALIDATION_ERROR"), details: modelDetails },
  UnknownRouter: {
    status: 404,
    code: code("RESOURCE_NOT_FOUND"),
    details: ({ routerId }) => ({ resource: "router", router_id: routerId }),
  },
  UnusableModel: { status: 422, code: code("VALIDATION_ERROR"), details: modelDetails },
}

/** The HTTP status of a failure. */
export const statusOf = (tag: FailureTag): number => table[tag].status

/** The error code of a failure in a form. */
export const codeOf = (tag: FailureTag, form: Form): string => table[tag].code[form]

/** The error object of a failure in a form. */
export const errorBody = (failure: Failure, form: Form): ErrorBody => {
  const row = table[failure._tag] as unknown as Row<FailureTag>
  return { code: row.code[form], message: failure.message, details: row.details(failure, form) }
}
