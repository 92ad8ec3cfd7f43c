/**
 * The operations of an OpenAPI document of one form as Python methods, synchronous and asynchronous. Pure.
 */
// deno-lint-ignore no-explicit-any
type Json = any

const keywords = new Set(["from", "global", "in", "is", "not", "or", "and", "class", "def", "return", "import", "type"])

/** `getPoseLatest` as `get_pose_latest`. */
export const pythonName = (name: string): string => {
  const text = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase()
  return keywords.has(text) ? `${text}_` : text
}

const primitives: Record<string, string> = { string: "str", integer: "int", number: "float", boolean: "bool" }

interface Argument {
  readonly name: string
  readonly python: string
  readonly type: string
  readonly place: "path" | "query"
  readonly required: boolean
}

const typeOf = (schema: Json, models: string): string => {
  if (schema.$ref !== undefined) return `${models}.${schema.$ref.split("/").at(-1)}`
  if (schema.enum !== undefined) {
    return `Literal[${schema.enum.map((value: unknown) => JSON.stringify(value)).join(", ")}]`
  }
  return primitives[schema.type] ?? "Any"
}

/** The component that a reference names. */
const resolved = (document: Json, of: Json): Json =>
  of.$ref === undefined ? of : of.$ref.slice(2).split("/").reduce((at: Json, key: string) => at[key], document)

const argumentsOf = (document: Json, operation: Json, models: string): ReadonlyArray<Argument> =>
  (operation.parameters ?? []).map((parameter: Json) => resolved(document, parameter))
    .filter(({ in: place }: Json) => place === "path" || place === "query")
    .map(({ in: place, name, required = false, schema }: Json) => ({
      name,
      python: pythonName(name),
      type: typeOf(schema, models),
      place,
      required,
    }))

const answerType = (document: Json, operation: Json, models: string): string => {
  const [, response] = Object.entries<Json>(operation.responses).find(([status]) => status < "300")!
  const { content } = resolved(document, response)
  if (content === undefined) return "None"
  const json = content["application/json"]
  return json === undefined ? "str" : typeOf(json.schema, models)
}

const method = (
  document: Json,
  path: string,
  verb: string,
  operation: Json,
  models: string,
  isAsync: boolean,
): string => {
  const given = argumentsOf(document, operation, models)
  const inPath = given.filter(({ place }) => place === "path")
  const query = given.filter(({ place }) => place === "query")
  const body = operation.requestBody
  const named = [
    ...query.filter(({ required }) => required).map(({ python, type }) => `${python}: ${type}`),
    ...query.filter(({ required }) => !required).map(({ python, type }) => `${python}: ${type} | None = None`),
  ]
  const signature = [
    "self",
    ...inPath.map(({ python }) => `${python}: str`),
    ...(body === undefined ? [] : [
      `body: ${typeOf(body.content["application/json"].schema, models)}${body.required ? "" : " | None = None"}`,
    ]),
    ...(named.length === 0 ? [] : ["*", ...named]),
  ]
  const filled = inPath.length === 0
    ? JSON.stringify(path)
    : `f"${inPath.reduce((text, { name, python }) => text.replace(`{${name}}`, `{quote(${python}, safe='')}`), path)}"`
  const queryText = `{${query.map(({ name, python }) => `"${name}": ${python}`).join(", ")}}`
  const call = `self._call("${verb.toUpperCase()}", ${filled}, ${queryText}${body === undefined ? "" : ", body"})`
  const answer = answerType(document, operation, models)
  return [
    `    ${isAsync ? "async " : ""}def ${pythonName(operation.operationId)}(`,
    ...signature.map((part) => `        ${part},`),
    `    ) -> ${answer}:`,
    `        """${operation.summary}. ${operation.description}"""`,
    `        return ${isAsync ? "await " : ""}${call}`,
    "",
  ].join("\n")
}

const classOf = (document: Json, name: string, models: string, isAsync: boolean): string => {
  const methods = Object.entries<Json>(document.paths).flatMap(([path, verbs]) =>
    Object.entries<Json>(verbs).filter(([verb]) => verb !== "parameters")
      .map(([verb, operation]) => method(document, path, verb, operation, models, isAsync))
  )
  const call = `    ${
    isAsync ? "async " : ""
  }def _call(self, method: str, path: str, query: dict[str, Any], body: Any = None) -> Any:\n        raise NotImplementedError\n`
  return `class ${name}:\n    """The operations, ${isAsync ? "asynchronous" : "synchronous"}."""\n\n${call}\n${
    methods.join("\n")
  }`
}

/** A Python module with the operations of a document. `form`: of the document, the name of the module of its types. */
export const pythonOperations = (document: Json, form: "bare" | "envelope"): string => {
  const prefix = form[0]!.toUpperCase() + form.slice(1)
  return `"""Generated from the OpenAPI document of the ${form} form by \`npm run contract -- generate\`. Do not edit."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from . import ${form} as ${form}

${classOf(document, `${prefix}Operations`, form, false)}

${classOf(document, `Async${prefix}Operations`, form, true)}`
}
