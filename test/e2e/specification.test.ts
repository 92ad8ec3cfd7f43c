/**
 * Part A of the specification at a service as its user runs it: every field of every answer, in both forms, with its type.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Form, forms } from "../../protocols/pose-api/forms.ts"
import { adminPassword, eventually, signIn, startService, type TestService } from "../harness/service.ts"
import { type Fields, type FieldType, type Specified, specified } from "./specification/fields.ts"

// deno-lint-ignore no-explicit-any
type Json = any

const isTimestamp = (value: Json): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)

const is: Record<FieldType, (value: Json) => boolean> = {
  string: (value) => typeof value === "string" && value !== "",
  text: (value) => ["string", "number", "object"].includes(typeof value) && value !== null,
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
  timestamp: isTimestamp,
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
}

/** The values at a path, or an error message if the path ends early. */
const valuesAt = (body: Json, path: ReadonlyArray<string>): ReadonlyArray<{ value: Json } | { complaint: string }> => {
  const [step, ...rest] = path
  if (step === undefined) return [{ value: body }]
  const [, name = "", each = "", optional = ""] = /^([^[\]{}*]*)(\[\]|\{\})?(\*)?$/.exec(step)!
  if (name !== "" && (typeof body !== "object" || body === null || !(name in body))) {
    return [{ complaint: `${name} is missing` }]
  }
  const found = name === "" ? body : body[name]
  if (each === "") return valuesAt(found, rest)
  if (each === "[]" ? !Array.isArray(found) : !is.object(found)) return [{ complaint: `${name} is no ${each}` }]
  const entries: ReadonlyArray<Json> = each === "[]" ? found : Object.values(found)
  if (entries.length === 0 && optional === "") return [{ complaint: `${name || "the answer"} is empty` }]
  return entries.flatMap((entry) => valuesAt(entry, rest))
}

/** The differences between an answer and these fields. */
const complaintsOf = (body: Json, fields: Fields): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([path, said]) => {
    const type = said.replace("?", "") as FieldType
    return valuesAt(body, path.split(".")).flatMap((at) => {
      if ("complaint" in at) return [`${path}: ${at.complaint}`]
      if (at.value === null && said.endsWith("?")) return []
      return is[type](at.value) ? [] : [`${path}: ${JSON.stringify(at.value)?.slice(0, 80)} is no ${type}`]
    })
  })

describe("the specification's fields", () => {
  let service: TestService
  let api: Awaited<ReturnType<typeof signIn>>
  let fill: (text: string) => string

  beforeAll(async () => {
    service = await startService({ args: ["--scenario", "small-room"] })
    api = await signIn(service)
    const frame = await eventually(
      async () => (await api.get("/pose/latest?environment_id=small-room")).body,
      ({ persons }) => persons?.length > 0,
      80_000,
    )
    const now = Date.now()
    const values: Record<string, string> = {
      track_id: frame.persons[0].tracking_info.track_id,
      start: new Date(now - 3_600_000).toISOString(),
      end: new Date(now + 3_600_000).toISOString(),
      password: adminPassword,
    }
    fill = (text) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
  }, 120_000)
  afterAll(() => service?.stop())

  const ask = async ({ body, method, path }: Pick<Specified, "body" | "method" | "path">, form: Form) => {
    const response = await fetch(`${service.pose}/api/v1${fill(path)}`, {
      method,
      headers: {
        authorization: `Bearer ${api.token}`,
        "x-response-form": form,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: fill(JSON.stringify(body)) }),
    })
    return { status: response.status, answer: (await response.json()) as Json }
  }

  for (const one of specified) {
    for (const form of forms.filter((form) => Object.keys(one.fields[form]).length > 0)) {
      it(`${one.method} ${one.path.split("?")[0]}, ${form}`, async () => {
        const { answer, status } = await ask(one, form)
        expect({ status, answer: status === one.status ? "" : answer }).toEqual({ status: one.status, answer: "" })
        if (form === "envelope") {
          expect(complaintsOf(answer, { success: "boolean", timestamp: "timestamp", request_id: "string" })).toEqual([])
          expect(answer.success).toBe(true)
        }
        expect(complaintsOf(form === "envelope" ? answer.data : answer, one.fields[form])).toEqual([])
      })
    }
  }
})
