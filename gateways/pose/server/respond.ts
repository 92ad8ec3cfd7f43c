/**
 * Answers a request of the pose API: form, route, access, limit, input, handler, body. Every path through it ends in an answer of the
 * requested form; a defect is logged with the request's id and not shown to the client.
 *
 * Invariant: every request is counted once: for its caller if the caller is known, else for its address.
 */
import { Cause, Clock, Effect, Option, Result } from "effect"
import { type AnyEndpoint, bodyBytesMax, jsonType, readsBody } from "../../../protocols/pose-api/endpoint.ts"
import {
  type Category,
  RateLimited,
  ruleOfCaller,
  ruleOfUnknown,
  unroutedCategory,
} from "../../../protocols/domain/rate-limit.ts"
import { type MalformedRequest, type PayloadTooLarge, Unexpected } from "../../../protocols/pose-api/edge-failures.ts"
import { errorBody, type Failure, statusOf } from "../../../protocols/pose-api/errors.ts"
import { errorText, type Form, successText } from "../../../protocols/pose-api/forms.ts"
import type { Caller } from "../../../protocols/domain/identity.ts"
import type { Authenticator } from "../../access/authenticator.ts"
import { authenticate, authorise, type HeaderReader } from "../../access/authorise.ts"
import { isOfOwnPage } from "../../access/own-page.ts"
import { limitHeaders, type RateLimiter, type Verdict } from "../../access/rate-limiter.ts"
import { type Answer, type Headers, noHeaders } from "../../http/answer.ts"
import { isUnchanged } from "../../http/entity-tag.ts"
import { failureHeaders } from "./failure-headers.ts"
import { responseForm } from "./response-form.ts"
import { lineReader } from "./request-line.ts"
import type { Route, RouteTable } from "./route.ts"

export interface Incoming {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly header: HeaderReader
  readonly requestId: string
  /** The address of the client, behind the proxies that are trusted. */
  readonly clientAddress: () => string
  /** Whether the client uses TLS, with this service or with a proxy before it. */
  readonly isSecure: () => boolean
  /** Called when the client's credentials are valid. */
  readonly authenticated: () => void
  readonly jsonBody: (limitBytes: number) => Effect.Effect<unknown, MalformedRequest | PayloadTooLarge>
}

/** Headers of every answer of the pose API. */
export const answerHeaders = (form: Form, requestId: string): Record<string, string> => ({
  "X-Response-Form": form,
  "X-Request-Id": requestId,
  "Cache-Control": "no-store",
})

/** The value of a result, or its failure. Only a failure is a step of the runtime, because a step costs more than the reading. */
function* orFail<A, E>(result: Result.Result<A, E>): Effect.fn.Return<A, E> {
  return Result.isSuccess(result) ? result.success : yield* Effect.fail(result.failure)
}

const readBody = <R>(route: Route<R>, incoming: Incoming) =>
  Effect.flatMap(
    incoming.jsonBody(route.endpoint.body?.limitBytes ?? bodyBytesMax),
    (raw) => Effect.fromResult(route.readBody(raw)),
  )

/** The failure that the caller is answered with; defects are logged here. */
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

/** What is known of an answer so far. */
interface Chosen {
  form: Form
  route: string | null
  category: Category | null
  counted: boolean
  /** Null if the request is not counted yet, or limits are off. */
  verdict: Verdict | null
}

/** The rule of a request whose caller is unknown. */
const ruleOfAddress = ({ category, form }: Chosen) =>
  category === null ? ruleOfCaller(form, unroutedCategory) : ruleOfUnknown(category)

const successHeaders = (
  { etag, headers, setCookie }: AnyEndpoint,
  value: unknown,
  verdict: Verdict | null,
  form: Form,
  requestId: string,
): Headers => {
  const all: Record<string, string> = answerHeaders(form, requestId)
  Object.assign(all, headers)
  if (etag !== null) all["ETag"] = etag(value)
  const cookie = setCookie?.(value) ?? null
  if (cookie !== null) all["Set-Cookie"] = cookie
  if (verdict !== null) Object.assign(all, limitHeaders(verdict))
  return all
}

/** An answer as it is sent if the client does not have it already: a document is not sent again to a client that has its tag. */
const unlessUnchanged = (answer: Answer, incoming: Incoming): Answer => {
  const tag = answer.headers["ETag"]
  return tag !== undefined && isUnchanged(incoming.header("if-none-match"), tag)
    ? { ...answer, status: 304, body: null }
    : answer
}

/** Whether a page of the console sent a request: by the claim of its token. */
const isOfConsole = ({ isConsole }: Caller, header: HeaderReader): boolean => isConsole && isOfOwnPage(header)

const usedUp = ({ resetMs, rule }: Verdict, nowMs: number) => RateLimited.ofWindow(rule, resetMs, nowMs)

/**
 * Answers requests from this table. On the hot path: made of `fnUntraced` and not of `Effect.gen`, whose closures outlive
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
      const form = yield* orFail(responseForm(line.form, incoming.header("x-response-form"), defaultForm))
      chosen.form = form
      const match = yield* orFail(line.match)
      const { endpoint, handle } = match.route
      chosen.route = match.route.path
      chosen.category = endpoint.category
      const caller = endpoint.access === "public" ? null : yield* authenticate(incoming.header, endpoint.credentials)
      if (caller !== null) incoming.authenticated()
      const verdict = caller === null
        ? limiter.ofAddress(endpoint.category, incoming.clientAddress())
        : limiter.ofCaller(ruleOfCaller(form, endpoint.category, isOfConsole(caller, incoming.header)), caller)
      chosen.counted = true
      chosen.verdict = verdict
      if (verdict !== null && !verdict.admitted) return yield* usedUp(verdict, yield* Clock.currentTimeMillis)
      if (caller !== null) yield* authorise(caller, endpoint.access)
      const params = yield* orFail(line.params)
      const query = yield* orFail(line.query[form])
      const body = readsBody(endpoint) ? yield* readBody(match.route, incoming) : null
      const { clientAddress, header, isSecure } = incoming
      const ifMatch = incoming.header("if-match") ?? null
      const value = yield* handle({ params, query, body, caller, clientAddress, isSecure, ifMatch, header })
      const nowMs = yield* Clock.currentTimeMillis
      const data = endpoint.response === null ? null : endpoint.response[form].text(value, nowMs)
      const text = data === null || endpoint.unwrapped
        ? data
        : successText(form, data, { nowMs, requestId: incoming.requestId })
      const { mediaType, status, unwrapped } = endpoint
      const headers = successHeaders(endpoint, value, verdict, form, incoming.requestId)
      const answer = { status, body: text, mediaType, headers, route: chosen.route }
      return unwrapped ? unlessUnchanged(answer, incoming) : answer
    },
  )

  const fail = Effect.fnUntraced(function* (incoming: Incoming, chosen: Chosen, cause: Cause.Cause<Failure>) {
    const { form, route } = chosen
    const verdict = chosen.counted ? chosen.verdict : limiter.ofAddress(ruleOfAddress(chosen), incoming.clientAddress())
    // Requests for unknown paths and with wrong credentials are limited as well.
    const isOver = !chosen.counted && verdict !== null && !verdict.admitted
    const failure = isOver ? usedUp(verdict, yield* Clock.currentTimeMillis) : yield* failureOf(cause, incoming)
    const mark = { nowMs: yield* Clock.currentTimeMillis, requestId: incoming.requestId }
    return {
      status: statusOf(failure._tag),
      body: errorText(form, errorBody(failure, form), mark),
      mediaType: jsonType,
      route,
      headers: {
        ...answerHeaders(form, incoming.requestId),
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
