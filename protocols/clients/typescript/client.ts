/**
 * The REST client: one function per method, typed by the path. It has no dependency, and runs on Deno, Node >= 22 and in browsers.
 */
import { type Credentials, identitiesOf, type Identity } from "./credentials.ts"
import { WaveposeError } from "./error.ts"
import type { AnswerOf, Form, Method, PathOf, RequestOf } from "./form.ts"

export interface ClientOptions<F extends Form> extends Credentials {
  /** Address of the service, e.g. `http://127.0.0.1:8000`. */
  readonly url: string
  readonly form: F
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
const headerOf = ({ apiKey, token }: Identity): Record<string, string> => {
  if (apiKey !== undefined) return { "X-API-Key": apiKey }
  return token === undefined ? {} : { Authorization: `Bearer ${token}` }
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

/** A client of a service. Each function rejects with a `WaveposeError`. A request whose token is rejected is sent again with a new one. */
export const createClient = <F extends Form>(options: ClientOptions<F>): Client<F> => {
  const { form, timeoutMs = defaultTimeoutMs } = options
  const base = options.url.replace(/\/$/, "")
  const send = options.fetch ?? globalThis.fetch
  const identities = identitiesOf(options)
  const ask = (method: Method, path: string, request: AnyRequest, identity: Identity): Promise<Response> => {
    const limit = AbortSignal.timeout(timeoutMs)
    const headers = {
      Accept: "application/json",
      ...headerOf(identity),
      ...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(request.requestId === undefined ? {} : { "X-Request-Id": request.requestId }),
      ...(request.ifMatch === undefined ? {} : { "If-Match": request.ifMatch }),
    }
    return send(base + targetOf(path, form, request), {
      method: method.toUpperCase(),
      headers,
      signal: request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    }).catch((cause: unknown) => {
      throw new WaveposeError(`${base} does not answer: ${String(cause)}`, { status: 0, code: "NO_ANSWER" }, { cause })
    })
  }
  const call = (method: Method) => async (path: string, request: AnyRequest = {}): Promise<unknown> => {
    const identity = await identities.next()
    const response = await ask(method, path, request, identity)
    if (response.status !== 401 || !identities.reject(identity)) return bodyOf(response)
    await response.body?.cancel()
    return bodyOf(await ask(method, path, request, await identities.next()))
  }
  // The types of the paths hold for every call, because the documents are those of the service.
  return { options, get: call("get"), post: call("post"), put: call("put"), delete: call("delete") } as Client<F>
}

/** Signs in by a password. The result returns an access token, and signs in again a minute before it ends, or when it was rejected. */
export const passwordToken = (
  url: string,
  username: string,
  password: string,
): (rejected?: string) => Promise<string> => {
  const client = createClient({ url, form: "bare" })
  let current: { readonly token: Promise<string>; endsMs: number } | null = null
  const signIn = () => {
    const signedIn = client.post("/api/v1/auth/token", { body: { username, password } })
    const next = { token: signedIn.then(({ access_token }) => access_token), endsMs: Infinity }
    signedIn.then(
      ({ expires_in }) => next.endsMs = Date.now() + (expires_in - 60) * 1000,
      () => current = null,
    )
    return next
  }
  return async (rejected) => {
    const held = current
    if (held !== null && Date.now() < held.endsMs) {
      const token = await held.token
      if (token !== rejected) return token
    }
    // Another call may have replaced it in the meantime.
    if (current === held || current === null) current = signIn()
    return current.token
  }
}
