/**
 * The answer to an HTTP request, as data that any HTTP edge returns and `answer-writer.ts` writes.
 */

export type Headers = Readonly<Record<string, string>>

export const noHeaders: Headers = {}

export interface Answer {
  readonly status: number
  /** Text is written in UTF-8; null: no content. */
  readonly body: string | Uint8Array | null
  /** The `Content-Type` of the body. */
  readonly mediaType: string
  readonly headers: Headers
  /** The path of the route as declared, for metrics; null: no route was found. */
  readonly route: string | null
}

/** An answer without a body. */
export const emptyAnswer = (status: number, headers: Headers = noHeaders): Answer => ({
  status,
  body: null,
  mediaType: "",
  headers,
  route: null,
})
