/** One request and the reading of its answer within a limit of time; failures are one class. */
import { RequestFailed } from "./request-failed.ts"
import type { Problem } from "./types.ts"

/** Milliseconds after which a request without an answer is given up: later than the service gives up its database. */
const requestMsMax = 35_000

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
  /** Milliseconds after which it is given up, if not as usual. */
  readonly limitMs?: number
}

const failureOf = (cause: unknown, limitMs: number): RequestFailed => {
  if (cause instanceof RequestFailed) return cause
  const problem = (code: string, message: string) => new RequestFailed(0, { code, message })
  const name = (cause as Error).name
  if (name === "TimeoutError") return problem("TIMEOUT", `The service has not answered within ${limitMs / 1000} s.`)
  return name === "SyntaxError"
    ? problem("UNREADABLE", "The answer could not be read. Is another service at this address?")
    : problem("UNREACHABLE", "The service does not answer. Is it running?")
}

/** Makes a request and reads its answer, within the limit. */
export const send = async <A>(
  url: URL,
  { body, ifMatch, limitMs = requestMsMax, method = "GET", token }: RequestOptions,
  read: (response: Response) => Promise<A>,
): Promise<A> => {
  const headers: Record<string, string> = { "x-response-form": "bare" }
  if (token != null) headers["authorization"] = `Bearer ${token}`
  if (ifMatch != null) headers["if-match"] = ifMatch
  if (body !== undefined) headers["content-type"] = "application/json"
  try {
    const response = await fetch(url, {
      method,
      headers,
      credentials: "same-origin",
      signal: AbortSignal.timeout(limitMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new RequestFailed(response.status, await problemOf(response))
    return await read(response)
  } catch (cause) {
    throw failureOf(cause, limitMs)
  }
}
