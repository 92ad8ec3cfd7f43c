/**
 * Routes of the home API: a method, a path and a handler each. Every route but a public one requires a token.
 */
import type { Effect } from "effect"
import type { ServerResponse } from "node:http"
import type { HomeUser } from "../../../protocols/domain/home-token.ts"
import type { PayloadTooLarge } from "../../../protocols/pose-api/edge-failures.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { Answer } from "../../http/answer.ts"

/** The arguments of a handler. */
export interface HomeCall {
  readonly user: HomeUser
  /** Values of the braces in the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The body as text, whatever its type; null if it is not UTF-8. */
  readonly body: Effect.Effect<string | null, PayloadTooLarge>
  /** For a handler that writes a stream, and then returns null. */
  readonly response: ServerResponse
}

type Handler<R> =
  | {
    readonly _tag: "Token"
    readonly run: (call: HomeCall) => Effect.Effect<Answer | null, HomeUnavailable | PayloadTooLarge, R>
  }
  | { readonly _tag: "Public"; readonly answer: Answer }

export interface HomeRoute<R> {
  readonly method: "GET" | "POST" | "DELETE"
  /** E.g. `/api/states/{entity_id}`; a name in braces matches one non-empty segment. */
  readonly path: string
  readonly handle: Handler<R>
}

/** A route that requires a token. */
export const route = <R>(
  method: HomeRoute<R>["method"],
  path: string,
  run: (call: HomeCall) => Effect.Effect<Answer | null, HomeUnavailable | PayloadTooLarge, R>,
): HomeRoute<R> => ({ method, path, handle: { _tag: "Token", run } })

/** A route that answers all clients alike. */
export const publicRoute = (method: HomeRoute<never>["method"], path: string, answer: Answer): HomeRoute<never> => ({
  method,
  path,
  handle: { _tag: "Public", answer },
})
