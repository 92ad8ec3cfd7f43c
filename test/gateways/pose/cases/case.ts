/**
 * What a case of the REST contract is: a request, the world that it is asked in, and the answer that it must get in each form. The tables of
 * this folder are data, one a subject; `rest.test.ts` asks them all and holds every answer against the served document.
 */
import type { Form } from "../../../../protocols/pose-api/forms.ts"
import { password, users } from "../accounts.ts"
import type { Answer, Request } from "../contract.ts"
import type { World } from "../world.ts"

export interface Case extends Request {
  readonly title: string
  /** The path as the document has it, where it differs. */
  readonly template?: string
  readonly as?: "viewer" | "operator" | "admin"
  readonly given?: (world: World) => void
  readonly status: number
  readonly check?: (answer: Answer, form: Form, world: World) => void
}

export interface Failure extends Case {
  /** Error code, or that of each form. */
  readonly code: string | Record<Form, string>
}

export interface Subject {
  readonly subject: string
  readonly successes: ReadonlyArray<Case>
  readonly failures: ReadonlyArray<Failure>
}

/** The path of the case's operation, as the document has it. */
export const templateOf = ({ path, template = path.split("?")[0]! }: Case): string => template

/** What a success answers, without the envelope's frame. */
export const data = (answer: Answer, form: Form) => form === "bare" ? answer.json : answer.json.data

/** The first field that a refusal names. */
export const wrongField = ({ json }: Answer, form: Form): string =>
  form === "bare" ? json.error.details.field_errors[0].field : json.error.details.field

export const validation = "VALIDATION_ERROR"

export const storeDown = (world: World) => {
  world.storeFails = true
}

// Requests that more than one file makes.
export const latest = { method: "GET", path: "/pose/latest" }
export const status = { method: "GET", path: "/system/status" }
export const signIn = { method: "POST", path: "/auth/token" }
export const credentials = { username: users.viewer, password }
