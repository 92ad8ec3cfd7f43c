/**
 * A route of the pose API: an endpoint's data and its handler. The table of routes finds the route of a request.
 *
 * Invariant: a table is not made from an endpoint without a declared access or category, nor from two of one method and
 * path.
 */
import type { Effect } from "effect"
import { Result, Schema } from "effect"
import type { Caller } from "../../../protocols/domain/identity.ts"
import { categories, type RateLimited } from "../../../protocols/domain/rate-limit.ts"
import type { AnyEndpoint, Endpoint } from "../../../protocols/pose-api/endpoint.ts"
import { InvalidRequest, MethodNotAllowed, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import type { Failure, FailureTag } from "../../../protocols/pose-api/errors.ts"
import type { Form } from "../../../protocols/pose-api/forms.ts"
import { queryReader, reader } from "../../../protocols/pose-api/input.ts"
import { apiPrefix, servedPath } from "../../../protocols/pose-api/openapi.ts"
import { assertDeclared, type HeaderReader } from "../../access/authorise.ts"
import { makeRouteTable } from "../../http/route-table.ts"

/** The arguments of a handler. */
interface Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Null on a public route. */
  readonly caller: Caller | null
  /** The address of the client, behind the proxies that are trusted. */
  readonly clientAddress: () => string
  /** Whether the client uses TLS, with this service or with a proxy before it. */
  readonly isSecure: () => boolean
  /** The header `If-Match` as received; null without one. */
  readonly ifMatch: string | null
  readonly header: HeaderReader
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

/** The reader of the body of an operation without one: no field is known. */
const noBody = reader(Schema.Record(Schema.String, Schema.Never), { whole: "body" })

/** The readers of a query, one where both forms have the same schema. */
const queryReaders = (query: AnyEndpoint["query"]): Route<never>["readQuery"] => {
  const bare = queryReader(query?.bare ?? null)
  return { bare, envelope: query === null || query.bare === query.envelope ? bare : queryReader(query.envelope) }
}

/** Joins an endpoint and its handler, which may fail with the failures of the endpoint, invalid input, and a limit. */
export const route = <Params, Query, Body, Value, Tag extends FailureTag, R>(
  endpoint: Endpoint<Params, Query, Body, Value, Tag>,
  handle: (call: Call<Params, Query, Body>) => Effect.Effect<Value, FailureOf<Tag> | InvalidRequest | RateLimited, R>,
): Route<R> => ({
  endpoint,
  path: servedPath(endpoint),
  readParams: endpoint.params === null ? nothing : reader(endpoint.params, { whole: "path" }),
  readQuery: queryReaders(endpoint.query),
  readBody: endpoint.body === null
    ? noBody
    : reader(endpoint.body.schema, { whole: "body", secret: endpoint.body.secret }),
  handle,
})

/** The route of a request and the parameters in its path. */
export interface Match<R> {
  readonly route: Route<R>
  readonly params: Readonly<Record<string, string>>
}

export type RouteTable<R> = (
  method: string,
  path: string,
) => Result.Result<Match<R>, ResourceNotFound | MethodNotAllowed>

const unknownPath = Result.fail(
  new ResourceNotFound({ resource: "path", message: `Nothing is served at this path. See ${apiPrefix}/openapi.json.` }),
)

/** A table of these routes. Throws if one is not declared properly: a mistake of the programmer, detected at start. */
export const routeTable = <R>(routes: ReadonlyArray<Route<R>>): RouteTable<R> => {
  for (const { endpoint: { access, category, method }, path } of routes) {
    assertDeclared([`${method} ${path}`], { [`${method} ${path}`]: access })
    if (!categories.includes(category)) {
      throw new Error(`${method} ${path} declares no rate-limit category; it is not served.`)
    }
  }
  const find = makeRouteTable(
    routes.map((route) => ({ method: route.endpoint.method, path: route.path, value: route })),
    { headAsGet: true },
  )
  return (method, path) => {
    const found = find(method, path)
    switch (found._tag) {
      case "Found":
        return Result.succeed({ route: found.value, params: found.params })
      case "UnknownPath":
        return unknownPath
      case "UnknownMethod":
        return Result.fail(new MethodNotAllowed({ method: method.slice(0, 16), allowed: found.allowed }))
    }
  }
}
