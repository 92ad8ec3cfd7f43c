/**
 * A client of a running service's REST API, for commands.
 */
import { Data, Effect, Schema, type Scope } from "effect"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { ServiceSilent } from "../settings/service-silent.ts"
import { certificateAdvice } from "./certificate-advice.ts"

/** A request without an answer, or with an unexpected one. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  /** HTTP status; null without an answer. */
  readonly status: number | null
  /** Code of the service's error, if it stated one. */
  readonly code?: string
  /** Seconds until the service admits the request; only above a rate limit. */
  readonly retryAfterS?: number
  readonly message: string
}> {}

/** A failed request as the command reports it. */
export const rejectedBy =
  (url: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | NoAnswer, R>): Effect.Effect<A, E | InvalidCommand | ServiceSilent, R> =>
    Effect.mapError(effect, (failure): E | InvalidCommand | ServiceSilent => {
      if (!(failure instanceof NoAnswer)) return failure as E
      const advice = failure.status === null ? certificateAdvice(failure.message) : null
      if (advice !== null) {
        return new InvalidCommand({
          message: `The certificate of ${url} is not accepted: ${failure.message}. ${advice}`,
        })
      }
      return failure.status === null
        ? new ServiceSilent({
          message:
            `No service answers at ${url}: ${failure.message}. Start one with \`wavepose start\`, or name it with --url.`,
        })
        : new InvalidCommand({ message: `The service at ${url} rejected the request: ${failure.message}` })
    })

type Headers = Readonly<Record<string, string>>

export interface ServiceRequest {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string
  readonly timeoutMs?: number
}

/** Default of requests that name no timeout. */
const answerMsMax = 10_000

const ErrorBody = Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) })
const Tokens = Schema.Struct({ access_token: Schema.String, refresh_token: Schema.String })
/** A command does not wait longer to sign out. */
const signOutMsMax = 2_000

/** Why a request failed. On Node the cause has the message; Deno repeats the address and its own layers before it. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const message = cause instanceof Error && cause.message !== "" ? cause.message : error.message
  return message.replace(/^error sending request for url \(.*?\): /, "")
    .replace(/^client error \(Connect\): (tcp connect error: )?/, "")
}

const isForeign = "the answer is not from a wavepose service"

/** The JSON of an answer; an empty one is null. */
const jsonOf = (status: number, text: string): Effect.Effect<unknown, NoAnswer> =>
  text === "" ? Effect.succeed(null) : Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: () => new NoAnswer({ status: null, message: `${isForeign} (status ${status})` }),
  })

/**
 * Sends a request in the bare form. An answer without a body is null.
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
  const { retryAfter, status, text } = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        ...request,
        headers: { "x-response-form": "bare", ...request.headers },
        signal,
      })
      return {
        status: response.status,
        retryAfter: response.headers.get("retry-after"),
        text: await response.text(),
      }
    },
    catch: (error) => new NoAnswer({ status: null, message: reasonOf(error) }),
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () =>
        Effect.fail(new NoAnswer({ status: null, message: `no answer within ${timeoutMs / 1000} seconds` })),
    }),
  )
  const json = yield* jsonOf(status, text)
  if (status >= 400) {
    const said = Schema.decodeUnknownOption(ErrorBody)(json)
    return yield* new NoAnswer({
      status,
      // A proxy may answer with a date.
      ...(status === 429 && /^\d+$/.test(retryAfter ?? "") ? { retryAfterS: Number(retryAfter) } : {}),
      ...(said._tag === "Some" ? said.value.error : { message: `status ${status}` }),
    })
  }
  return yield* Schema.decodeUnknownEffect(schema)(json).pipe(
    Effect.mapError(() => new NoAnswer({ status: null, message: isForeign })),
  )
})

/** Sends JSON without credentials. */
const posted = <A>(url: string, path: string, schema: Schema.ConstraintDecoder<A>, body: object, timeoutMs?: number) =>
  askService(url, path, schema, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })

/**
 * The headers of the caller that the environment variables name. A sign-in ends with the scope: those that stayed would displace sign-ins of
 * persons.
 *
 * @param why why the request needs a caller; part of the message without one
 */
export const signIn = Effect.fnUntraced(function* (
  url: string,
  why: string,
): Effect.fn.Return<Headers, NoAnswer | InvalidCommand, Scope.Scope> {
  const { WAVEPOSE_ADMIN_PASSWORD: password, WAVEPOSE_ADMIN_USERNAME: username, WAVEPOSE_API_KEY: key } = process.env
  if (key !== undefined && key !== "") return { "x-api-key": key }
  if (password === undefined || password === "") {
    return yield* new InvalidCommand({
      message: `Set WAVEPOSE_API_KEY to an API key, or WAVEPOSE_ADMIN_PASSWORD (and _USERNAME): ${why}`,
    })
  }
  const { access_token, refresh_token } = yield* posted(url, "/auth/token", Tokens, {
    username: username ?? "admin",
    password,
  })
  yield* Effect.addFinalizer(() =>
    Effect.ignore(posted(url, "/auth/logout", Schema.Null, { refresh_token }, signOutMsMax))
  )
  return { authorization: `Bearer ${access_token}` }
})

/**
 * Sends a request as the caller that the environment variables name. A failure is reported as that of a command.
 *
 * @param why see `signIn`
 */
export const askAsUser = <A>(
  url: string,
  why: string,
  path: string,
  schema: Schema.ConstraintDecoder<A>,
  request: ServiceRequest = {},
) =>
  Effect.gen(function* () {
    const caller = yield* signIn(url, why)
    const type = request.body === undefined ? {} : { "content-type": "application/json" }
    return yield* askService(url, path, schema, { ...request, headers: { ...caller, ...type, ...request.headers } })
  }).pipe(Effect.scoped, rejectedBy(url))
