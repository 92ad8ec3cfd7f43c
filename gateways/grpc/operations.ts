/**
 * Unary methods that are operations of the REST API: each runs the handler of its endpoint, with the input and the answer of the bare form.
 */
import { Clock, Effect, Result } from "effect"
import type { Caller } from "../../protocols/domain/identity.ts"
import { clearableOf, clearField, hasMember, withCleared } from "../../protocols/grpc/contract/cleared-members.ts"
import type { JsonSchema, SchemaDocument } from "../../protocols/grpc/contract/message-shape.ts"
import {
  etagField,
  hasIfMatch,
  ifMatchField,
  requestParts,
  responseDocument,
  wrappedIn,
} from "../../protocols/grpc/contract/operation-messages.ts"
import type { operationList } from "../../protocols/grpc/contract/operations.ts"
import { codecOf, type Json } from "../../protocols/grpc/contract/transcode.ts"
import { InvalidRequest } from "../../protocols/pose-api/edge-failures.ts"
import type { Route } from "../pose/server/route.ts"
import type { Client } from "./admission.ts"
import { readRequest } from "./calls.ts"
import type { CallFailure } from "./status.ts"

type Operation = typeof operationList[number]

/** The members of `json` that a part of the request has. */
const membersOf = ({ schema }: SchemaDocument, json: Json): Record<string, unknown> =>
  Object.fromEntries(Object.entries(json).filter(([member]) => Object.hasOwn(schema.properties ?? {}, member)))

/**
 * A value of a body with what a message cannot say: an empty list for a required list, and null for a required member that may be null.
 * Messages do not tell either from a missing member.
 */
const completed = (value: unknown, given: JsonSchema, { definitions }: SchemaDocument): unknown => {
  const named = given.$ref === undefined ? given : definitions[given.$ref.replace("#/$defs/", "")] ?? {}
  const schema = named.anyOf?.find(({ type }) => type !== "null") ?? named
  const document = { schema, definitions }
  if (schema !== given && (schema.$ref ?? schema.anyOf) !== undefined) return completed(value, schema, document)
  if (Array.isArray(value)) return value.map((item) => completed(item, schema.items ?? {}, document))
  if (typeof value !== "object" || value === null) return value
  const members: Record<string, unknown> = {}
  for (const [member, memberSchema] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(value, member)) {
      members[member] = completed((value as Json)[member], memberSchema, document)
    } else if (schema.required?.includes(member) === true) {
      if (memberSchema.type === "array") members[member] = []
      if (memberSchema.anyOf?.some(({ type }) => type === "null") === true) members[member] = null
    }
  }
  return schema.properties === undefined ? value : members
}

const queryOf = (members: Json): URLSearchParams =>
  new URLSearchParams(Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]))

/** Serves the calls of one operation. */
export const makeOperation = (
  { endpoint, method }: Operation,
  route: Route<never>,
): (bytes: Uint8Array, caller: Caller | null, client: Client) => Effect.Effect<Uint8Array, CallFailure> => {
  const request = codecOf(`${method}Request`)
  const response = codecOf(`${method}Response`)
  const parts = requestParts(endpoint)
  const wrapper = wrappedIn(responseDocument(endpoint))
  const takesIfMatch = hasIfMatch(endpoint)
  const clearable = clearableOf(endpoint)

  const bodyOf = (json: Json): Result.Result<unknown, InvalidRequest> => {
    // The message of the method has no member that could be one of a body.
    if (endpoint.body === null) return Result.succeed({})
    const given = completed(membersOf(parts.body, json), parts.body.schema, parts.body)
    if (clearable.size === 0) return Result.succeed(given)
    let body = given as Json
    for (const path of json[clearField] as ReadonlyArray<string> | undefined ?? []) {
      const value = clearable.get(path)
      if (value === undefined) {
        const message = `names a member that cannot be cleared. These can: ${[...clearable.keys()].join(", ")}`
        return Result.fail(InvalidRequest.of(clearField, message, path))
      }
      if (hasMember(given as Json, path)) {
        return Result.fail(InvalidRequest.of(clearField, "names a member that the request also sets", path))
      }
      body = withCleared(body, path, value)
    }
    return Result.succeed(body)
  }

  const answerOf = (value: unknown, nowMs: number): Uint8Array => {
    if (endpoint.response === null) return response.encode({})
    const json: unknown = JSON.parse(endpoint.response.bare.text(value, nowMs))
    const message = wrapper === null ? json as Json : { [wrapper]: json }
    return response.encode(endpoint.etag === null ? message : { ...message, [etagField]: endpoint.etag(value) })
  }

  return Effect.fnUntraced(function* (bytes, caller, client) {
    const json = yield* readRequest(request.decode, bytes)
    const params = yield* Effect.fromResult(route.readParams(membersOf(parts.params, json)))
    const query = yield* Effect.fromResult(route.readQuery.bare(queryOf(membersOf(parts.query, json))))
    const body = yield* Effect.fromResult(Result.flatMap(bodyOf(json), route.readBody))
    const ifMatch = takesIfMatch ? json[ifMatchField] as string | undefined ?? null : null
    const value = yield* route.handle({
      params,
      query,
      body,
      caller,
      clientAddress: client.address,
      isSecure: () => false,
      ifMatch,
      header: client.header,
    })
    return answerOf(value, yield* Clock.currentTimeMillis)
  })
}
