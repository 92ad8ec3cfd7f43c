/**
 * The REST client: one function per method, typed by the path. It has no dependency, and runs on Deno, Node >= 22 and in browsers.
 */
import { WaveposeError } from "./error.ts"
import type { AnswerOf, Form, Method, PathOf, RequestOf } from "./form.ts"

/** Credentials: an access token, or a function that returns one, or an API key. */
export interface ClientOptions<F extends Form> {
  /** Address of the service, e.g. `http://127.0.0.1:8000`. */
  readonly url: string
  readonly form: F
  readonly token?: string | (() => Promise<string>)
  readonly apiKey?: string
  /** Time limit of a request, in ms; default 30 000. */
  readonly timeoutMs?: number
  readonly fetch?: typeof globalThis.fetch
}

type Call<F extends Form, M extends Method> = <P extends PathOf<F, M>>(
  path: P,
  ...request: Record<never, never> extends RequestOf<F, M, P> ? [RequestOf<F, M, P>?] : [RequestOf<F, M, P>]
) => Promise<AnswerOf<F, M, P>>

export interface Client<F extends Form> {
  readonly options: ClientOptions<F>
  readonly get: Call<F, "get">
  readonly post: Call<F, "post">
  readonly put: Call<F, "put">
  readonly delete: Call<F, "delete">
}

/** The parts of a request of any operation. */
interface AnyRequest {
  readonly query?: Readonly<Record<string, unknown>>
  readonly path?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly requestId?: string
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}

const defaultTimeoutMs = 30_000

const targetOf = (path: string, form: Form, { path: parameters = {}, query = {} }: AnyRequest): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name])))
  const search = new URLSearchParams({ form })
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${filled}?${search}`
}

/** The header that authenticates a request. */
export const credentialsOf = async (
  { apiKey, token }: Pick<ClientOptions<Form>, "apiKey" | "token">,
): Promise<Record<string, string>> => {
  if (apiKey !== undefined) return { "X-API-Key": apiKey }
  if (token === undefined) return {}
  return { Authorization: `Bearer ${typeof token === "string" ? token : await token()}` }
}

const errorOf = (response: Response, text: string): WaveposeError => {
  let json: unknown = null
  try {
    json = JSON.parse(text)
  } catch {
    // A proxy answered: its text is no JSON, and the status says enough.
  }
  const { error = {} } = (json ?? {}) as {
    error?: { code?: string; message?: string; details?: Record<string, unknown> }
  }
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN)
  return new WaveposeError(error.message ?? `The service answered ${response.status}.`, {
    status: response.status,
    code: error.code ?? "NO_ANSWER",
    details: error.details ?? {},
    requestId: response.headers.get("x-request-id"),
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
  })
}

const bodyOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  if (!response.ok) throw errorOf(response, text)
  if (text === "") return undefined
  return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text
}

/** A client of a service. Each function rejects with a `WaveposeError`. */
export const createClient = <F extends Form>(options: ClientOptions<F>): Client<F> => {
  const { form, timeoutMs = defaultTimeoutMs } = options
  const base = options.url.replace(/\/$/, "")
  const send = options.fetch ?? globalThis.fetch
  const call = (method: Method) => async (path: string, request: AnyRequest = {}): Promise<unknown> => {
    const limit = AbortSignal.timeout(timeoutMs)
    const headers = {
      Accept: "application/json",
      ...await credentialsOf(options),
      ...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(request.requestId === undefined ? {} : { "X-Request-Id": request.requestId }),
      ...(request.ifMatch === undefined ? {} : { "If-Match": request.ifMatch }),
    }
    const response = await send(base + targetOf(path, form, request), {
      method: method.toUpperCase(),
      headers,
      signal: request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    }).catch((cause: unknown) => {
      throw new WaveposeError(`${base} does not answer: ${String(cause)}`, { status: 0, code: "NO_ANSWER" }, { cause })
    })
    return bodyOf(response)
  }
  // The types of the paths hold for every call, because the documents are those of the service.
  return { options, get: call("get"), post: call("post"), put: call("put"), delete: call("delete") } as Client<F>
}

/** Signs in by a password. The result returns an access token, and signs in again a minute before it ends. */
export const passwordToken = (url: string, username: string, password: string): () => Promise<string> => {
  const client = createClient({ url, form: "bare" })
  let current: { readonly token: Promise<string>; endsMs: number } | null = null
  return () => {
    if (current !== null && Date.now() < current.endsMs) return current.token
    const signedIn = client.post("/api/v1/auth/token", { body: { username, password } })
    const next = { token: signedIn.then(({ access_token }) => access_token), endsMs: Infinity }
    current = next
    signedIn.then(
      ({ expires_in }) => next.endsMs = Date.now() + (expires_in - 60) * 1000,
      () => current = null,
    )
    return next.token
  }
}
