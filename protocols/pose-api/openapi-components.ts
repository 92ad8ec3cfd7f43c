/**
 * The components of an OpenAPI document: schemas by name, and the parameters, headers and error responses that operations share.
 *
 * A document describes one form or both. An identifier that ends in `.bare` or `.envelope` names a schema that differs between the forms;
 * a document of one form omits that suffix. Pure.
 */
import type { Schema } from "effect"
import { codeOf, type FailureTag, statusOf } from "./errors.ts"
import { EnvelopeSchema, ErrorSchema, type Form, forms as allForms } from "./forms.ts"
import { withoutAnswerLimits } from "./openapi-answers.ts"
import { withSharedProperties } from "./openapi-shared.ts"
import { type Json, schemaPath } from "./openapi-schemas.ts"
import { makeSchemaSet } from "./schema-set.ts"

/** The forms of a document: one, or both. */
export type DocumentForms = ReadonlyArray<Form>

const requestIdPattern = "^[A-Za-z0-9._-]{1,128}$"

/** The name of a schema that has one version per form. */
const formName = (name: string, form: Form): string => `${name}.${form}`

/** The name of a schema in a document: without its form in a document of one form. */
const nameIn = (name: string, documentForms: DocumentForms): string =>
  documentForms.length > 1 ? name : name.replace(/\.(bare|envelope)$/, "")

export interface Components {
  readonly forms: DocumentForms
  /** The response without a body. */
  readonly done: Json
  /** Adds a schema under a name, and returns a reference to it. `closed`: unknown fields are rejected. */
  readonly schema: (name: string, schema: Schema.Constraint, closed: boolean) => Json
  /**
   * Adds the versions of a schema for the forms of the document, and returns a schema for any of them. `isWrapped`: in the envelope form, it
   * is the schema of `data`.
   */
  readonly perForm: (name: string, schemaOf: (form: Form) => Schema.Constraint, isWrapped: boolean) => Json
  /** References to the error responses of these failures, by status. */
  readonly errors: (tags: ReadonlyArray<FailureTag>) => Json
  /** All components, with further parameters. */
  readonly document: (parameters: Json) => Json
}

/** The code of most errors with a status, whose responses are named by the status alone. */
const usualCodes: Readonly<Record<number, string>> = {
  400: "VALIDATION_ERROR",
  401: "AUTHENTICATION_ERROR",
  403: "AUTHORIZATION_ERROR",
  404: "RESOURCE_NOT_FOUND",
  409: "CONFLICT",
  412: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  422: "VALIDATION_ERROR",
  429: "RATE_LIMIT_EXCEEDED",
  500: "SYSTEM_ERROR",
  503: "SERVICE_UNAVAILABLE",
  504: "TIMEOUT",
}

/** Errors of most operations, which share the default response in a document of one form: its size would grow by a tenth with each of them. */
const defaultStatuses: Readonly<Record<number, string>> = {
  400: "without readable content",
  401: "without valid credentials (`WWW-Authenticate` names the scheme)",
  403: "without the scope",
  413: "with a body that is too large",
  422: "with invalid fields",
  429: "above a rate limit (with `Retry-After`)",
  500: "after a failure of the service",
  503: "while a part of it is unavailable",
  504: "without an answer in time",
}

/** Makes references to error responses, and adds these responses. `error`: the schema of an error. */
const makeErrors = (
  documentForms: DocumentForms,
  error: Json,
  responses: Record<string, unknown>,
): Components["errors"] => {
  const isDefault = (tag: FailureTag): boolean =>
    documentForms.length === 1 && statusOf(tag) in defaultStatuses &&
    codeOf(tag, documentForms[0]!) === usualCodes[statusOf(tag)]
  const defaultResponse = (): Json => {
    responses["Error"] = {
      description: `Another error: ${Object.entries(defaultStatuses).map(([of, why]) => `${of} ${why}`).join(", ")}.`,
      ...headerReferences(["X-Request-Id", ...Object.keys(rateLimitHeaders), "WWW-Authenticate", "Retry-After"]),
      content: { "application/json": { schema: error } },
    }
    return { $ref: "#/components/responses/Error" }
  }
  const errorResponse = (status: number, tags: ReadonlyArray<FailureTag>): Json => {
    const codes = [...new Set(tags.flatMap((tag) => documentForms.map((form) => codeOf(tag, form))))]
    const name = codes.join() === usualCodes[status] ? String(status) : `${status}.${codes.join(".")}`
    responses[name] = {
      description: codes.join(" or "),
      ...statusHeaders(status, documentForms),
      content: { "application/json": { schema: error } },
    }
    return { $ref: `#/components/responses/${name}` }
  }
  return (tags) => ({
    ...Object.fromEntries(
      [...Map.groupBy(tags.filter((tag) => !isDefault(tag)), statusOf)].sort(([a], [b]) => a - b)
        .map(([status, group]) => [String(status), errorResponse(status, group)]),
    ),
    ...(tags.some(isDefault) ? { default: defaultResponse() } : {}),
  })
}

/** Components of a document with these forms; at first only the shared ones. */
export const makeComponents = (documentForms: DocumentForms): Components => {
  const { add, schemas } = makeSchemaSet((name) => nameIn(name, documentForms))
  const requests = new Set<string>()
  const schema: Components["schema"] = (name, of, closed) => {
    const reference = add(name, of, closed)
    if (closed) requests.add(String(reference["$ref"]).replace(schemaPath, ""))
    return reference
  }
  const responses: Record<string, unknown> = {}
  /** The schema of an answer of the envelope form, whose fields but `data` are one component. */
  const wrapped = (name: string, of: Schema.Constraint): Json => {
    const success = schema("Success", EnvelopeSchema, false)
    const key = nameIn(formName(name, "envelope"), documentForms)
    const { $ref } = schema(formName(name, "envelope"), of, false)
    const isOwn = $ref === schemaPath + key
    const data = isOwn ? schemas[key] : { $ref }
    // Answers with the same named data have one schema.
    const whole = isOwn || documentForms.length > 1 ? key : `${String($ref).replace(schemaPath, "")}Answer`
    // Two members, because generators of clients take one member for the whole schema.
    schemas[whole] = { allOf: [success, { properties: { data }, required: ["data"] }] }
    return { $ref: schemaPath + whole }
  }
  const perForm: Components["perForm"] = (name, schemaOf, isWrapped) => {
    const references = documentForms.map((form) =>
      isWrapped && form === "envelope"
        ? wrapped(name, schemaOf(form))
        : schema(formName(name, form), schemaOf(form), false)
    )
    return references.length === 1 ? references[0]! : { anyOf: references }
  }
  const error = perForm("Error", (form) => ErrorSchema[form], false)
  const errors = makeErrors(documentForms, error, responses)
  return {
    forms: documentForms,
    get done() {
      responses["Done"] = { description: "Done", ...headersWith(documentForms) }
      return { $ref: "#/components/responses/Done" }
    },
    schema,
    perForm,
    errors,
    document: (parameters) => ({
      schemas: withSharedProperties(documentForms.length === 1 ? withoutAnswerLimits(schemas, requests) : schemas),
      responses,
      parameters: { ...sharedParameters(documentForms), ...parameters },
      headers: Object.fromEntries(
        Object.entries(sharedHeaders(documentForms)).map(([name, header]) => [headerKey(name), header]),
      ),
      securitySchemes,
    }),
  }
}

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
}

const requestIdParameter = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  description: "Id of this request, which the answer repeats. If it is missing or invalid, the server generates one.",
  schema: { type: "string" },
}

/** The parameters of every operation, by name. A document of one form requires that form, so that its clients receive it. */
const sharedParameters = (documentForms: DocumentForms): Json =>
  documentForms.length === 1
    ? {
      "form": {
        name: "form",
        in: "query",
        required: true,
        description: "Form of the answer, which this document describes.",
        schema: { type: "string", enum: documentForms, default: documentForms[0] },
      },
    }
    : {
      "form": {
        name: "form",
        in: "query",
        required: false,
        description: "Form of the answer. It takes precedence over the header.",
        schema: { type: "string", enum: allForms },
      },
      "X-Response-Form": {
        name: "X-Response-Form",
        in: "header",
        required: false,
        description: "Form of the answer.",
        schema: { type: "string", enum: allForms },
      },
      "X-Request-Id": requestIdParameter,
    }

/** References to the parameters of every operation. */
export const commonParameters = (documentForms: DocumentForms): ReadonlyArray<Json> =>
  Object.keys(sharedParameters(documentForms)).map((name) => ({ $ref: `#/components/parameters/${name}` }))

/** The header of conditional changes. */
export const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the value that was read. If the value has changed since, the request fails with status 412.",
  schema: { type: "string", pattern: '^(\\*|"[A-Za-z0-9-]{1,64}")$' },
}

const rateLimitHeaders = {
  "X-RateLimit-Limit": "Maximum number of requests in a window",
  "X-RateLimit-Remaining": "Remaining requests in this window",
  "X-RateLimit-Reset": "End of this window, Unix time in seconds",
  "X-RateLimit-Window": "Length of a window in seconds",
} as const

/** Required where the document has the status that the header belongs to. */
const header = (description: string, type: string, required: boolean) => ({ required, description, schema: { type } })

const sharedHeaders = (documentForms: DocumentForms): Json => ({
  ...(documentForms.length === 1 ? {} : {
    "X-Response-Form": {
      required: true,
      description: "Form of the answer.",
      schema: { type: "string", enum: documentForms },
    },
  }),
  "X-Request-Id": {
    required: true,
    description: "Id of the request, for searches in the log.",
    schema: { type: "string", pattern: requestIdPattern },
  },
  ...Object.fromEntries(
    Object.entries(rateLimitHeaders).map(([name, description]) => [name, {
      required: false,
      description: `${description}. Absent if rate limits are switched off.`,
      schema: { type: "integer" },
    }]),
  ),
  ETag: header("Entity tag of the value, for `If-Match`.", "string", true),
  "WWW-Authenticate": header("The accepted authentication scheme.", "string", documentForms.length > 1),
  "Retry-After": header("Seconds after which the request may be sent again.", "integer", documentForms.length > 1),
})

/** The component of a header, by a short name, because every answer repeats it. */
const headerKey = (name: string): string => name.replace("X-RateLimit-", "").replace("X-", "").replaceAll("-", "")

const headerReferences = (names: ReadonlyArray<string>): Json =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${headerKey(name)}` }])) }

/** Headers of every answer, where the document has them with each. */
const headersOf = (documentForms: DocumentForms): ReadonlyArray<string> =>
  documentForms.length === 1 ? [] : ["X-Request-Id", "X-Response-Form", ...Object.keys(rateLimitHeaders)]

/**
 * The headers of every answer, and to further ones. A document of one form, which is for generators of clients, has those of
 * every answer with errors only; its introduction says so.
 */
export const headersWith = (
  documentForms: DocumentForms,
  ...further: ReadonlyArray<"ETag" | "WWW-Authenticate" | "Retry-After">
): Json => headerReferences([...headersOf(documentForms), ...further])

const statusHeaders = (status: number, documentForms: DocumentForms): Json => {
  const further = status === 401 ? ["WWW-Authenticate"] as const : status === 429 ? ["Retry-After"] as const : []
  return headerReferences(["X-Request-Id", ...headersOf(documentForms), ...further])
}
