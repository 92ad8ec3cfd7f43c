/**
 * The OpenAPI 3.1 documents of a list of endpoints: one for each form, for generators of clients, and one for both. Pure.
 */
import { Schema } from "effect"
import type { Access } from "../domain/identity.ts"
import { meaningOf } from "./meanings/meanings.ts"
import examples from "./examples.json" with { type: "json" }
import { consoleGroup } from "./console-session.ts"
import { documentationGroup } from "./docs.ts"
import { type AnyEndpoint, endpoint, failuresOf, jsonType } from "./endpoint.ts"
import { type Form, forms } from "./forms.ts"
import {
  commonParameters,
  type Components,
  type DocumentForms,
  headersWith,
  ifMatch,
  makeComponents,
} from "./openapi-components.ts"
import { type Json, merged } from "./openapi-schemas.ts"
import { withSharedParameters } from "./openapi-shared.ts"

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
  /** Absent: it is optional. */
  readonly required?: boolean
  readonly description?: string
  readonly schema: Json
}

const descriptionOf = (description: unknown): { readonly description?: string } =>
  typeof description === "string" ? { description } : {}

const parametersOf = (schema: Schema.Constraint | null, place: "path" | "query"): ReadonlyArray<Parameter> => {
  if (schema === null) return []
  const { schema: json } = Schema.toJsonSchemaDocument(schema)
  const required = new Set((json.required ?? []) as ReadonlyArray<string>)
  return Object.entries((json.properties ?? {}) as Record<string, Json>).map(([name, given]) => {
    const { description, ...property } = merged(given)
    return {
      name,
      in: place,
      ...(required.has(name) ? { required: true } : {}),
      ...descriptionOf(description ?? meaningOf([], name)),
      schema: property,
    }
  })
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

/** Real answers of a simulated room, shortened. Documents of one form have none, because of their size. */
const examplesOf = (operationId: string, documentForms: DocumentForms): Json => {
  const recorded = (examples as Readonly<Record<string, Record<Form, unknown>>>)[operationId]
  if (recorded === undefined || documentForms.length === 1) return {}
  return { examples: Object.fromEntries(documentForms.map((form) => [form, { value: recorded[form] }])) }
}

const successResponse = (of: AnyEndpoint, components: Components): Json => {
  if (of.response === null) return components.done
  const { etag, mediaType, response, unwrapped } = of
  if (mediaType !== jsonType) {
    const content = { [mediaType.split(";")[0]!]: { schema: { type: "string" } } }
    return { description: "OK", ...headersWith(components.forms), content }
  }
  const name = `${typeName(operationIdOf(of))}Response`
  const schema = components.perForm(name, (form) => response[form].schema, !unwrapped)
  return {
    description: "OK",
    ...headersWith(components.forms, ...(etag === null ? [] : ["ETag"] as const)),
    content: { "application/json": { schema, ...examplesOf(operationIdOf(of), components.forms) } },
  }
}

/** The rate limit of an operation. All authenticated requests of the bare form have one limit. */
const limitNote = ({ access, category }: AnyEndpoint, documentForms: DocumentForms): string => {
  const limitOf = (form: Form) => form === "bare" && access !== "public" ? "rest" : category
  const names = [...new Set(documentForms.map((form) => `\`${limitOf(form)}\``))]
  return `Limit: ${names.join(" in the bare form, ")}${names.length === 2 ? " in the envelope form" : ""}.`
}

const accessNote = (access: Access): string => {
  if (access === "public") return "Public."
  return access === "any" ? "For every authenticated caller." : `Scope: \`${access}\`.`
}

const parametersIn = (parameters: ReadonlyArray<unknown>): Json => parameters.length === 0 ? {} : { parameters }

const operation = (of: AnyEndpoint, components: Components, documentForms: DocumentForms): Json => ({
  operationId: operationIdOf(of),
  tags: [of.group],
  summary: of.summary,
  description: [
    accessNote(of.access),
    limitNote(of, documentForms),
    ...(of.rules.length === 0 ? [] : [`422 unless ${of.rules.join("; ")}.`]),
    ...(of.note === null ? [] : [of.note]),
  ].join(" "),
  ...(of.access === "public" ? { security: [] } : {}),
  ...parametersIn([
    ...parametersOf(of.params, "path"),
    ...queryParametersOf(of.query, documentForms),
    ...(of.etag !== null && of.method === "PUT" ? [ifMatch] : []),
  ]),
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

/** Groups for browsers, which documents of one form, which are for generators of clients, omit. */
const browserGroups: ReadonlySet<string> = new Set([documentationGroup, consoleGroup])

/** The document of these endpoints in one form, or in both. */
export const openApiDocument = (
  endpoints: ReadonlyArray<AnyEndpoint>,
  version: string,
  documentForms: DocumentForms = forms,
): Json => {
  const components = makeComponents(documentForms)
  const operations: Record<string, Json> = {}
  const described = documentForms.length > 1 ? endpoints : endpoints.filter(({ group }) => !browserGroups.has(group))
  for (const of of described) {
    const methods = operations[servedPath(of)] ??= { parameters: commonParameters(documentForms) }
    methods[of.method.toLowerCase()] = operation(of, components, documentForms)
  }
  const { parameters, paths } = withSharedParameters(operations)
  return {
    openapi: "3.1.0",
    info: {
      title: "wavepose",
      version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      description: `Human pose estimation from Wi-Fi channel state information. ${
        documentForms.length === 1
          ? `This document describes the ${
            documentForms[0]
          } form of the answers. Every answer has the headers X-Request-Id, X-Response-Form and, while limits are on, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset and X-RateLimit-Window.`
          : "Every answer has one of two forms. /api/v1/openapi.bare.json and /api/v1/openapi.envelope.json describe one form each."
      }`,
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(described.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: components.document(parameters),
  }
}

/** The document as an answer: its JSON text, the same in both forms. */
export const documentCodec = {
  schema: Schema.Record(Schema.String, Schema.Unknown),
  text: (document: string) => document,
}

const shared = {
  method: "GET",
  group: documentationGroup,
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
