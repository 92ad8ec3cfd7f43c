/**
 * Code samples of an operation for the documentation page: curl, JavaScript and Python. Pure.
 */
import type { Json } from "./docs-fields.ts"

/** An operation and its parameters without references. */
export interface Sampled {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly isPublic: boolean
  readonly required: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: Json }>
  /** Schema of the JSON body; null without one. */
  readonly body: Json | null
}

const depthMax = 6

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const byFormat: Readonly<Record<string, string>> = {
  "date-time": "2026-01-05T09:30:00Z",
  date: "2026-01-05",
  uuid: "01a21355-dcdd-7761-8229-677a1029eed2",
}

/** A small value that a schema accepts: only required fields, the first of the alternatives. */
const sampleOf = (given: Json, schemas: Json, depth = 0): unknown => {
  const reference = given["$ref"]
  const schema = typeof reference === "string" ? schemas[reference.split("/").at(-1)!] as Json : given
  const [first] = (schema["anyOf"] ?? schema["oneOf"] ?? schema["enum"] ?? []) as ReadonlyArray<unknown>
  if (schema["default"] !== undefined) return schema["default"]
  if (first !== undefined) {
    return isJson(first) ? sampleOf({ ...schema, anyOf: undefined, ...first }, schemas, depth) : first
  }
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]
  switch (type) {
    case "object": {
      if (depth >= depthMax) return {}
      const properties = (schema["properties"] ?? {}) as Record<string, Json>
      const required = (schema["required"] ?? []) as ReadonlyArray<string>
      return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, schemas, depth + 1)]))
    }
    case "array": {
      const count = Number(schema["minItems"] ?? 0)
      const items = (schema["items"] ?? {}) as Json
      return Array.from({ length: count }, () => sampleOf(items, schemas, depth + 1))
    }
    case "integer":
    case "number":
      return schema["minimum"] ?? 1
    case "boolean":
      return true
    default:
      return byFormat[String(schema["format"])] ?? "text"
  }
}

const addressed = ({ path, required }: Sampled, schemas: Json): string => {
  const valueOf = (schema: Json) => encodeURIComponent(String(sampleOf(schema, schemas)))
  const filled = required.filter((parameter) => parameter.in === "path")
    .reduce((text, { name, schema }) => text.replace(`{${name}}`, valueOf(schema)), path)
  const query = required.filter((parameter) => parameter.in === "query").map(({ name, schema }) =>
    `${name}=${valueOf(schema)}`
  )
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`
}

/** The samples by language. The address is that of a local service. */
export const samplesOf = (of: Sampled, schemas: Json): Readonly<Record<"curl" | "JavaScript" | "Python", string>> => {
  const url = `http://127.0.0.1:8000${addressed(of, schemas)}`
  const body = of.body === null ? null : JSON.stringify(sampleOf(of.body, schemas))
  const curl = [
    `curl${of.method === "GET" ? "" : ` -X ${of.method}`} "${url}"`,
    ...(of.isPublic ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...(body === null ? [] : [`-H "Content-Type: application/json"`, `-d '${body}'`]),
  ]
  const headers = [
    ...(of.isPublic ? [] : ["Authorization: `Bearer ${token}`"]),
    ...(body === null ? [] : [`"Content-Type": "application/json"`]),
  ]
  const options = [
    ...(of.method === "GET" ? [] : [`method: "${of.method}"`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(body === null ? [] : [`body: JSON.stringify(${body})`]),
  ]
  const javaScript = `const response = await fetch("${url}"${
    options.length === 0 ? "" : `, {\n  ${options.join(",\n  ")}\n}`
  })\nconsole.log(response.status, await response.text())`
  const python = [
    "import httpx",
    `response = httpx.request("${of.method}", "${url}"${
      of.isPublic ? "" : `, headers={"Authorization": f"Bearer {token}"}`
    }${
      body === null
        ? ""
        : `, json=${body.replace(/\btrue\b/g, "True").replace(/\bfalse\b/g, "False").replace(/\bnull\b/g, "None")}`
    })`,
    "print(response.status_code, response.text)",
  ]
  return { curl: curl.join(" \\\n  "), JavaScript: javaScript, Python: python.join("\n") }
}
