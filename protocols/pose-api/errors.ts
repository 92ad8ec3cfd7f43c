/**
 * The status, code and details of each failure in each form, for REST and WebSocket.
 */
import type {
  ActorUnavailable,
  AnswerTimeout,
  EnrolmentConflict,
  EnvironmentMoved,
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
import type {
  FieldError,
  InvalidRequest,
  MalformedRequest,
  MethodNotAllowed,
  NoFramesInRange,
  Overloaded,
  PayloadTooLarge,
  ResourceNotFound,
  TooManyConnections,
  Unexpected,
  UnknownTrack,
} from "./edge-failures.ts"
import { type ErrorBody, type Form, isoTime } from "./forms.ts"

/** All failures of handlers and of the edge itself. */
export type Failure =
  | AccountConflict
  | ActorUnavailable
  | AnswerTimeout
  | ConfigurationMoved
  | EnrolmentConflict
  | EnvironmentMoved
  | InvalidConfiguration
  | InvalidRequest
  | MalformedRequest
  | MethodNotAllowed
  | NoFrames
  | NoFramesInRange
  | NotAuthenticated
  | NotAuthorised
  | Overloaded
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
  EnrolmentConflict: {
    status: 409,
    code: code("CONFLICT"),
    details: ({ environmentId, routerId }) => ({
      resource: routerId === null ? "environment" : "router",
      environment_id: environmentId,
      router_id: routerId,
    }),
  },
  EnvironmentMoved: {
    status: 412,
    code: code("CONFLICT"),
    details: ({ environmentId }) => ({ resource: "environment", environment_id: environmentId }),
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
  Overloaded: { status: 503, code: code("SERVICE_UNAVAILABLE"), details: ({ limit }) => ({ limit }) },
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
  UnknownModel: {
    status: 422,
    code: code("VALIDATION_ERROR"),
    details: ({ message, modelVersion }, form) =>
      validationDetails([{ field: "neural_network.model_version", message, received: modelVersion }], form),
  },
  UnknownRouter: {
    status: 404,
    code: code("RESOURCE_NOT_FOUND"),
    details: ({ routerId }) => ({ resource: "router", router_id: routerId }),
  },
  UnusableModel: {
    status: 500,
    code: code("MODEL_ERROR"),
    details: ({ modelVersion }) => ({ model_version: modelVersion }),
  },
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
