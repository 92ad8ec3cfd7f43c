/**
 * Answers of the home API over REST: JSON, a message as JSON, or the framework's plain text.
 */
import { STATUS_CODES } from "node:http"
import { type Answer, type Headers, noHeaders } from "../../http/answer.ts"

export const jsonAnswer = (text: string, status = 200, headers: Headers = noHeaders): Answer => ({
  status,
  body: text,
  mediaType: "application/json",
  headers,
  route: null,
})

/** A message of a handler. */
export const messageAnswer = (status: number, message: string): Answer =>
  jsonAnswer(JSON.stringify({ message }), status)

/** The answer of the framework, before a handler runs or instead of it. */
export const plainAnswer = (status: number, headers: Headers = noHeaders): Answer => ({
  status,
  body: status === 500
    ? "500 Internal Server Error\n\nServer got itself in trouble"
    : `${status}: ${STATUS_CODES[status]}`,
  mediaType: "text/plain; charset=utf-8",
  headers,
  route: null,
})
