/**
 * An endpoint as data. The server, the OpenAPI document and the tests are made from it. Handlers are in `gateways/pose/routes`.
 *
 * Invariants: every endpoint has `access` and `category` (otherwise the server does not start); a handler's result has one codec per form,
 * so the handler does not depend on the form. If the forms have different query parameters, the endpoint has a schema for each, and the
 * handler receives the result of either.
 */
import { Schema } from "effect"
import type { Access, CredentialAge } from "../domain/identity.ts"
import type { Category } from "../domain/rate-limit.ts"
import type { FailureTag } from "./errors.ts"
import type { Form } from "./forms.ts"

type Method = "GET" | "POST" | "PUT" | "DELETE"

/** A schema of JSON values without services. */
export type Fields<A = unknown> = Schema.ConstraintDecoder<A>

/** One form of an answer: the schema of `data`, and its JSON text at the time `nowMs`. */
export interface ResponseCodec<Value> {
  readonly schema: Schema.Constraint
  readonly text: (value: Value, nowMs: number) => string
}

/** A codec of a document that is already text. */
export const textCodec: ResponseCodec<string> = { schema: Schema.String, text: (text) => text }

/** A codec that builds a JSON value and serialises it. */
export const jsonCodec = <S extends Schema.Constraint & { readonly Type: unknown }, Value>(
  schema: S,
  encode: (value: Value, nowMs: number) => S["Type"],
): ResponseCodec<Value> => ({ schema, text: (value, nowMs) => JSON.stringify(encode(value, nowMs)) })

export interface Endpoint<Params, Query, Body, Value, Tag extends FailureTag> {
  readonly method: Method
  /** Below `/api/v1`; a segment in braces is a parameter, e.g. `/auth/api-keys/{key_id}`. */
  readonly path: string
  /** The path is below `/` instead of `/api/v1`. */
  readonly atRoot: boolean
  readonly group: string
  readonly summary: string
  readonly access: Access
  /** `recent`: it goes on answering callers that were known lately while the store does not answer. */
  readonly credentials: CredentialAge
  /** The rate limit that its requests count against. */
  readonly category: Category
  /** What valid requests fulfil beside the schemas (else 422), as clauses that follow "unless". */
  readonly rules: ReadonlyArray<string>
  /** A further sentence of the description; null: none. */
  readonly note: string | null
  /** Path parameters: a struct of strings. */
  readonly params: Fields<Params> | null
  /** Query parameters of each form: a struct of strings, numbers and booleans, as in JSON. */
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
  /** The envelope form does not wrap the answer, because it is a document in its own format. */
  readonly unwrapped: boolean
  /** The entity tag of a value, for conditional changes; null: the answer has none. */
  readonly etag: ((value: Value) => string) | null
  /** The cookie that an answer sets; null: it sets none. */
  readonly setCookie: ((value: Value) => string | null) | null
  /** Content type of a success. Failures are always JSON. */
  readonly mediaType: string
  /** Headers of a success, besides those of every answer. */
  readonly headers: Readonly<Record<string, string>>
  /** The failures of the handler, besides `InvalidRequest`. `failuresOf` adds those of the edge. */
  readonly failures: ReadonlyArray<Tag>
}

/** An endpoint with any input and value. */
// deno-lint-ignore no-explicit-any
export type AnyEndpoint = Endpoint<any, any, any, any, FailureTag>

/** Default limit of a body. */
export const bodyBytesMax = 1024 * 1024

interface Optional<Params, Query, Body, Value> {
  readonly params?: Fields<Params>
  /** One schema for both forms, or one for each. */
  readonly query?: Fields<Query> | { readonly byForm: Record<Form, Fields<Query>> }
  /** `required` false: the body is optional. `secret`: errors never repeat received values. */
  readonly body?: {
    readonly schema: Fields<Body>
    readonly required: boolean
    readonly secret?: boolean
    readonly limitBytes?: number
  }
  readonly credentials?: CredentialAge
  readonly unwrapped?: boolean
  readonly rules?: ReadonlyArray<string>
  readonly note?: string
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

/** Completes the data of an endpoint with defaults: no parameters, no body, no entity tag. */
export const endpoint = <Value, Params = null, Query = null, Body = null, Tag extends FailureTag = never>(
  stated: Stated<Value, Tag> & Optional<Params, Query, Body, Value>,
): Endpoint<Params, Query, Body, Value, Tag> => ({
  ...stated,
  params: stated.params ?? null,
  query: queryOf(stated.query),
  body: stated.body === undefined ? null : { secret: false, limitBytes: bodyBytesMax, ...stated.body },
  credentials: stated.credentials ?? "current",
  rules: stated.rules ?? [],
  note: stated.note ?? null,
  unwrapped: stated.unwrapped ?? false,
  etag: stated.etag ?? null,
  setCookie: stated.setCookie ?? null,
  atRoot: stated.atRoot ?? false,
  mediaType: stated.mediaType ?? jsonType,
  headers: stated.headers ?? {},
})

/** Whether the body of a request is read: without a schema it must be empty or `{}`. */
export const readsBody = ({ method }: AnyEndpoint): boolean => method !== "GET"

/** All failures of an endpoint: its own, and those that the edge adds for its access and its input. */
export const failuresOf = (of: AnyEndpoint): ReadonlyArray<FailureTag> => {
  const tags = new Set<FailureTag>([...of.failures, "InvalidRequest", "RateLimited", "Unexpected"])
  if (of.access !== "public") {
    for (const tag of ["NotAuthenticated", "StoreUnavailable"] as const) tags.add(tag)
    if (of.access !== "any") tags.add("NotAuthorised")
  }
  if (readsBody(of)) { for (const tag of ["MalformedRequest", "PayloadTooLarge"] as const) tags.add(tag) }
  return [...tags]
}
