/**
 * Messages of the home WebSocket as text, and the checks that every command goes through before its handler.
 */
import { haVersion } from "../server/configuration.ts"
import { isObject, readJson } from "../server/json.ts"
import type { Refusal, Reply } from "./command.ts"
import { refusal } from "./command.ts"

const version = JSON.stringify(haVersion)

export const authRequired = `{"type":"auth_required","ha_version":${version}}`
export const authOk = `{"type":"auth_ok","ha_version":${version}}`
export const authInvalid = (message: string): string => JSON.stringify({ type: "auth_invalid", message })

/** The token of the first message, or a text that describes its error. */
export const readAuth = (message: unknown): { readonly token: string } | string => {
  const wrong = (detail: string) => `Auth message incorrectly formatted: ${detail}`
  if (!isObject(message)) return wrong("expected a dictionary")
  const { access_token: token, api_password: password, type, ...others } = message
  if (type !== "auth") return wrong("not a valid value for dictionary value @ data['type']")
  const extra = Object.keys(others)[0]
  if (extra !== undefined) return wrong(`extra keys not allowed @ data['${extra}']`)
  for (const [key, value] of Object.entries({ access_token: token, api_password: password })) {
    if (value !== undefined && typeof value !== "string") {
      return wrong(`expected str for dictionary value @ data['${key}']`)
    }
  }
  return { token: typeof token === "string" ? token : "" }
}

export const replyText = (id: number, { result }: Reply): string =>
  result === null ? `{"id":${id},"type":"pong"}` : `{"id":${id},"type":"result","success":true,"result":${result}}`

export const refusalText = (id: unknown, { code, message, translation }: Refusal): string => {
  const error = {
    code,
    message,
    ...(translation === undefined ? {} : {
      translation_key: translation.key,
      translation_domain: translation.domain,
      translation_placeholders: translation.placeholders,
    }),
  }
  return JSON.stringify({ id: id ?? null, type: "result", success: false, error })
}

const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON

/** A text that may hold an id in the notation of a float, such as 1.0, which is not a whole number to clients. */
const floatId = /"id"\s*:\s*-?\d+(?:\.|[eE])/

/** The value of a message; an id in the notation of a float becomes raw JSON, which `readCommand` rejects. Undefined if it is not JSON. */
export const readMessage = (text: string): unknown => {
  const message = readJson(text)
  if (message === undefined || !floatId.test(text)) return message
  const keep = (key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    key === "id" && typeof value === "number" && context?.source !== undefined && !/^-?\d+$/.test(context.source)
      ? rawJson(context.source)
      : value
  return (JSON.parse as (text: string, reviver: typeof keep) => unknown)(text, keep)
}

interface ReadCommand {
  readonly id: number
  readonly type: string
  readonly message: object
}

/** A command with its id and type; or the refusal, and the id to answer under. */
export const readCommand = (
  message: unknown,
  lastId: number,
): ReadCommand | { readonly id: unknown; readonly refusal: Refusal } => {
  const wrong = (id: unknown) => ({ id, refusal: refusal("invalid_format", "Message incorrectly formatted.") })
  if (!isObject(message)) return wrong(0)
  const { id, type } = message
  if (typeof id !== "number" || !Number.isInteger(id) || id < 1 || typeof type !== "string" || type === "") {
    return wrong(id)
  }
  if (id <= lastId) return { id, refusal: refusal("id_reuse", "Identifier values have to increase.") }
  return { id, type, message }
}
