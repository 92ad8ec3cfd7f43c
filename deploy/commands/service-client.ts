/**
 * A client of a running service's REST API, for the commands that ask one.
 */
import { Data, Effect, Schema } from "effect"
import { InvalidCommand } from "../settings/invalid-command.ts"

/** A request that was not answered, or not as expected. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  /** Null when nobody answered at all. */
  readonly status: number | null
  readonly message: string
}> {}

type Headers = Readonly<Record<string, string>>

export interface ServiceRequest {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string
  readonly timeoutMs?: number
}

/** Where the request does not say. */
const answerMsMax = 10_000

const ErrorBody = Schema.Struct({ error: Schema.Struct({ message: Schema.String }) })
const Token = Schema.Struct({ access_token: Schema.String })

/** Why a request failed: of a connection that was refused the message says it in its cause. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}

/**
 * Asks the service, in the bare form; an answer without a body is null.
 *
 * @param url e.g. `http://127.0.0.1:8000`
 * @param path below `/api/v1`
 */
export const askService = Effect.fnUntraced(function* <A>(
  url: string,
  path: string,
  schema: Schema.ConstraintDecoder<A>,
  { timeoutMs = answerMsMax, ...request }: ServiceRequest = {},
): Effect.fn.Return<A, NoAnswer> {
  const { json, status } = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        ...request,
        headers: { "x-response-form": "bare", ...request.headers },
        signal,
      })
      const text = await response.text()
      return { status: response.status, json: text === "" ? null : JSON.parse(text) as unknown }
    },
    catch: (error) => new NoAnswer({ status: null, message: reasonOf(error) }),
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () =>
        Effect.fail(new NoAnswer({ status: null, message: `no answer within ${timeoutMs / 1000} seconds` })),
    }),
  )
  if (status >= 400) {
    const said = Schema.decodeUnknownOption(ErrorBody)(json)
    return yield* new NoAnswer({
      status,
      message: said._tag === "Some" ? said.value.error.message : `status ${status}`,
    })
  }
  return yield* Schema.decodeUnknownEffect(schema)(json).pipe(
    Effect.mapError(() => new NoAnswer({ status, message: "the answer is not that of a wavepose service" })),
  )
})

/**
 * The headers of the caller that the environment's variables name.
 *
 * @param why what needs it, said where there is none
 */
export const signIn = Effect.fnUntraced(function* (
  url: string,
  why: string,
): Effect.fn.Return<Headers, NoAnswer | InvalidCommand> {
  const { WAVEPOSE_ADMIN_PASSWORD: password, WAVEPOSE_ADMIN_USERNAME: username, WAVEPOSE_API_KEY: key } = process.env
  if (key !== undefined && key !== "") return { "x-api-key": key }
  if (password === undefined || password === "") {
    return yield* new InvalidCommand({
      message: `Set WAVEPOSE_API_KEY to an API key, or WAVEPOSE_ADMIN_PASSWORD (and _USERNAME): ${why}`,
    })
  }
  const { access_token } = yield* askService(url, "/auth/token", Token, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: username ?? "admin", password }),
  })
  return { authorization: `Bearer ${access_token}` }
})
