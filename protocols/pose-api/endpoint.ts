/**
 * What an endpoint is: data. The server, the OpenAPI document and the tests are made from it; a handler lives
 * elsewhere.
 *
 * Invariants: `access` and `category` are always stated (the server refuses to start otherwise); a handler's value has
 * two codecs and so never knows the form it is answered in. Where the forms take other query parameters, the endpoint states
 * a schema for each, and the handler is given what either of them reads.
 */
import { Schema } from "effect"
import type { Permission } from "../domain/identity.ts"
import type { Category } from "../domain/rate-limit.ts"
import type { FailureTag } from "./errors.ts"
import type { Form } from "./forms.ts"

type Method = "GET" | "POST" | "PUT" | "DELETE"

/** Who may call: anybody, or who holds the permission. */
type Access = "public" | Permission

/** A schema of JSON values that needs no services. */
export type Fields<A = unknown> = Schema.ConstraintDecoder<A>

/** One form of an answer: the schema of `data` and its JSON text at the time `nowMs`. */
export interface ResponseCodec<Value> {
  readonly schema: Schema.Constraint
  readonly text: (value: Value, nowMs: number) => string
}

/** A codec of a document that is text already. */
export const textCodec: ResponseCodec<string> = { schema: Schema.String, text: (text) => text }

/** A codec that builds a JSON value and writes it out. */
export const jsonCodec = <S extends Schema.Constraint & { readonly Type: unknown }, Value>(
  schema: S,
  encode: (value: Value, nowMs: number) => S["Type"],
): ResponseCodec<Value> => ({ schema, text: (value, nowMs) => JSON.stringify(encode(value, nowMs)) })

export interface Endpoint<Params, Query, Body, Value, Tag extends FailureTag> {
  readonly method: Method
  /** Below `/api/v1`; a segment in braces is a parameter, e.g. `/auth/api-keys/{key_id}`. */
  readonly path: string
  /** The path is below `/` and not below `/api/v1`. */
  readonly atRoot: boolean
  readonly group: string
  readonly summary: string
  readonly access: Access
  /** The limit that its requests count against. */
  readonly category: Category
  /** Path parameters: a struct of strings. */
  readonly params: Fields<Params> | null
  /** Query parameters of each form: a struct of strings, numbers and booleans, as they would be in JSON. */
  readonly query: Record<Form, Fields<Query>> | null
  readonly body: {
    readonly schema: Fields<Body>
    readonly required: boolean
    readonly secret: boolean
    readonly limitBytes: number
  } | null
  /** 204 answers have no codecs. */
  readonly status: 200 | 201 | 202 | 204
  readonly response: Record<Form, ResponseCodec<Value>> | null
  /** The envelope does not wrap the answer: a document of a format of its own. */
  readonly unwrapped: boolean
  /** The entity tag of a value, for who changes it only as they have seen it; null: the answer has none. */
  readonly etag: ((value: Value) => string) | null
  /** The cookie that an answer sets; null: it sets none. */
  readonly setCookie: ((value: Value) => string | null) | null
  /** Content type of a success; failures are JSON whatever it is. */
  readonly mediaType: string
  /** Headers of a success, beside those that every answer has. */
  readonly headers: Readonly<Record<string, string>>
  /** What the handler may fail with, beside `InvalidRequest`; `failuresOf` adds what the edge may fail with. */
  readonly failures: ReadonlyArray<Tag>
}

/** An endpoint of whatever input and value. */
// deno-lint-ignore no-explicit-any
export type AnyEndpoint = Endpoint<any, any, any, any, FailureTag>

/** Bytes that a body may have where the endpoint does not say. */
const bodyBytesMax = 1024 * 1024

interface Optional<Params, Query, Body, Value> {
  readonly params?: Fields<Params>
  /** One schema for both forms, or one for each. */
  readonly query?: Fields<Query> | { readonly byForm: Record<Form, Fields<Query>> }
  /** `required` false: the body may be left out. `secret`: what was received is never repeated in an error. */
  readonly body?: {
    readonly schema: Fields<Body>
    readonly required: boolean
    readonly secret?: boolean
    readonly limitBytes?: number
  }
  readonly unwrapped?: boolean
  readonly etag?: (value: Value) => string
  readonly setCookie?: (value: Value) => string | null
  readonly atRoot?: boolean
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Stated<Value, Tag extends FailureTag> = Pick<
  Endpoint<never, never, never, Value, Tag>,
  "method" | "path" | "group" | "summary" | "access" | "category" | "status" | "response" | "failures"
>

const queryOf = <Query>(
  stated: Optional<unknown, Query, unknown, unknown>["query"],
): Record<Form, Fields<Query>> | null => {
  if (stated === undefined) return null
  return "byForm" in stated ? stated.byForm : { bare: stated, envelope: stated }
}
export const jsonType = "application/json; charset=utf-8"

/** Completes an endpoint's data: what is left out is not taken. */
export const endpoint = <Value, Params = null, Query = null, Body = null, Tag extends FailureTag = never>(
  stated: Stated<Value, Tag> & Optional<Params, Query, Body, Value>,
): Endpoint<Params, Query, Body, Value, Tag> => ({
  ...stated,
  params: stated.params ?? null,
  query: queryOf(stated.query),
  body: stated.body === undefined ? null : { secret: false, limitBytes: bodyBytesMax, ...stated.body },
  unwrapped: stated.unwrapped ?? false,
  etag: stated.etag ?? null,
  setCookie: stated.setCookie ?? null,
  atRoot: stated.atRoot ?? false,
  mediaType: stated.mediaType ?? jsonType,
  headers: stated.headers ?? {},
})

/** Everything an endpoint may fail with: what it states, and what the edge adds for its access and its input. */
export const failuresOf = (of: AnyEndpoint): ReadonlyArray<FailureTag> => {
  const tags = new Set<FailureTag>([...of.failures, "InvalidRequest", "RateLimited", "Unexpected"])
  if (of.access !== "public") {
    for (const tag of ["NotAuthenticated", "NotAuthorised", "StoreUnavailable"] as const) tags.add(tag)
  }
  if (of.body !== null) { for (const tag of ["MalformedRequest", "PayloadTooLarge"] as const) tags.add(tag) }
  return [...tags]
}
