/**
 * Routes of the home API: a method, a path and a handler each. Everything but the upgrade of the WebSocket asks for a token.
 */
import type { Effect } from "effect"
import type { HomeUser } from "../../../protocols/domain/home-token.ts"
import type { PayloadTooLarge } from "../../../protocols/pose-api/errors.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { Answer } from "./answer.ts"

/** What a handler is given. */
export interface HomeCall {
  readonly user: HomeUser
  /** Values of the braces in the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The body as text, whatever its type; null where it is no UTF-8. */
  readonly body: Effect.Effect<string | null, PayloadTooLarge>
}

type Handler<R> = (call: HomeCall) => Effect.Effect<Answer, HomeUnavailable | PayloadTooLarge, R>

export interface HomeRoute<R> {
  readonly method: "GET" | "POST" | "DELETE"
  /** E.g. `/api/states/{entity_id}`; what is in braces is one segment that is not empty. */
  readonly path: string
  readonly handle: Handler<R>
}

export const route = <R>(method: HomeRoute<R>["method"], path: string, handle: Handler<R>): HomeRoute<R> => ({
  method,
  path,
  handle,
})

export interface Match<R> {
  readonly params: Readonly<Record<string, string>>
  /** Handlers of the path, by method. */
  readonly handlers: ReadonlyMap<string, Handler<R>>
}

/** Finds the path of a request among the routes; null for one that is not known. */
export const routeTable = <R>(routes: ReadonlyArray<HomeRoute<R>>): (path: string) => Match<R> | null => {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, routes]) => ({
    segments: path.split("/"),
    handlers: new Map(routes.map(({ handle, method }) => [method as string, handle])),
  }))
  const paramsOf = (pattern: ReadonlyArray<string>, given: ReadonlyArray<string>): Record<string, string> | null => {
    if (pattern.length !== given.length) return null
    const params: Record<string, string> = {}
    for (const [i, segment] of pattern.entries()) {
      if (!segment.startsWith("{")) {
        if (segment !== given[i]) return null
      } else if (given[i] === "") return null
      else params[segment.slice(1, -1)] = given[i]!
    }
    return params
  }
  return (path) => {
    const given = segmentsOf(path)
    if (given === null) return null
    for (const { handlers, segments } of paths) {
      const params = paramsOf(segments, given)
      if (params !== null) return { params, handlers }
    }
    return null
  }
}

/** The segments of a path without its escapes; null for escapes that cannot be read. */
const segmentsOf = (path: string): ReadonlyArray<string> | null => {
  const segments = path.split("/")
  if (!path.includes("%")) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return null
  }
}
