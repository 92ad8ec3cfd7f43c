/**
 * Part A of the specification through a client that openapi-python-client made of a served document: its models parse each answer, and the
 * parsed values have the specification's fields.
 */
import type { Form } from "../../protocols/pose-api/forms.ts"
import { complaintsOf } from "../e2e/specification/complaints.ts"
import { adminPassword, eventually, signIn, startService, type TestService } from "../harness/service.ts"
import { callsIn } from "./calls.ts"
import { runScript } from "./tools.ts"

// deno-lint-ignore no-explicit-any
type Json = any

/** A service with a person in its room, and the values that calls refer to. */
export const startWithPerson = async () => {
  const service = await startService({ args: ["--scenario", "small-room"] })
  const api = await signIn(service)
  const { persons: [person] } = await eventually(
    async () => (await api.get("/pose/latest?environment_id=small-room")).body,
    ({ persons }) => persons?.length > 0,
  )
  const hour = 3_600_000
  const values = {
    track_id: person.tracking_info.track_id,
    start: new Date(Date.now() - hour).toISOString(),
    end: new Date(Date.now() + hour).toISOString(),
    password: adminPassword,
  }
  return { service, token: api.token, values }
}

/** Makes all calls in a form with the client in this folder; returns their number. Throws if an answer differs from the specification. */
export const callWithGenerated = async (
  given: { readonly python: string; readonly folder: string; readonly form: Form; readonly document: Json },
  { service, token, values }: {
    readonly service: TestService
    readonly token: string
    readonly values: Record<string, string>
  },
): Promise<number> => {
  const { document, folder, form, python } = given
  const calls = callsIn(form, document, values)
  const input = { folder, url: service.pose, token, form, calls: calls.map(({ python }) => python) }
  const results = await runScript(python, "generated.py", input) as ReadonlyArray<Json>
  const complaints = calls.flatMap(({ specified, template }, i) => {
    const { answer, status } = results[i]
    if (status >= 300) return [`${template}: ${status}`]
    const data = form === "envelope" ? answer.data : answer
    return complaintsOf(data, specified.fields[form]).map((text) => `${specified.method} ${template}: ${text}`)
  })
  if (complaints.length > 0) throw new Error(`The generated client of the ${form} form: ${complaints.join("; ")}`)
  return calls.length
}
