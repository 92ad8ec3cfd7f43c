/**
 * From a request to its answer, whatever carries it: form, route, access, limit, input, handler, body. Every way through
 * ends in an answer of the asked form; a defect is logged under the request's id and never shown.
 *
 * Invariant: every request is counted once: under its caller where that is known, else under its address.
 */
import { Cause, Clock, Effect, Option, Result } from "effect"
import { jsonType } from "../../../protocols/pose-api/endpoint.ts"
import { type Category, RateLimited, ruleOfCaller, unroutedCategory } from "../../../protocols/domain/rate-limit.ts"
import {
  errorBody,
  type Failure,
  type MalformedRequest,
  type PayloadTooLarge,
  statusOf,
  Unexpected,
} from "../../../protocols/pose-api/errors.ts"
import { errorText, type Form, successText } from "../../../protocols/pose-api/forms.ts"
import type { Authenticator } from "../../access/authenticator.ts"
import { authenticate, authorise, hasCredentials, type HeaderReader } from "../../access/authorise.ts"
import { limitHeaders, type RateLimiter, type Verdict } from "../../access/rate-limiter.ts"
import { responseForm } from "./response-form.ts"
import { lineReader } from "./request-line.ts"
import type { Route, RouteTable } from "./route.ts"

export interface Incoming {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly header: HeaderReader
  readonly requestId: string
  /** Where it comes from, behind the proxies that are trusted. */
  readonly clientAddress: () => string
  /** To be told that its client has shown good credentials. */
  readonly authenticated: () => void
  readonly jsonBody: (limitBytes: number) => Effect.Effect<unknown, MalformedRequest | PayloadTooLarge>
}

export interface Answer {
  readonly status: number
  readonly form: Form
  /** Null: no content. */
  readonly text: string | null
  readonly mediaType: string
  /** The path of the endpoint as it was declared; null where none was found. */
  readonly route: string | null
  readonly headers: Readonly<Record<string, string>>
}

const noHeaders = {}

/** Headers that a failure asks for. */
const failureHeaders = (failure: Failure, header: HeaderReader): Readonly<Record<string, string>> => {
  if (failure._tag === "NotAuthenticated") {
    const detail = hasCredentials(header) ? `, error="invalid_token"` : ""
    return { "WWW-Authenticate": `Bearer realm="wavepose"${detail}` }
  }
  if (failure._tag === "MethodNotAllowed") return { Allow: failure.allowed.join(", ") }
  if (failure._tag === "RateLimited") return { "Retry-After": String(failure.retryAfterS) }
  return noHeaders
}

/** What was read; the runtime hears of it only where it is wrong, for each of its steps costs more than the reading. */
function* good<A, E>(result: Result.Result<A, E>): Effect.fn.Return<A, E> {
  return Result.isSuccess(result) ? result.success : yield* Effect.fail(result.failure)
}

const readBody = <R>(route: Route<R>, limitBytes: number, incoming: Incoming) =>
  Effect.flatMap(incoming.jsonBody(limitBytes), (raw) => Effect.fromResult(route.readBody(raw)))

/** What a cause tells the caller; defects are logged here. */
const failureOf = (cause: Cause.Cause<Failure>, incoming: Incoming): Effect.Effect<Failure> => {
  const failure = Option.getOrNull(Cause.findErrorOption(cause))
  const where = { request_id: incoming.requestId, method: incoming.method, path: incoming.target.split("?")[0] }
  if (failure === null) {
    const message = `An unexpected error occurred. Tell the operator the request id ${incoming.requestId}.`
    return Effect.logError("A request failed unexpectedly", cause).pipe(
      Effect.annotateLogs(where),
      Effect.as(new Unexpected({ message })),
    )
  }
  if (statusOf(failure._tag) < 500) return Effect.succeed(failure)
  return Effect.logWarning("A request could not be served", failure.message).pipe(
    Effect.annotateLogs(where),
    Effect.as(failure),
  )
}

/** What is known of an answer once the request has been looked at. */
interface Chosen {
  form: Form
  route: string | null
  category: Category | null
  counted: boolean
  /** Null where it is not counted yet, or limits are off. */
  verdict: Verdict | null
}

/** The rule of a request whose caller is not known. */
const ruleOfAddress = ({ category, form }: Chosen) => category ?? ruleOfCaller(form, unroutedCategory)

const usedUp = ({ resetMs, rule }: Verdict, nowMs: number) => RateLimited.ofWindow(rule, resetMs, nowMs)

/**
 * Answers requests from this table. On the hot path: made of `fnUntraced` and no `Effect.gen`, whose closures outlive
 * the young generation of V8 and cost more than all the rest.
 */
export const makeRespond = <R>(
  table: RouteTable<R>,
  defaultForm: Form,
  limiter: RateLimiter,
): (incoming: Incoming) => Effect.Effect<Answer, never, R | Authenticator> => {
  const readLine = lineReader(table)
  const succeed = Effect.fnUntraced(
    function* (incoming: Incoming, chosen: Chosen): Effect.fn.Return<Answer, Failure, R | Authenticator> {
      const line = readLine(incoming)
      const form = yield* good(responseForm(line.form, incoming.header("x-response-form"), defaultForm))
      chosen.form = form
      const match = yield* good(line.match)
      const { endpoint, handle } = match.route
      chosen.route = match.route.path
      chosen.category = endpoint.category
      const caller = endpoint.access === "public" ? null : yield* authenticate(incoming.header)
      if (caller !== null) incoming.authenticated()
      const verdict = caller === null
        ? limiter.ofAddress(endpoint.category, incoming.clientAddress())
        : limiter.ofCaller(ruleOfCaller(form, endpoint.category), caller)
      chosen.counted = true
      chosen.verdict = verdict
      if (verdict !== null && !verdict.admitted) return yield* usedUp(verdict, yield* Clock.currentTimeMillis)
      if (caller !== null && endpoint.access !== "public") yield* authorise(caller, endpoint.access)
      const params = yield* good(line.params)
      const query = yield* good(line.query[form])
      const body = endpoint.body === null ? null : yield* readBody(match.route, endpoint.body.limitBytes, incoming)
      const { clientAddress } = incoming
      const ifMatch = incoming.header("if-match") ?? null
      const value = yield* handle({ params, query, body, caller, clientAddress, ifMatch })
      const nowMs = yield* Clock.currentTimeMillis
      const data = endpoint.response === null ? null : endpoint.response[form].text(value, nowMs)
      const text = data === null || endpoint.unwrapped
        ? data
        : successText(form, data, { nowMs, requestId: incoming.requestId })
      const { etag, mediaType, status } = endpoint
      const headers = {
        ...endpoint.headers,
        ...(etag === null ? noHeaders : { ETag: etag(value) }),
        ...(verdict === null ? noHeaders : limitHeaders(verdict)),
      }
      return { status, form, text, mediaType, route: chosen.route, headers }
    },
  )

  const fail = Effect.fnUntraced(function* (incoming: Incoming, chosen: Chosen, cause: Cause.Cause<Failure>) {
    const { form, route } = chosen
    const verdict = chosen.counted ? chosen.verdict : limiter.ofAddress(ruleOfAddress(chosen), incoming.clientAddress())
    // Who knocks at nothing, or with wrong credentials, finds the limit as well.
    const isOver = !chosen.counted && verdict !== null && !verdict.admitted
    const failure = isOver ? usedUp(verdict, yield* Clock.currentTimeMillis) : yield* failureOf(cause, incoming)
    const mark = { nowMs: yield* Clock.currentTimeMillis, requestId: incoming.requestId }
    return {
      status: statusOf(failure._tag),
      form,
      text: errorText(form, errorBody(failure, form), mark),
      mediaType: jsonType,
      route,
      headers: {
        ...failureHeaders(failure, incoming.header),
        ...(verdict === null ? noHeaders : limitHeaders(verdict)),
      },
    }
  })

  return (incoming) => {
    const chosen: Chosen = { form: defaultForm, route: null, category: null, counted: false, verdict: null }
    return Effect.catchCause(succeed(incoming, chosen), (cause) => fail(incoming, chosen, cause))
  }
}
