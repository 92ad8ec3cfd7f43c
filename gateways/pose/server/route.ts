/**
 * A route: an endpoint's data and its handler. The table of routes finds the route of a request.
 *
 * Invariant: a table is not made from an endpoint without a declared access or category, nor from two of one method and
 * path.
 */
import type { Effect } from "effect"
import { Result } from "effect"
import type { Caller } from "../../../protocols/domain/identity.ts"
import { categories, type RateLimited } from "../../../protocols/domain/rate-limit.ts"
import type { AnyEndpoint, Endpoint } from "../../../protocols/pose-api/endpoint.ts"
import {
  type Failure,
  type FailureTag,
  InvalidRequest,
  MethodNotAllowed,
  ResourceNotFound,
} from "../../../protocols/pose-api/errors.ts"
import type { Form } from "../../../protocols/pose-api/forms.ts"
import { queryReader, reader } from "../../../protocols/pose-api/input.ts"
import { apiPrefix, servedPath } from "../../../protocols/pose-api/openapi.ts"
import { assertDeclared } from "../../access/authorise.ts"

/** What a handler is given. */
interface Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Null on a public route. */
  readonly caller: Caller | null
  /** Where the request comes from, behind the proxies that are trusted. */
  readonly clientAddress: () => string
  /** The header `If-Match` as it came; null without one. */
  readonly ifMatch: string | null
}

type Read<A> = (raw: A) => Result.Result<unknown, InvalidRequest>

export interface Route<R> {
  readonly endpoint: AnyEndpoint
  /** The whole path, as it was declared. */
  readonly path: string
  readonly readParams: Read<unknown>
  readonly readQuery: Record<Form, Read<URLSearchParams>>
  readonly readBody: Read<unknown>
  // deno-lint-ignore no-explicit-any
  readonly handle: (call: Call<any, any, any>) => Effect.Effect<unknown, Failure, R>
}

/** The failures of these tags. */
type FailureOf<Tag extends FailureTag> = Extract<Failure, { readonly _tag: Tag }>

const nothing = () => Result.succeed(null)

/** The readers of a query, one where both forms have the same schema. */
const queryReaders = (query: AnyEndpoint["query"]): Route<never>["readQuery"] => {
  const bare = queryReader(query?.bare ?? null)
  return { bare, envelope: query === null || query.bare === query.envelope ? bare : queryReader(query.envelope) }
}

/** Joins an endpoint and its handler, which may fail with what the endpoint states, wrong input and a limit. */
export const route = <Params, Query, Body, Value, Tag extends FailureTag, R>(
  endpoint: Endpoint<Params, Query, Body, Value, Tag>,
  handle: (call: Call<Params, Query, Body>) => Effect.Effect<Value, FailureOf<Tag> | InvalidRequest | RateLimited, R>,
): Route<R> => ({
  endpoint,
  path: servedPath(endpoint),
  readParams: endpoint.params === null ? nothing : reader(endpoint.params, { whole: "path" }),
  readQuery: queryReaders(endpoint.query),
  readBody: endpoint.body === null
    ? nothing
    : reader(endpoint.body.schema, { whole: "body", secret: endpoint.body.secret }),
  handle,
})

/** The route of a request and the parameters in its path. */
export interface Match<R> {
  readonly route: Route<R>
  readonly params: Record<string, string>
}

export type RouteTable<R> = (
  method: string,
  path: string,
) => Result.Result<Match<R>, ResourceNotFound | MethodNotAllowed>

interface Pattern<R> {
  readonly segments: ReadonlyArray<string>
  readonly methods: Map<string, Route<R>>
}

const parameterOf = (segment: string): string | null => segment.startsWith("{") ? segment.slice(1, -1) : null

const decoded = (segment: string): string | null => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

const paramsOf = (segments: ReadonlyArray<string>, path: ReadonlyArray<string>): Record<string, string> | null => {
  if (segments.length !== path.length) return null
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const name = parameterOf(segment)
    const given = path[index]!
    if (name === null) {
      if (segment !== given) return null
      continue
    }
    const value = decoded(given)
    if (value === null || value === "") return null
    params[name] = value
  }
  return params
}

/** A table of these routes. Throws when one is not declared properly: a mistake of the programmer, found at start. */
export const routeTable = <R>(routes: ReadonlyArray<Route<R>>): RouteTable<R> => {
  const fixed = new Map<string, Map<string, Route<R>>>()
  const patterns: Array<Pattern<R>> = []
  for (const route of routes) {
    const { path } = route
    const { method, access, category } = route.endpoint
    assertDeclared([`${method} ${path}`], { [`${method} ${path}`]: access })
    if (!categories.includes(category)) {
      throw new Error(`${method} ${path} does not say which limit it counts against; it is not served.`)
    }
    const segments = path.split("/")
    const key = segments.map((segment) => parameterOf(segment) === null ? segment : "{}").join("/")
    let methods = fixed.get(key)
    if (methods === undefined) fixed.set(key, methods = new Map())
    if (methods.has(method)) throw new Error(`${method} ${path} is declared twice.`)
    if (methods.size === 0 && key.includes("{}")) patterns.push({ segments, methods })
    methods.set(method, route)
  }

  const find = (path: string): { methods: Map<string, Route<R>>; params: Record<string, string> } | null => {
    const methods = path.includes("{") ? undefined : fixed.get(path)
    if (methods !== undefined) return { methods, params: {} }
    const given = path.split("/")
    for (const pattern of patterns) {
      const params = paramsOf(pattern.segments, given)
      if (params !== null) return { methods: pattern.methods, params }
    }
    return null
  }

  return (method, path) => {
    const found = find(path)
    if (found === null) {
      return Result.fail(
        new ResourceNotFound({
          resource: "path",
          message: `Nothing is served at this path. See ${apiPrefix}/openapi.json.`,
        }),
      )
    }
    const route = found.methods.get(method === "HEAD" ? "GET" : method)
    if (route !== undefined) return Result.succeed({ route, params: found.params })
    const allowed = [...found.methods.keys()].flatMap((name) => name === "GET" ? [name, "HEAD"] : [name])
    return Result.fail(new MethodNotAllowed({ method: method.slice(0, 16), allowed }))
  }
}
