/**
 * Messages of the home WebSocket as text, and the checks that every command goes through before its handler.
 */
import { haVersion } from "../server/configuration.ts"
import { isObject } from "../server/json.ts"
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

interface ReadCommand {
  readonly id: number
  readonly type: string
  readonly message: object
}

/**
 * A command with its id and type, of a message whose numbers keep their notation: an id such as 1.0 is not a whole number to clients. Or the
 * refusal, and the id to answer under.
 */
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
