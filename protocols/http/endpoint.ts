/**
 * What an endpoint is: data. The server, the OpenAPI document and the tests are made from it; a handler lives
 * elsewhere.
 *
 * Invariants: `access` is always stated (the server refuses to start otherwise); a handler's value has two codecs and
 * so never knows the form it is answered in.
 */
import type { Schema } from "effect"
import type { Permission } from "../domain/identity.ts"
import type { FailureTag } from "./errors.ts"
import type { Form } from "./forms.ts"

export type Method = "GET" | "POST" | "PUT" | "DELETE"

/** Who may call: anybody, or who holds the permission. */
export type Access = "public" | Permission

/** A schema of JSON values that needs no services. */
export type Fields<A = unknown> = Schema.ConstraintDecoder<A>

/** One form of an answer: the schema of `data` and its JSON text at the time `nowMs`. */
export interface ResponseCodec<Value> {
  readonly schema: Schema.Constraint
  readonly text: (value: Value, nowMs: number) => string
}

/** A codec that builds a JSON value and writes it out. */
export const jsonCodec = <S extends Schema.Constraint & { readonly Type: unknown }, Value>(
  schema: S,
  encode: (value: Value, nowMs: number) => S["Type"],
): ResponseCodec<Value> => ({ schema, text: (value, nowMs) => JSON.stringify(encode(value, nowMs)) })

export interface Endpoint<Params, Query, Body, Value, Tag extends FailureTag> {
  readonly method: Method
  /** Below `/api/v1`; a segment in braces is a parameter, e.g. `/auth/api-keys/{key_id}`. */
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly access: Access
  /** Path parameters: a struct of strings. */
  readonly params: Fields<Params> | null
  /** Query parameters: a struct of strings, numbers and booleans, as they would be in JSON. */
  readonly query: Fields<Query> | null
  readonly body: { readonly schema: Fields<Body>; readonly required: boolean; readonly secret: boolean } | null
  /** 204 answers have no codecs. */
  readonly status: 200 | 201 | 202 | 204
  readonly response: Record<Form, ResponseCodec<Value>> | null
  /** The envelope does not wrap the answer: a document of a format of its own. */
  readonly unwrapped: boolean
  /** What the handler may fail with, beside `InvalidRequest`; `failuresOf` adds what the edge may fail with. */
  readonly failures: ReadonlyArray<Tag>
}

/** An endpoint of whatever input and value. */
// deno-lint-ignore no-explicit-any
export type AnyEndpoint = Endpoint<any, any, any, any, FailureTag>

interface Optional<Params, Query, Body> {
  readonly params?: Fields<Params>
  readonly query?: Fields<Query>
  /** `required` false: the body may be left out. `secret`: what was received is never repeated in an error. */
  readonly body?: { readonly schema: Fields<Body>; readonly required: boolean; readonly secret?: boolean }
  readonly unwrapped?: boolean
}

type Stated<Value, Tag extends FailureTag> = Pick<
  Endpoint<never, never, never, Value, Tag>,
  "method" | "path" | "group" | "summary" | "access" | "status" | "response" | "failures"
>

/** Completes an endpoint's data: what is left out is not taken. */
export const endpoint = <Value, Params = null, Query = null, Body = null, Tag extends FailureTag = never>(
  stated: Stated<Value, Tag> & Optional<Params, Query, Body>,
): Endpoint<Params, Query, Body, Value, Tag> => ({
  ...stated,
  params: stated.params ?? null,
  query: stated.query ?? null,
  body: stated.body === undefined ? null : { secret: false, ...stated.body },
  unwrapped: stated.unwrapped ?? false,
})

/** Everything an endpoint may fail with: what it states, and what the edge adds for its access and its input. */
export const failuresOf = (of: AnyEndpoint): ReadonlyArray<FailureTag> => {
  const tags = new Set<FailureTag>([...of.failures, "InvalidRequest", "Unexpected"])
  if (of.access !== "public") {
    for (const tag of ["NotAuthenticated", "NotAuthorised", "StoreUnavailable"] as const) tags.add(tag)
  }
  if (of.body !== null) { for (const tag of ["MalformedRequest", "PayloadTooLarge"] as const) tags.add(tag) }
  return [...tags]
}
