/** The error of the client. */
/** A request that the service rejected, or that did not reach it. */
export class WaveposeError extends Error {
  override readonly name = "WaveposeError"
  /** HTTP status; for a WebSocket the close code; 0 if there was no answer. */
  readonly status: number
  /** Code of the error, e.g. `POSE_DATA_NOT_FOUND`; `NO_ANSWER` if there was none. */
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  /** Seconds after which the request may be repeated; null if the service did not say. */
  readonly retryAfterS: number | null

  constructor(
    message: string,
    fields: {
      readonly status: number
      readonly code: string
      readonly details?: Readonly<Record<string, unknown>>
      readonly requestId?: string | null
      readonly retryAfterS?: number | null
    },
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.status = fields.status
    this.code = fields.code
    this.details = fields.details ?? {}
    this.requestId = fields.requestId ?? null
    this.retryAfterS = fields.retryAfterS ?? null
  }
}
