/**
 * The request and the response of an operation as messages. Pure.
 */
import { Schema } from "effect"
import { clearFieldOf } from "./cleared-members.ts"
import type { AnyEndpoint, Fields } from "../../pose-api/endpoint.ts"
import {
  type FieldShape,
  type JsonSchema,
  messageOfReference,
  type MessageShape,
  messageShape,
  type SchemaDocument,
  schemaDocument,
  snake,
} from "./message-shape.ts"

/** The request field for the ETag of the value that was read, of operations that check it. */
export const ifMatchField = "if_match"
/** The response field for the ETag of the value. */
export const etagField = "etag"

const ifMatch: FieldShape = {
  name: ifMatchField,
  type: { kind: "scalar", name: "string" },
  label: "optional",
  comment: "The etag of the value that was read. ABORTED if the value has changed since.",
}
const etag: FieldShape = {
  name: etagField,
  type: { kind: "scalar", name: "string" },
  label: "single",
  comment: "Changes with the value. See if_match.",
}

const documentOf = (schema: Fields | null): SchemaDocument =>
  schema === null ? { schema: {}, definitions: {} } : schemaDocument(schema)

/** The parts of a request: where REST has its members. */
interface RequestParts {
  readonly params: SchemaDocument
  readonly query: SchemaDocument
  readonly body: SchemaDocument
}

export const requestParts = ({ body, params, query }: AnyEndpoint): RequestParts => ({
  params: documentOf(params),
  query: documentOf(query?.bare ?? null),
  body: documentOf(body?.schema ?? null),
})

/** Whether a request names the version of the value that it changes. */
export const hasIfMatch = ({ etag, method }: AnyEndpoint): boolean => etag !== null && method !== "GET"

/** Messages and the definitions that they refer to. */
export interface Described {
  readonly message: MessageShape
  readonly definitions: Readonly<Record<string, JsonSchema>>
}

export const requestMessage = (name: string, endpoint: AnyEndpoint): Described => {
  const { body, params, query } = requestParts(endpoint)
  const parts = [params, query, body]
  const members = parts.flatMap(({ schema }) => Object.entries(schema.properties ?? {}))
  const names = members.map(([member]) => member)
  const double = names.find((member, i) => names.indexOf(member) < i)
  if (double !== undefined) throw new Error(`${name}: ${double} is a member of two parts of the request.`)
  const definitions: Described["definitions"] = Object.assign({}, ...parts.map((part) => part.definitions))
  const message = messageShape(name, { properties: Object.fromEntries(members) }, { explicit: true, definitions })
  const clear = clearFieldOf(endpoint)
  const added = [...(hasIfMatch(endpoint) ? [ifMatch] : []), ...(clear === null ? [] : [clear])]
  return { message: { ...message, fields: [...message.fields, ...added] }, definitions }
}

/**
 * The field that holds a response whose schema has a name of its own, or is a list of such; null: the response has the members of its
 * schema.
 */
export const wrappedIn = ({ schema }: SchemaDocument): string | null => {
  if (schema.type === "array") return `${snake(messageOfReference(schema.items!.$ref!))}s`
  return schema.$ref === undefined ? null : snake(messageOfReference(schema.$ref))
}

export const responseDocument = ({ response }: AnyEndpoint): SchemaDocument =>
  response === null ? { schema: {}, definitions: {} } : schemaDocument(response.bare.schema as Schema.Constraint)

export const responseMessage = (name: string, endpoint: AnyEndpoint): Described => {
  const document = responseDocument(endpoint)
  const wrapper = wrappedIn(document)
  const schema = wrapper === null
    ? document.schema
    : { properties: { [wrapper]: document.schema }, required: [wrapper] }
  const message = messageShape(name, schema, { explicit: false, definitions: document.definitions })
  return {
    message: endpoint.etag === null ? message : { ...message, fields: [...message.fields, etag] },
    definitions: document.definitions,
  }
}
