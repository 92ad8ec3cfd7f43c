/**
 * Answers a request of the home API: checks path, method and token, then runs the handler.
 *
 * Invariant: the body of a request is not read before its token is known to be valid.
 */
import { Cause, Effect, Result } from "effect"
import type { ServerResponse } from "node:http"
import type { PayloadTooLarge } from "../../../protocols/pose-api/edge-failures.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import type { Answer } from "../../http/answer.ts"
import { splitTarget } from "../../http/request.ts"
import { makeRouteTable } from "../../http/route-table.ts"
import { plainAnswer } from "./answer.ts"
import type { HomeRoute } from "./route.ts"

interface HomeRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly header: (name: string) => string | undefined
  /** Called when the token is valid. */
  readonly authenticated: () => void
  readonly body: Effect.Effect<string | null, PayloadTooLarge>
  readonly response: ServerResponse
}

/** The token of a request; empty if it has none. */
const bearerOf = (authorization: string | undefined): string =>
  authorization?.startsWith("Bearer ") === true ? authorization.slice("Bearer ".length) : ""

/** The framework's answer to a failure. */
const failureAnswer = (cause: Cause.Cause<HomeUnavailable | PayloadTooLarge>): Effect.Effect<Answer> => {
  const failure = Cause.findError(cause)
  if (Result.isSuccess(failure)) {
    const { _tag, message } = failure.success
    if (_tag === "PayloadTooLarge") return Effect.succeed(plainAnswer(413))
    return Effect.as(
      Effect.logWarning("the home API answers 503: a part of the home is unavailable", message),
      plainAnswer(503),
    )
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  return Effect.as(Effect.logError("a request of the home API failed unexpectedly", cause), plainAnswer(500))
}

const unauthorised = Effect.succeed(plainAnswer(401))

/** Answers requests by these routes; null if the handler has written the response itself. */
export const makeRespond = <R>(routes: ReadonlyArray<HomeRoute<R>>) => {
  const find = makeRouteTable(routes.map((route) => ({ ...route, value: route.handle })), { headAsGet: false })

  const answer = Effect.fnUntraced(function* (request: HomeRequest) {
    const { path, query } = splitTarget(request.target)
    const found = find(request.method, path)
    if (found._tag === "UnknownPath") return plainAnswer(404)
    if (found._tag === "UnknownMethod") return plainAnswer(405, { Allow: [...found.allowed].sort().join(",") })
    const { params, value: handle } = found
    if (handle._tag === "Public") return handle.answer
    const user = yield* (yield* HomeTokens).check(bearerOf(request.header("authorization")))
    if (user === null) return yield* unauthorised
    request.authenticated()
    const { body, response } = request
    return yield* handle.run({ user, params, query: new URLSearchParams(query), body, response })
  })

  return (request: HomeRequest): Effect.Effect<Answer | null, never, R | HomeTokens> =>
    Effect.catchCause(answer(request), failureAnswer)
}
