/**
 * Answers of the home API over REST: JSON, a message as JSON, or the framework's plain text.
 */
import { STATUS_CODES } from "node:http"

export interface Answer {
  readonly status: number
  /** Empty: no body. */
  readonly text: string
  readonly mediaType: string
  readonly headers: Readonly<Record<string, string>>
}

export type Headers = Answer["headers"]

const plainType = "text/plain; charset=utf-8"
const none: Headers = {}

export const jsonAnswer = (text: string, status = 200, headers: Headers = none): Answer => ({
  status,
  text,
  mediaType: "application/json",
  headers,
})

/** What a handler says in words. */
export const messageAnswer = (status: number, message: string): Answer =>
  jsonAnswer(JSON.stringify({ message }), status)

/** What is said before a handler is asked, or instead of it. */
export const plainAnswer = (status: number, headers: Headers = none): Answer => ({
  status,
  text: status === 500
    ? "500 Internal Server Error\n\nServer got itself in trouble"
    : `${status}: ${STATUS_CODES[status]}`,
  mediaType: plainType,
  headers,
})

export const emptyAnswer = (status: number, headers: Headers = none): Answer => ({
  status,
  text: "",
  mediaType: plainType,
  headers,
})
