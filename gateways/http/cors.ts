/**
 * Cross-origin requests of web pages (CORS): the origins of a list may call, all others may not. Credentials (cookies) are never allowed.
 */
import type { IncomingMessage } from "node:http"
import { type Answer, emptyAnswer, type Headers } from "./answer.ts"

export interface CorsPolicy {
  /** E.g. `https://console.example`: scheme, host and, if not the default, port. */
  readonly origins: ReadonlySet<string>
  readonly methods: ReadonlyArray<string>
  /** Request headers that a page may set. */
  readonly requestHeaders: ReadonlyArray<string>
  /** Headers of an answer that a page may read, beside those that every page may. */
  readonly exposedHeaders: ReadonlyArray<string>
}

/** How long a browser may remember the answer to a preflight request, in seconds. */
const preflightMaxAgeS = 600

/** The origins of a setting: a list with commas. A slash at the end is no part of an origin. */
export const originsOf = (list: string): ReadonlyArray<string> =>
  list.split(",").map((origin) => origin.trim().replace(/\/$/, "")).filter((origin) => origin !== "")

/** Whether a text is an origin, as browsers send it. */
export const isOrigin = (text: string): boolean => URL.parse(text)?.origin === text

/** Headers of every answer to a page of this origin. One that is not allowed gets no permission, in an answer that no cache gives to others. */
export const corsHeaders = ({ exposedHeaders, origins }: CorsPolicy, origin: string): Headers => {
  if (!origins.has(origin)) return { Vary: "Origin" }
  const exposed = exposedHeaders.length === 0 ? {} : { "Access-Control-Expose-Headers": exposedHeaders.join(", ") }
  return { "Access-Control-Allow-Origin": origin, ...exposed, Vary: "Origin" }
}

/** Whether a browser asks if it may send a request. */
export const isPreflight = ({ headers, method }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined

/** The answer to a preflight request, without the headers of `corsHeaders`; null: the request is not allowed. */
export const preflightAnswer = (
  { methods, origins, requestHeaders }: CorsPolicy,
  request: IncomingMessage,
): Answer | null => {
  const { origin, "access-control-request-headers": asked, "access-control-request-method": method } = request.headers
  const known = new Set(requestHeaders.map((name) => name.toLowerCase()))
  const names = (asked ?? "").split(",").map((name) => name.trim().toLowerCase()).filter((name) => name !== "")
  const isAllowed = origin !== undefined && origins.has(origin) && methods.includes(method ?? "") &&
    names.every((name) => known.has(name))
  if (!isAllowed) return null
  return emptyAnswer(200, {
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": requestHeaders.join(", "),
    "Access-Control-Max-Age": String(preflightMaxAgeS),
  })
}
