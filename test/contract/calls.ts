/** The calls of the specification's Part A as each client makes them. */
import type { Form } from "../../protocols/pose-api/forms.ts"
import { type Specified, specified } from "../e2e/specification/fields.ts"
import { pythonName } from "./python-operations.ts"

// deno-lint-ignore no-explicit-any
type Json = any

export interface Call {
  readonly specified: Specified
  readonly form: Form
  /** Path of the operation, with its parameters in braces. */
  readonly template: string
  readonly pathValues: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Json
  /** Name of the Python method, and its arguments. */
  readonly python: { readonly method: string; readonly positional: ReadonlyArray<Json>; readonly named: Json }
}

/** Fills `{name}` from these values. */
const filler = (values: Readonly<Record<string, string>>) => (text: string): string =>
  text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)

/** All calls in one form. `values`: of placeholders, e.g. the id of a track. `document`: the served OpenAPI document. */
export const callsIn = (form: Form, document: Json, values: Readonly<Record<string, string>>): ReadonlyArray<Call> => {
  const fill = filler(values)
  return specified.filter((one) => Object.keys(one.fields[form]).length > 0).map((one) => {
    const [path = "", search = ""] = one.path.split("?")
    const template = `/api/v1${path}`
    const operation = document.paths[template][one.method.toLowerCase()]
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const pathValues = Object.fromEntries(names.map((name) => [name, values[name] ?? "1"]))
    const query = Object.fromEntries(new URLSearchParams(fill(search)))
    const body = one.body === undefined ? undefined : JSON.parse(fill(JSON.stringify(one.body)))
    const named = Object.fromEntries(Object.entries(query).map(([name, value]) => [pythonName(name), value]))
    const positional = [...Object.values(pathValues), ...(body === undefined ? [] : [body])]
    return {
      specified: one,
      form,
      template,
      pathValues,
      query,
      body,
      python: { method: pythonName(operation.operationId), positional, named },
    }
  })
}
