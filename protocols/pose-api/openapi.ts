/**
 * The OpenAPI 3.1 document of a list of endpoints in both forms. Pure.
 */
import { Schema } from "effect"
import { type AnyEndpoint, endpoint, failuresOf, jsonType } from "./endpoint.ts"
import { codeOf, type FailureTag, statusOf } from "./errors.ts"
import { ErrorSchema, forms, successSchema } from "./forms.ts"

type Json = Record<string, unknown>

/** Prefix of the paths of all endpoints that are not at the root. */
export const apiPrefix = "/api/v1"

/** The full path of an endpoint. */
export const servedPath = ({ atRoot, path }: Pick<AnyEndpoint, "atRoot" | "path">): string =>
  atRoot ? path : apiPrefix + path

const requestIdPattern = "^[A-Za-z0-9._-]{1,128}$"

/** The id of an operation, e.g. `getPoseLatest`, which is also the prefix of its schemas' names. */
const operationIdOf = ({ atRoot, method, path }: Pick<AnyEndpoint, "atRoot" | "method" | "path">): string =>
  method.toLowerCase() + (atRoot ? "Root" : "") +
  path.split(/[^A-Za-z0-9]+/).filter((part) => part !== "").map((part) => part[0]!.toUpperCase() + part.slice(1)).join(
    "",
  )

/** Collects the schemas of the document by name. */
const makeComponents = () => {
  const schemas: Json = {}
  const add = (name: string, schema: Schema.Constraint, closed: boolean): Json => {
    const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: closed ? "error" : "ignore" })
    for (const [key, definition] of Object.entries(document.definitions)) schemas[key] = relocated(definition, closed)
    schemas[name] = relocated(document.schema, closed)
    return { $ref: `#/components/schemas/${name}` }
  }
  return { schemas, add }
}

/** Rewrites references to OpenAPI's place for schemas, and removes `additionalProperties` from open objects. */
const relocated = (json: unknown, closed: boolean): unknown => {
  if (Array.isArray(json)) return json.map((item) => relocated(item, closed))
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(
    Object.entries(json).flatMap(([key, value]): Array<[string, unknown]> => {
      if (key === "$ref" && typeof value === "string") {
        return [[key, value.replace("#/$defs/", "#/components/schemas/")]]
      }
      if (key === "additionalProperties" && value === true && !closed) return []
      return [[key, relocated(value, closed)]]
    }),
  )
}

const commonParameters = [
  {
    name: "form",
    in: "query",
    required: false,
    description: "Form of the answer. It takes precedence over the header.",
    schema: { type: "string", enum: forms },
  },
  {
    name: "X-Response-Form",
    in: "header",
    required: false,
    description: "Form of the answer.",
    schema: { type: "string", enum: forms },
  },
  {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: "Id of this request, which the answer repeats. If it is missing or invalid, the server generates one.",
    schema: { type: "string" },
  },
]

const commonHeaders = {
  "X-Response-Form": { required: true, schema: { type: "string", enum: forms } },
  "X-Request-Id": { required: true, schema: { type: "string", pattern: requestIdPattern } },
  ...Object.fromEntries(
    [
      ["Limit", "Maximum number of requests in a window"],
      ["Remaining", "Remaining requests in this window"],
      ["Reset", "End of this window, Unix time in seconds"],
      ["Window", "Length of a window in seconds"],
    ].map(([name, description]) => [`X-RateLimit-${name}`, {
      required: false,
      description: `${description}. Absent if rate limits are switched off.`,
      schema: { type: "integer" },
    }]),
  ),
}

const statusHeaders = (status: number): Json => ({
  ...commonHeaders,
  ...(status === 401 ? { "WWW-Authenticate": { required: true, schema: { type: "string" } } } : {}),
  ...(status === 429 ? { "Retry-After": { required: true, schema: { type: "integer" } } } : {}),
})

/** The header of conditional changes. */
const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the value that was read. If the value has changed since, the request fails with status 412.",
  schema: { type: "string" },
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required: boolean
  readonly description?: string
  readonly schema: Json
}

const parametersOf = (schema: Schema.Constraint | null, place: "path" | "query"): ReadonlyArray<Parameter> => {
  if (schema === null) return []
  const { schema: json } = Schema.toJsonSchemaDocument(schema)
  const required = new Set((json.required ?? []) as ReadonlyArray<string>)
  return Object.entries((json.properties ?? {}) as Record<string, Json>).map((
    [name, { description, ...property }],
  ) => ({
    name,
    in: place,
    required: required.has(name),
    ...(typeof description === "string" ? { description } : {}),
    schema: property,
  }))
}

/** The query parameters of both forms. The description names the form if only one form has or requires a parameter. */
const queryParametersOf = (query: AnyEndpoint["query"]): ReadonlyArray<Parameter> => {
  if (query === null) return []
  const bare = parametersOf(query.bare, "query")
  if (query.bare === query.envelope) return bare
  const byForm = { bare, envelope: parametersOf(query.envelope, "query") }
  const names = new Set(forms.flatMap((form) => byForm[form].map(({ name }) => name)))
  return [...names].map((name) => {
    const taking = forms.flatMap((form) => byForm[form].filter((parameter) => parameter.name === name))
    const needing = forms.filter((form) =>
      byForm[form].some((parameter) => parameter.name === name && parameter.required)
    )
    const only = forms.find((form) => taking.length === 1 && byForm[form].includes(taking[0]!))
    const notes = [
      taking[0]!.description,
      only === undefined ? undefined : `Only in the ${only} form.`,
      needing.length === 1 ? `Required in the ${needing[0]} form.` : undefined,
    ]
    const description = notes.filter((note) => note !== undefined).join(" ")
    return {
      ...taking[0]!,
      required: needing.length === forms.length,
      ...(description === "" ? {} : { description }),
    }
  })
}

const errorResponses = (tags: ReadonlyArray<FailureTag>): Json => {
  const byStatus = Map.groupBy(tags, statusOf)
  const responses = [...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => {
    const codes = new Set(group.flatMap((tag) => forms.map((form) => codeOf(tag, form))))
    return [String(status), {
      description: [...codes].join(" or "),
      headers: statusHeaders(status),
      content: {
        "application/json": {
          schema: { anyOf: forms.map((form) => ({ $ref: `#/components/schemas/error.${form}` })) },
        },
      },
    }]
  })
  return Object.fromEntries(responses)
}

type AddSchema = ReturnType<typeof makeComponents>["add"]

const successResponse = (of: AnyEndpoint, add: AddSchema): Json => {
  if (of.response === null) return { description: "Done", headers: commonHeaders }
  const { etag, mediaType, response, unwrapped } = of
  const name = operationIdOf(of)
  if (mediaType !== jsonType) {
    const content = { [mediaType.split(";")[0]!]: { schema: { type: "string" } } }
    return { description: of.summary, headers: commonHeaders, content }
  }
  return {
    description: of.summary,
    headers: etag === null ? commonHeaders : { ...commonHeaders, ETag: { required: true, schema: { type: "string" } } },
    content: {
      "application/json": {
        schema: {
          anyOf: forms.map((form) => {
            const { schema } = response[form]
            return add(`${name}.${form}`, unwrapped ? schema : successSchema(form, schema), false)
          }),
        },
      },
    },
  }
}

const operation = (of: AnyEndpoint, add: AddSchema): Json => ({
  operationId: operationIdOf(of),
  tags: [of.group],
  summary: of.summary,
  description:
    `${of.access === "public" ? "Requires no authentication." : `Requires the permission \`${of.access}\`.`} ` +
    `Counts against the rate limit \`${of.category}\`; requests of authenticated callers in the bare form count against \`rest\`.`,
  security: of.access === "public" ? [] : [{ bearer: [] }, { apiKey: [] }],
  parameters: [
    ...parametersOf(of.params, "path"),
    ...queryParametersOf(of.query),
    ...(of.etag === null || of.method === "GET" ? [] : [ifMatch]),
    ...commonParameters,
  ],
  ...(of.body === null ? {} : {
    requestBody: {
      required: of.body.required,
      content: { "application/json": { schema: add(`${operationIdOf(of)}.request`, of.body.schema, true) } },
    },
  }),
  responses: { [of.status]: successResponse(of, add), ...errorResponses(failuresOf(of)) },
})

/** The document of these endpoints. */
export const openApiDocument = (endpoints: ReadonlyArray<AnyEndpoint>, version: string): Json => {
  const { schemas, add } = makeComponents()
  for (const form of forms) add(`error.${form}`, ErrorSchema[form], false)
  const paths: Record<string, Json> = {}
  for (const of of endpoints) (paths[servedPath(of)] ??= {})[of.method.toLowerCase()] = operation(of, add)
  return {
    openapi: "3.1.0",
    info: {
      title: "wavepose",
      version,
      description: "Human pose estimation from Wi-Fi channel state information. Every answer has one of two forms.",
    },
    tags: [...new Set(endpoints.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
      },
    },
  }
}

/** The document as an answer: its JSON text, the same in both forms. */
const documentCodec = {
  schema: Schema.Record(Schema.String, Schema.Unknown),
  text: (document: string) => document,
}

export const openApi = endpoint({
  method: "GET",
  path: "/openapi.json",
  group: "Documentation",
  summary: "Get this OpenAPI document",
  access: "read",
  category: "health",
  status: 200,
  response: { bare: documentCodec, envelope: documentCodec },
  unwrapped: true,
  failures: [],
})
