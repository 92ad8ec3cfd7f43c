/**
 * The components of an OpenAPI document: schemas by name, and the parameters, headers and error responses that operations share.
 *
 * A document describes one form or both. An identifier that ends in `.bare` or `.envelope` names a schema that differs between the forms;
 * a document of one form omits that suffix. Pure.
 */
import { Schema } from "effect"
import { codeOf, type FailureTag, statusOf } from "./errors.ts"
import { ErrorSchema, type Form, forms as allForms } from "./forms.ts"

export type Json = Record<string, unknown>

/** The forms of a document: one, or both. */
export type DocumentForms = ReadonlyArray<Form>

const schemaPath = "#/components/schemas/"

const requestIdPattern = "^[A-Za-z0-9._-]{1,128}$"

/** The name of a schema that has one version per form. */
const formName = (name: string, form: Form): string => `${name}.${form}`

/** The name of a schema in a document: without its form in a document of one form. */
const nameIn = (name: string, documentForms: DocumentForms): string =>
  documentForms.length > 1 ? name : name.replace(/\.(bare|envelope)$/, "")

/** Rewrites references to OpenAPI's place for schemas, and removes `additionalProperties` from open objects. */
const relocated = (json: unknown, closed: boolean, documentForms: DocumentForms): unknown => {
  if (Array.isArray(json)) return json.map((item) => relocated(item, closed, documentForms))
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(
    Object.entries(json).flatMap(([key, value]): Array<[string, unknown]> => {
      if (key === "$ref" && typeof value === "string") {
        return [[key, schemaPath + nameIn(value.replace("#/$defs/", ""), documentForms)]]
      }
      if (key === "additionalProperties" && value === true && !closed) return []
      return [[key, relocated(value, closed, documentForms)]]
    }),
  )
}

export interface Components {
  /** Adds a schema under a name, and returns a reference to it. `closed`: unknown fields are rejected. */
  readonly schema: (name: string, schema: Schema.Constraint, closed: boolean) => Json
  /** Adds the versions of a schema for the forms of the document, and returns a schema for any of them. */
  readonly perForm: (name: string, schemaOf: (form: Form) => Schema.Constraint) => Json
  /** References to the error responses of these failures, by status. */
  readonly errors: (tags: ReadonlyArray<FailureTag>) => Json
  /** All components. */
  readonly document: () => Json
}

/** Components of a document with these forms; at first only the shared ones. */
export const makeComponents = (documentForms: DocumentForms): Components => {
  const schemas: Record<string, unknown> = {}
  const responses: Record<string, unknown> = {}
  const define = (name: string, json: unknown, closed: boolean): void => {
    const key = nameIn(name, documentForms)
    const schema = relocated(json, closed, documentForms)
    const text = JSON.stringify(schema)
    if (key in schemas && JSON.stringify(schemas[key]) !== text) throw new Error(`Two schemas have the name ${key}.`)
    schemas[key] = schema
  }
  const schema: Components["schema"] = (name, of, closed) => {
    const document = Schema.toJsonSchemaDocument(of, { onExcessProperty: closed ? "error" : "ignore" })
    for (const [key, definition] of Object.entries(document.definitions)) define(key, definition, closed)
    define(name, document.schema, closed)
    return { $ref: schemaPath + nameIn(name, documentForms) }
  }
  const perForm: Components["perForm"] = (name, schemaOf) => {
    const references = documentForms.map((form) => schema(formName(name, form), schemaOf(form), false))
    return references.length === 1 ? references[0]! : { anyOf: references }
  }
  const error = perForm("Error", (form) => ErrorSchema[form])
  const errorResponse = (status: number, tags: ReadonlyArray<FailureTag>): Json => {
    const codes = [...new Set(tags.flatMap((tag) => documentForms.map((form) => codeOf(tag, form))))]
    const name = `${status}.${codes.join(".")}`
    responses[name] = {
      description: codes.join(" or "),
      headers: statusHeaders(status),
      content: { "application/json": { schema: error } },
    }
    return { $ref: `#/components/responses/${name}` }
  }
  return {
    schema,
    perForm,
    errors: (tags) =>
      Object.fromEntries(
        [...Map.groupBy(tags, statusOf)].sort(([a], [b]) => a - b)
          .map(([status, group]) => [String(status), errorResponse(status, group)]),
      ),
    document: () => ({
      schemas,
      responses,
      parameters: sharedParameters(documentForms),
      headers: sharedHeaders(documentForms),
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
      "X-Request-Id": requestIdParameter,
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
  schema: { type: "string" },
}

const rateLimitHeaders = {
  "X-RateLimit-Limit": "Maximum number of requests in a window",
  "X-RateLimit-Remaining": "Remaining requests in this window",
  "X-RateLimit-Reset": "End of this window, Unix time in seconds",
  "X-RateLimit-Window": "Length of a window in seconds",
} as const

const text = (description: string) => ({ required: true, description, schema: { type: "string" } })

const sharedHeaders = (documentForms: DocumentForms): Json => ({
  "X-Response-Form": {
    required: true,
    description: "Form of the answer.",
    schema: { type: "string", enum: documentForms },
  },
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
  ETag: text("Entity tag of the value, for `If-Match`."),
  "WWW-Authenticate": text("The accepted authentication scheme."),
  "Retry-After": {
    required: true,
    description: "Seconds after which the request may be sent again.",
    schema: { type: "integer" },
  },
})

const headerReferences = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** References to the headers of every answer, and to further ones. */
export const headersWith = (...further: ReadonlyArray<"ETag" | "WWW-Authenticate" | "Retry-After">): Json =>
  headerReferences(["X-Response-Form", "X-Request-Id", ...Object.keys(rateLimitHeaders), ...further])

const statusHeaders = (status: number): Json => {
  if (status === 401) return headersWith("WWW-Authenticate")
  return status === 429 ? headersWith("Retry-After") : headersWith()
}
