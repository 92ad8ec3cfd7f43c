/**
 * The documentation page: the served OpenAPI document as HTML without scripts, made once at start.
 *
 * Pure: document in, page out. Invariant: all text of the document is escaped.
 */
import { type Field, fieldsOf, type Json } from "./docs-fields.ts"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escaped = (text: unknown): string => String(text ?? "").replace(/[&<>"']/g, (character) => escapes[character]!)

const code = (text: unknown): string => `<code>${escaped(text)}</code>`

const records = (value: unknown): ReadonlyArray<Json> => Array.isArray(value) ? value as ReadonlyArray<Json> : []

const entries = (value: unknown): ReadonlyArray<readonly [string, Json]> =>
  Object.entries((value ?? {}) as Record<string, Json>)

const table = (caption: string, head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.length === 0
    ? ""
    : `<h3>${escaped(caption)}</h3><div class="table"><table><thead><tr>${
      head.map((name) => `<th scope="col">${escaped(name)}</th>`).join("")
    }</tr></thead><tbody>${
      rows.map(([first, ...cells]) =>
        `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
      ).join("")
    }</tbody></table></div>`

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
    return named.map((form) => [String(form["$ref"] ?? "").split(".").at(-1)!, form])
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

const section = ({ id, method, operation, path }: Operation, components: Components): string =>
  `<details id="${escaped(id)}"><summary><span class="method">${escaped(method)}</span> ${code(path)} ${
    escaped(operation["summary"])
  }</summary><p class="quiet">${escaped(operation["description"])}</p>${parameterTable(operation, components)}${
    requestBody(operation, components.schemas)
  }${responses(operation, components)}</details>`

const forms = `<p>An answer has one of two forms: <code>bare</code> is the data itself, <code>envelope</code> is
<code>{success, data, timestamp, request_id}</code>. The query parameter <code>form</code> selects it, else the header
<code>X-Response-Form</code>, else the server's default. The answer repeats the <code>X-Request-Id</code> that you send. Authenticate with
<code>Authorization: Bearer &lt;token&gt;</code>, a token from <code>POST /api/v1/auth/token</code>, or with
<code>X-API-Key</code>. This page is made from <code>/api/v1/openapi.json</code>. Generators of clients should read
<code>/api/v1/openapi.bare.json</code> or <code>/api/v1/openapi.envelope.json</code>, which describe one form each.</p>`

/** The page of an OpenAPI document. */
export const docsPage = (document: Json): string => {
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
<title>${escaped(title)} ${escaped(version)}: API</title><link rel="stylesheet" href="docs/style.css"></head>
<body><a class="skip" href="#operations">To the operations</a>
<header><h1>${escaped(title)}</h1><p class="quiet">Version ${escaped(version)}</p><p>${
    escaped(description)
  }</p>${forms}</header>
<nav aria-label="Operations">${contents}</nav>
<main id="operations">${sections}</main></body></html>
`
}
