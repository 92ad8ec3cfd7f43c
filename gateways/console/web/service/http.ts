/**
 * Requests to the pose API: paths relative to the page, the access token in a header, failures as one class.
 *
 * Invariant: a token is in memory only; it is never part of an address or of the browser's storage.
 */
import { RequestFailed } from "./request-failed.ts"
import type { Problem } from "./types.ts"

/** Milliseconds after which a request without an answer is given up. */
const requestMsMax = 15_000

/** Where the API is served: beside the page, also below a path of a proxy. */
const apiUrl = (path: string): URL => new URL(`api/v1${path}`, document.baseURI)

const problemOf = async (response: Response): Promise<Problem> => {
  try {
    const { error } = await response.json() as { readonly error: Problem }
    return { code: error.code, message: error.message }
  } catch {
    return { code: "UNKNOWN", message: `The service answered with status ${response.status}.` }
  }
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE"
  readonly body?: unknown
  readonly token?: string | null
  /** The entity tag of the state that a change is meant for. */
  readonly ifMatch?: string | null
}

/** An answer with its entity tag; null: it has none. */
export interface Tagged<A> {
  readonly value: A
  readonly etag: string | null
}

const send = async (
  path: string,
  { body, ifMatch, method = "GET", token }: RequestOptions,
): Promise<Response> => {
  const headers: Record<string, string> = { "x-response-form": "bare" }
  if (token != null) headers["authorization"] = `Bearer ${token}`
  if (ifMatch != null) headers["if-match"] = ifMatch
  if (body !== undefined) headers["content-type"] = "application/json"
  let response: Response
  try {
    response = await fetch(apiUrl(path), {
      method,
      headers,
      credentials: "same-origin",
      signal: AbortSignal.timeout(requestMsMax),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new RequestFailed(0, { code: "UNREACHABLE", message: "The service does not answer. Is it running?" })
  }
  if (!response.ok) throw new RequestFailed(response.status, await problemOf(response))
  return response
}

/** An answer; its value is null if it has no content. Throws `RequestFailed`. */
export const requestTagged = async <A>(path: string, options: RequestOptions = {}): Promise<Tagged<A>> => {
  const response = await send(path, options)
  const value = response.status === 204 ? null as A : await response.json() as A
  return { value, etag: response.headers.get("etag") }
}

/** The text of a document. Throws `RequestFailed`. */
export const requestText = async (path: string, options: RequestOptions = {}): Promise<string> =>
  await (await send(path, options)).text()

/** The JSON of an answer; null if it has no content. Throws `RequestFailed`. */
export const requestJson = async <A>(path: string, options: RequestOptions = {}): Promise<A> =>
  (await requestTagged<A>(path, options)).value
