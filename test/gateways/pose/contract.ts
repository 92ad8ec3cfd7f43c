/**
 * Calls the gateway as a client does and holds each answer against the OpenAPI document that the gateway serves.
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import type { Gateway } from "./harness.ts"

export interface Request {
  readonly method: string
  /** Below `/api/v1`, with its query. */
  readonly path: string
  readonly form?: Form
  readonly headers?: Record<string, string>
  readonly token?: string
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // deno-lint-ignore no-explicit-any
  readonly json: any
}

/** Sends a request. */
export const call = async (
  url: string,
  { method, path, form, headers = {}, token, body }: Request,
): Promise<Answer> => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(form === undefined ? {} : { "X-Response-Form": form }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === "" ? null : JSON.parse(text) }
}

/** Rejects fields that a response schema does not name; the served document leaves room for them. */
const closed = (json: unknown, isPart = false): unknown => {
  if (Array.isArray(json)) return json.map((item) => closed(item, isPart))
  if (typeof json !== "object" || json === null) return json
  const entries = Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, closed(value, key === "allOf" || key === "Success")]),
  )
  const isOpen = isPart || !("properties" in entries || "allOf" in entries) || "additionalProperties" in entries
  return isOpen ? entries : { ...entries, unevaluatedProperties: false }
}

interface Reference {
  readonly $ref: string
}

interface Header {
  readonly required: boolean
}

interface Response {
  readonly headers: Record<string, Reference | Header>
  readonly content?: Record<string, { readonly schema: { readonly anyOf: ReadonlyArray<Reference> } }>
}

interface Operation {
  readonly operationId: string
  readonly responses: Record<string, Reference | Response>
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, unknown>
    readonly responses: Record<string, Response>
    readonly headers: Record<string, Header>
  }
}

/** The component that a reference names. */
const component = <A>(value: Reference | A, shared: Record<string, A>): A =>
  typeof value === "object" && value !== null && "$ref" in value ? shared[value.$ref.split("/").at(-1)!]! : value as A

/** The documented response of an operation with a status. */
export const responseOf = (document: Document, { responses }: Operation, status: number): Response | undefined => {
  const response = responses[String(status)]
  return response === undefined ? undefined : component(response, document.components.responses)
}

/** The methods of a path, beside which it has the parameters of all. */
export const methodsOf = (operations: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.keys(operations).filter((key) => key !== "parameters")

export interface Contract {
  readonly document: Document
  /** Every disagreement of this answer with the document; empty when there is none. */
  readonly disagreements: (request: Request, template: string, answer: Answer) => ReadonlyArray<string>
}

/** The contracts of this process, by the document's text: to compile one takes longer than most of the tests that ask. */
const compiled = new Map<string, Contract>()

/** The contract that this gateway serves. */
export const readContract = async (gateway: Gateway): Promise<Contract> => {
  const response = await fetch(`${gateway.url}/api/v1/openapi.json`, {
    headers: { Authorization: `Bearer ${await gateway.token("viewer")}` },
  })
  const text = await response.text()
  const contract = compiled.get(text) ?? compile(JSON.parse(text) as Document)
  compiled.set(text, contract)
  return contract
}

const compile = (document: Document): Contract => {
  const ajv = new Ajv2020({ strict: false, allErrors: true }) // deno-lint-ignore no-explicit-any
  ;(addFormats as any)(ajv)
  ajv.addSchema({ $id: "api", ...(closed(document) as object) })

  const disagreements: Contract["disagreements"] = (request, template, answer) => {
    const operation = document.paths[`/api/v1${template}`]?.[request.method.toLowerCase()]
    if (operation === undefined) return [`${request.method} ${template} is not in the document`]
    const response = responseOf(document, operation, answer.status)
    if (response === undefined) return [`status ${answer.status} is not in the document`]
    const missing = Object.entries(response.headers)
      .filter(([name, header]) => component(header, document.components.headers).required && !answer.headers.has(name))
      .map(([name]) => `header ${name} is missing`)
    const content = response.content?.["application/json"]
    if (content === undefined) return [...missing, ...(answer.json === null ? [] : ["a body where none is documented"])]
    const form = answer.headers.get("x-response-form")
    const reference = content.schema.anyOf[forms.findIndex((each) => each === form)]
    const validate = ajv.getSchema(`api${reference?.$ref}`)
    if (validate === undefined) return [...missing, `no schema for form ${form}`]
    if (validate(answer.json)) return missing
    return [...missing, ...validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)]
  }

  return { document, disagreements }
}
