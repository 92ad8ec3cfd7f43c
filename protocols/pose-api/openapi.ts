/**
 * The OpenAPI 3.1 documents of a list of endpoints: one for each form, for generators of clients, and one for both. Pure.
 */
import { Schema } from "effect"
import { type AnyEndpoint, endpoint, failuresOf, jsonType } from "./endpoint.ts"
import { type Form, forms, successSchema } from "./forms.ts"
import {
  commonParameters,
  type Components,
  type DocumentForms,
  headersWith,
  ifMatch,
  type Json,
  makeComponents,
} from "./openapi-components.ts"

/** Prefix of the paths of all endpoints that are not at the root. */
export const apiPrefix = "/api/v1"

/** The full path of an endpoint. */
export const servedPath = ({ atRoot, path }: Pick<AnyEndpoint, "atRoot" | "path">): string =>
  atRoot ? path : apiPrefix + path

/** The id of an operation, e.g. `getPoseLatest`, which is also the prefix of its schemas' names. */
const operationIdOf = ({ atRoot, method, path }: Pick<AnyEndpoint, "atRoot" | "method" | "path">): string =>
  method.toLowerCase() + (atRoot ? "Root" : "") +
  path.split(/[^A-Za-z0-9]+/).filter((part) => part !== "").map((part) => part[0]!.toUpperCase() + part.slice(1)).join(
    "",
  )

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
const queryParametersOf = (query: AnyEndpoint["query"], documentForms: DocumentForms): ReadonlyArray<Parameter> => {
  if (query === null) return []
  if (documentForms.length === 1) return parametersOf(query[documentForms[0]!], "query")
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

/** The name of the schemas of an operation: its id as a type name. */
const typeName = (operationId: string): string => operationId[0]!.toUpperCase() + operationId.slice(1)

const successResponse = (of: AnyEndpoint, components: Components): Json => {
  if (of.response === null) return { description: "Done", headers: headersWith() }
  const { etag, mediaType, response, summary, unwrapped } = of
  if (mediaType !== jsonType) {
    const content = { [mediaType.split(";")[0]!]: { schema: { type: "string" } } }
    return { description: summary, headers: headersWith(), content }
  }
  const schema = components.perForm(`${typeName(operationIdOf(of))}Response`, (form) => {
    const { schema } = response[form]
    return unwrapped ? schema : successSchema(form, schema)
  })
  return {
    description: summary,
    headers: etag === null ? headersWith() : headersWith("ETag"),
    content: { "application/json": { schema } },
  }
}

const limitNote = (of: AnyEndpoint, documentForms: DocumentForms): string => {
  if (!documentForms.includes("bare")) return `Counts against the rate limit \`${of.category}\`.`
  return documentForms.length === 1
    ? `Counts against the rate limit \`rest\`, or \`${of.category}\` without authentication.`
    : `Counts against the rate limit \`${of.category}\`; requests of authenticated callers in the bare form count against \`rest\`.`
}

const operation = (of: AnyEndpoint, components: Components, documentForms: DocumentForms): Json => ({
  operationId: operationIdOf(of),
  tags: [of.group],
  summary: of.summary,
  description:
    `${of.access === "public" ? "Requires no authentication." : `Requires the permission \`${of.access}\`.`} ` +
    limitNote(of, documentForms),
  ...(of.access === "public" ? { security: [] } : {}),
  parameters: [
    ...parametersOf(of.params, "path"),
    ...queryParametersOf(of.query, documentForms),
    ...(of.etag === null || of.method === "GET" ? [] : [ifMatch]),
    ...commonParameters(documentForms),
  ],
  ...(of.body === null ? {} : {
    requestBody: {
      required: of.body.required,
      content: {
        "application/json": {
          schema: components.schema(`${typeName(operationIdOf(of))}Request`, of.body.schema, true),
        },
      },
    },
  }),
  responses: { [of.status]: successResponse(of, components), ...components.errors(failuresOf(of)) },
})

/** The document of these endpoints in one form, or in both. */
export const openApiDocument = (
  endpoints: ReadonlyArray<AnyEndpoint>,
  version: string,
  documentForms: DocumentForms = forms,
): Json => {
  const components = makeComponents(documentForms)
  const paths: Record<string, Json> = {}
  for (const of of endpoints) {
    const methods = paths[servedPath(of)] ??= {}
    methods[of.method.toLowerCase()] = operation(of, components, documentForms)
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "wavepose",
      version,
      description: `Human pose estimation from Wi-Fi channel state information. ${
        documentForms.length === 1
          ? `This document describes the ${documentForms[0]} form of the answers.`
          : "Every answer has one of two forms. /api/v1/openapi.bare.json and /api/v1/openapi.envelope.json describe one form each."
      }`,
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(endpoints.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: components.document(),
  }
}

/** The document as an answer: its JSON text, the same in both forms. */
const documentCodec = {
  schema: Schema.Record(Schema.String, Schema.Unknown),
  text: (document: string) => document,
}

const shared = {
  method: "GET",
  group: "Documentation",
  access: "public",
  category: "health",
  status: 200,
  response: { bare: documentCodec, envelope: documentCodec },
  unwrapped: true,
  failures: [],
} as const

export const openApi = endpoint({
  ...shared,
  path: "/openapi.json",
  summary: "Get this OpenAPI document, which describes both forms",
})

const summaryOf = (form: Form): string => `Get the OpenAPI document of the ${form} form, for generators of clients`

export const openApiOfForm = {
  bare: endpoint({ ...shared, path: "/openapi.bare.json", summary: summaryOf("bare") }),
  envelope: endpoint({ ...shared, path: "/openapi.envelope.json", summary: summaryOf("envelope") }),
}
