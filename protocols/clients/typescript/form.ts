/**
 * The types of the API in both forms, from the generated ones.
 */
import type * as Bare from "./generated/bare.ts"
import type * as Envelope from "./generated/envelope.ts"

interface Paths {
  readonly bare: Bare.paths
  readonly envelope: Envelope.paths
}

interface Schemas {
  readonly bare: Bare.components["schemas"]
  readonly envelope: Envelope.components["schemas"]
}

/** The form of the answers. `bare`: the data itself. `envelope`: `{success, data, timestamp, request_id}`. */
export type Form = keyof Paths

export type Method = "get" | "post" | "put" | "delete"

/** A named schema of the API, e.g. `Schema<"bare", "Person">`. */
export type Schema<F extends Form, Name extends keyof Schemas[F]> = Schemas[F][Name]

/** The paths that have a method. */
export type PathOf<F extends Form, M extends Method> = {
  [P in keyof Paths[F]]: Paths[F][P] extends { readonly [K in M]: { readonly responses: unknown } } ? P : never
}[keyof Paths[F]]

type Operation<F extends Form, M extends Method, P extends keyof Paths[F]> = Paths[F][P] extends
  { readonly [K in M]: infer O } ? O : never

type QueryOf<O> = O extends { readonly parameters: { readonly query?: infer Q } } ? Omit<NonNullable<Q>, "form"> : never
type PathParametersOf<O> = O extends { readonly parameters: { readonly path: infer V } } ? V : never
type BodyOf<O> = O extends { readonly requestBody?: infer B }
  ? NonNullable<B> extends { readonly content: { readonly "application/json": infer J } } ? J : never
  : never

/** Wraps a part of a request, whose name is optional if nothing in it is required, and absent if there is none. */
type Part<Name extends string, Value> = [Value] extends [never] ? { readonly [K in Name]?: undefined }
  : Record<never, never> extends Value ? { readonly [K in Name]?: Value }
  : { readonly [K in Name]: Value }

interface Common {
  /** Id of the request, for searches in the log of the service. */
  readonly requestId?: string
  /** `ETag` of the value that a change replaces. */
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}

/** What a request of this operation takes. */
export type RequestOf<F extends Form, M extends Method, P extends keyof Paths[F]> =
  & Common
  & Part<"query", QueryOf<Operation<F, M, P>>>
  & Part<"path", PathParametersOf<Operation<F, M, P>>>
  & Part<"body", BodyOf<Operation<F, M, P>>>

type JsonOf<R> = R extends { readonly content: { readonly "application/json": infer J } } ? J
  : R extends { readonly content: { readonly "text/plain": infer T } } ? T
  : R extends { readonly content: { readonly "text/csv": infer T } } ? T
  : undefined

/** The body of a success of this operation; undefined if it has none. */
export type AnswerOf<F extends Form, M extends Method, P extends keyof Paths[F]> = Operation<F, M, P> extends
  { readonly responses: infer R } ? { [S in keyof R & (200 | 201 | 202 | 204)]: JsonOf<R[S]> }[
    & keyof R
    & (200 | 201 | 202 | 204)
  ]
  : never
