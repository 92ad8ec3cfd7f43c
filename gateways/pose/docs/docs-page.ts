/**
 * The documentation page: the served OpenAPI and AsyncAPI documents as HTML, made once at start. Search and requests from the page need its
 * script; everything else is text.
 *
 * Pure: documents in, page out. Invariant: all text of the documents is escaped.
 */
import { grpcChapter, webSocketChapter } from "./docs-chapters.ts"
import { type Field, fieldsOf, type Json } from "./docs-fields.ts"
import { code, escaped, table } from "./docs-html.ts"
import { type Sampled, samplesOf } from "./docs-samples.ts"

const records = (value: unknown): ReadonlyArray<Json> => Array.isArray(value) ? value as ReadonlyArray<Json> : []

const entries = (value: unknown): ReadonlyArray<readonly [string, Json]> =>
  Object.entries((value ?? {}) as Record<string, Json>)

const fieldTable = (caption: string, fields: ReadonlyArray<Field>): string =>
  table(
    caption,
    ["Field", "Type", "Meaning"],
    fields.map(({ notes, path, required, type }) => [
      code(path),
      `${code(type)}${required ? "" : ' <span class="quiet">optional</span>'}`,
      escaped(notes),
    ]),
  )

/** The parameter or response that a reference names. */
const resolvedComponent = (component: Json, shared: Json): Json => {
  const reference = component["$ref"]
  return typeof reference === "string" ? shared[reference.split("/").at(-1)!] as Json : component
}

/** The parameters of an operation. The page describes those of every operation once. */
const parameterTable = (operation: Json, { parameters, schemas }: Components): string =>
  table(
    "Parameters",
    ["Name", "Where", "Type", "Meaning"],
    records(operation["parameters"]).map((parameter) => {
      const { description, in: place, name, required, schema } = resolvedComponent(parameter, parameters)
      const [field] = fieldsOf({ properties: { value: schema } }, schemas)
      return [
        code(name),
        escaped(place),
        `${code(field?.type ?? "any")}${required === true ? "" : ' <span class="quiet">optional</span>'}`,
        [escaped(description), escaped(field?.notes)].filter((text) => text !== "").join(" "),
      ]
    }),
  )

const jsonSchemas = (content: unknown): ReadonlyArray<readonly [string, Json]> =>
  entries(content).flatMap(([type, media]): ReadonlyArray<readonly [string, Json]> => {
    const { schema } = media as { readonly schema: Json }
    if (type !== "application/json") return []
    const forms = records(schema["anyOf"])
    const named = forms.length === 0 ? [schema] : forms
    // A document of both forms has the schema of the bare form first.
    return named.map((form, i) => [i === 0 ? "bare" : "envelope", form])
  })

const responses = (operation: Json, { responses: shared, schemas }: Components): string => {
  const all = entries(operation["responses"])
    .map(([status, response]) => [status, resolvedComponent(response, shared)] as const)
  const successes = all.filter(([status]) => status < "400").map(([status, { content, description }]) => {
    const other = entries(content).map(([type]) => type).filter((type) => type !== "application/json")
    const bodies = jsonSchemas(content).map(([form, schema]) =>
      `<details><summary>${escaped(status)} in the ${escaped(form)} form</summary>${
        fieldTable("Fields", fieldsOf(schema, schemas))
      }</details>`
    ).join("")
    return bodies === ""
      ? `<p>${code(status)} ${escaped(description)}${other.length === 0 ? "" : ` (${other.map(code).join(", ")})`}</p>`
      : bodies
  }).join("")
  const failures = all.filter(([status]) => status >= "400")
    .map(([status, { description }]) => [code(status), escaped(description)])
  return `<h3>Answers</h3>${successes}${table("Failures", ["Status", "Code"], failures)}`
}

const requestBody = (operation: Json, schemas: Json): string => {
  const body = operation["requestBody"] as Json | undefined
  if (body === undefined) return ""
  return jsonSchemas(body["content"]).map(([, schema]) =>
    fieldTable(body["required"] === true ? "Body" : "Body (optional)", fieldsOf(schema, schemas))
  ).join("")
}

interface Components {
  readonly schemas: Json
  readonly responses: Json
  readonly parameters: Json
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly operation: Json
}

const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  entries(document["paths"]).flatMap(([path, methods]) =>
    entries(methods).filter(([method]) => method !== "parameters").map(([method, operation]) => ({
      id: String(operation["operationId"]),
      method: method.toUpperCase(),
      path,
      tag: String((operation["tags"] as ReadonlyArray<string>)[0]),
      operation,
    }))
  )

const sampledOf = ({ id, method, operation, path }: Operation, { parameters }: Components): Sampled => {
  const body = operation["requestBody"] as { readonly content: Record<string, { readonly schema: Json }> } | undefined
  return {
    id,
    method,
    path,
    isPublic: Array.isArray(operation["security"]),
    required: records(operation["parameters"]).map((parameter) => resolvedComponent(parameter, parameters))
      .filter(({ required }) => required === true)
      .map(({ in: place, name, schema }) => ({ name: String(name), in: String(place), schema: schema as Json })),
    body: body?.content["application/json"]?.schema ?? null,
  }
}

const samples = (sampled: Sampled, schemas: Json): string =>
  Object.entries(samplesOf(sampled, schemas)).map(([language, text]) =>
    `<details class="sample"><summary>${language}</summary><pre><code>${escaped(text)}</code></pre></details>`
  ).join("")

/** A real answer in the bare form, if there is one. */
const example = (operation: Json): string => {
  const success = Object.values(operation["responses"] as Record<string, Json>)[0]
  const { bare } = ((success?.["content"] as Record<string, Json> | undefined)?.["application/json"]?.["examples"] ??
    {}) as { readonly bare?: { readonly value: unknown } }
  return bare === undefined
    ? ""
    : `<details class="sample"><summary>Example of an answer</summary><pre><code>${
      escaped(JSON.stringify(bare.value, null, 2))
    }</code></pre></details>`
}

/** The form with which the page's script sends a request; hidden without the script. */
const tryForm = ({ method, operation, path }: Operation, { parameters }: Components): string => {
  const inputs = records(operation["parameters"]).map((parameter) => resolvedComponent(parameter, parameters))
    .filter(({ in: place }) => place === "path" || place === "query")
    .map(({ in: place, name, required }) =>
      `<label>${escaped(name)} <input name="${escaped(name)}" data-in="${escaped(place)}"${
        required === true ? " required" : ""
      }></label>`
    ).join("")
  const body = operation["requestBody"] === undefined
    ? ""
    : '<label>Body (JSON) <textarea rows="4" spellcheck="false"></textarea></label>'
  return `<form class="try" hidden data-method="${escaped(method)}" data-path="${escaped(path)}">${inputs}${body}
<button>Send</button><output></output></form>`
}

const section = (of: Operation, components: Components): string => {
  const { id, method, operation, path } = of
  const { schemas } = components
  return `<details class="operation" id="${escaped(id)}"><summary><span class="method">${escaped(method)}</span> ${
    code(path)
  } ${escaped(operation["summary"])}</summary><p class="quiet">${escaped(operation["description"])}</p>${
    parameterTable(operation, components)
  }${requestBody(operation, schemas)}${responses(operation, components)}${example(operation)}<h3>Samples</h3>${
    samples(sampledOf(of, components), schemas)
  }<h3>Try it</h3>${tryForm(of, components)}</details>`
}

const forms = `<p>An answer has one of two forms: <code>bare</code> is the data itself, <code>envelope</code> is
<code>{success, data, timestamp, request_id}</code>. The query parameter <code>form</code> selects it, else the header
<code>X-Response-Form</code>, else the server's default. The answer repeats the <code>X-Request-Id</code> that you send. Authenticate with
<code>Authorization: Bearer &lt;token&gt;</code>, a token from <code>POST /api/v1/auth/token</code>, or with
<code>X-API-Key</code>. This page is made from <code>/api/v1/openapi.json</code>. Generators of clients should read
<code>/api/v1/openapi.bare.json</code> or <code>/api/v1/openapi.envelope.json</code>, which describe one form each.</p>`

/** The page of an OpenAPI document and of the AsyncAPI document of the WebSocket. */
export const docsPage = (document: Json, asyncApi: Json): string => {
  const { description, title, version } = document["info"] as Json
  const components = document["components"] as Components
  const operations = operationsOf(document)
  const tags = records(document["tags"]).map(({ name }) => String(name))
  const ofTag = (tag: string) => operations.filter((operation) => operation.tag === tag)
  const contents = tags.map((tag) =>
    `<h3>${escaped(tag)}</h3><ul>${
      ofTag(tag).map(({ id, method, path }) => `<li><a href="#${escaped(id)}">${code(`${method} ${path}`)}</a></li>`)
        .join("")
    }</ul>`
  ).join("")
  const sections = tags.map((tag) =>
    `<section><h2>${escaped(tag)}</h2>${ofTag(tag).map((of) => section(of, components)).join("\n")}</section>`
  ).join("\n")
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} ${
    escaped(version)
  }: API</title><link rel="stylesheet" href="docs/style.css"><script src="docs/script.js" defer></script></head>
<body><a class="skip" href="#operations">To the operations</a>
<header><h1>${escaped(title)}</h1><p class="quiet">Version ${escaped(version)}</p><p>${
    escaped(description)
  }</p>${forms}</header>
<p hidden><label>Search <input type="search" id="search"></label></p>
<p hidden><label>Token for requests from this page <input type="password" id="token" autocomplete="off"></label></p>
<nav aria-label="Contents"><p><a href="#websocket">WebSocket</a>, <a href="#grpc">gRPC</a></p>${contents}</nav>
<main id="operations">${sections}
${webSocketChapter(asyncApi)}
${grpcChapter}</main></body></html>
`
}
