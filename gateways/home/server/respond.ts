/**
 * From a request to an answer: is the path known, may a page of this origin ask, who asks, and then the handler.
 *
 * Invariant: nothing of a request's body is looked at before its token is good.
 */
import { Cause, Effect, Result } from "effect"
import type { HomeUser } from "../../../protocols/domain/home-token.ts"
import type { PayloadTooLarge } from "../../../protocols/pose-api/errors.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { type Answer, plainAnswer } from "./answer.ts"
import { corsHeaders, preflight } from "./cors.ts"
import { type HomeRoute, type Match, routeTable } from "./route.ts"

export interface HomeRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly header: (name: string) => string | undefined
  /** To be told that its token is good. */
  readonly authenticated: () => void
  readonly body: Effect.Effect<string | null, PayloadTooLarge>
}

/** The one way to show a token. */
const bearerOf = (authorization: string | undefined): string =>
  authorization?.startsWith("Bearer ") === true ? authorization.slice("Bearer ".length) : ""

/** Whose request it is; null: nobody's. */
export const userOf = (authorization: string | undefined): Effect.Effect<
  HomeUser | null,
  HomeUnavailable,
  HomeTokens
> => Effect.flatMap(HomeTokens, ({ check }) => check(bearerOf(authorization)))

/** What went wrong, as the framework says it. */
const failureAnswer = (cause: Cause.Cause<HomeUnavailable | PayloadTooLarge>): Effect.Effect<Answer> => {
  const failure = Cause.findError(cause)
  if (Result.isSuccess(failure)) {
    const { _tag, message } = failure.success
    if (_tag === "PayloadTooLarge") return Effect.succeed(plainAnswer(413))
    return Effect.as(Effect.logWarning("the home API could not answer", message), plainAnswer(503))
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  return Effect.as(Effect.logError("a request of the home API failed unexpectedly", cause), plainAnswer(500))
}

/** @param origins those whose pages may call. */
export const makeRespond = <R>(routes: ReadonlyArray<HomeRoute<R>>, origins: ReadonlySet<string>) => {
  const find = routeTable(routes)

  const routed = Effect.fnUntraced(function* (request: HomeRequest, match: Match<R>, query: string) {
    const { header, method } = request
    if (method === "OPTIONS" && header("access-control-request-method") !== undefined) {
      return preflight(
        header("origin"),
        header("access-control-request-method"),
        header("access-control-request-headers"),
        origins,
      )
    }
    const handle = match.handlers.get(method)
    if (handle === undefined) return plainAnswer(405, { Allow: [...match.handlers.keys()].sort().join(",") })
    const user = yield* userOf(header("authorization"))
    if (user === null) return plainAnswer(401)
    request.authenticated()
    return yield* handle({ user, params: match.params, query: new URLSearchParams(query), body: request.body })
  })

  return (request: HomeRequest): Effect.Effect<Answer, never, R | HomeTokens> => {
    const [path = "", query = ""] = request.target.split("?", 2)
    const match = find(path)
    if (match === null) return Effect.succeed(plainAnswer(404))
    const shared = corsHeaders(request.header("origin"), origins)
    return Effect.catchCause(routed(request, match, query), failureAnswer).pipe(
      Effect.map((answer) => ({ ...answer, headers: { ...shared, ...answer.headers } })),
    )
  }
}
