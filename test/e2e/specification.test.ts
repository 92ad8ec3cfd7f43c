/**
 * Part A of the specification at a service as its user runs it: every field of every answer, in both forms, with its type.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Form, forms } from "../../protocols/pose-api/forms.ts"
import { adminPassword, eventually, signIn, startService, type TestService } from "../harness/service.ts"
import { complaintsOf } from "./specification/complaints.ts"
import { type Specified, specified } from "./specification/fields.ts"

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
    // deno-lint-ignore no-explicit-any
    return { status: response.status, answer: (await response.json()) as any }
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
