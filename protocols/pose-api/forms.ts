/**
 * The two response forms and how each wraps a body. No other file knows the shape of the wrapping.
 *
 * Bare: the data itself, or `{error}`. Envelope: `{success, data | error, timestamp, request_id}`.
 */
import { Schema } from "effect"

export const forms = ["bare", "envelope"] as const
export type Form = (typeof forms)[number]

/** ISO 8601 in UTC with three decimals, e.g. `2026-01-05T09:30:00.125Z`; the argument is epoch milliseconds. */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString()

/** `isoTime`, or null without a time. */
export const isoTimeOrNull = (epochMs: number | null): string | null => epochMs === null ? null : isoTime(epochMs)

export const IsoTime = Schema.String.annotate({ format: "date-time" })

/** Fields of every answer, as components of the document. */
const Succeeded = Schema.Literal(true).annotate({ identifier: "Succeeded", description: "The request succeeded." })
const AnsweredAt = Schema.String.annotate({
  identifier: "AnsweredAt",
  format: "date-time",
  description: "Time of the answer, UTC.",
})
const RequestId = Schema.String.annotate({
  identifier: "RequestId",
  description: "Id of the request, also in the log: the client's `X-Request-Id`, or one that the server generated.",
})

/** An error before it is wrapped. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly details: Record<string, unknown>
}

/** The time and the request of an answer. */
interface AnswerMark {
  readonly nowMs: number
  readonly requestId: string
}

/** The JSON text of a success; `data` is the JSON text of its data. */
export const successText = (form: Form, data: string, mark: AnswerMark): string =>
  form === "bare"
    ? data
    : `{"success":true,"data":${data},"timestamp":"${isoTime(mark.nowMs)}","request_id":${
      JSON.stringify(mark.requestId)
    }}`

/** The JSON text of an error. */
export const errorText = (form: Form, error: ErrorBody, mark: AnswerMark): string => {
  const timestamp = isoTime(mark.nowMs)
  return JSON.stringify(
    form === "bare"
      ? { error: { ...error, timestamp, request_id: mark.requestId } }
      : { success: false, error, timestamp, request_id: mark.requestId },
  )
}

const errorFields = {
  code: Schema.String,
  message: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown),
}

/** The schema of the text of `errorText`. */
export const ErrorSchema: Record<Form, Schema.Constraint> = {
  bare: Schema.Struct({ error: Schema.Struct({ ...errorFields, timestamp: AnsweredAt, request_id: RequestId }) }),
  envelope: Schema.Struct({
    success: Schema.Literal(false),
    error: Schema.Struct(errorFields),
    timestamp: AnsweredAt,
    request_id: RequestId,
  }),
}

/** The fields of a success in the envelope form, besides its data. */
export const EnvelopeSchema = Schema.Struct({ success: Succeeded, timestamp: AnsweredAt, request_id: RequestId })
