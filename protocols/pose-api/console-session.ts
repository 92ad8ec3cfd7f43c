/**
 * Endpoints of the web console's sign-in. The browser keeps the sign-in in a cookie that scripts cannot read, and gets access tokens for it.
 *
 * The cookie is `HttpOnly` and `SameSite=Strict`, and is sent to these endpoints alone. It is not replaced when it is used, so several tabs
 * share it without ending each other's sign-in.
 */
import { Schema } from "effect"
import { passwordLength, Role } from "../domain/identity.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Text } from "./fields.ts"

/** The group of the console's sign-in, whose cookie only a browser handles. */
export const consoleGroup = "Console session"

/** The name of the cookie. */
export const sessionCookie = "wavepose_session"

const cookiePath = "/api/v1/auth/session"
/** As long as a sign-in lasts, in seconds. */
const cookieMaxAgeS = 90 * 86_400

const cookieText = (value: string, maxAgeS: number, isSecure: boolean): string =>
  `${sessionCookie}=${value}; Path=${cookiePath}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${
    isSecure ? "; Secure" : ""
  }`

/** What the console is granted; `refreshToken` null: the cookie stays as it is. */
interface ConsoleGrant {
  readonly token: string
  readonly lifetimeS: number
  readonly username: string
  readonly role: Role
  readonly refreshToken: string | null
  readonly isSecure: boolean
}

const grantCodec = jsonCodec(
  Schema.Struct({
    access_token: Schema.String.annotate({ description: "For the header `Authorization: Bearer`; keep it in memory." }),
    token_type: Schema.Literal("bearer"),
    expires_in: Schema.Int.annotate({ description: "Seconds until the access token ends." }),
    username: Schema.String,
    role: Role,
  }).annotate({ identifier: "ConsoleSession" }),
  ({ lifetimeS, role, token, username }: ConsoleGrant) => ({
    access_token: token,
    token_type: "bearer" as const,
    expires_in: lifetimeS,
    username,
    role,
  }),
)

const setCookie = ({ isSecure, refreshToken }: ConsoleGrant): string | null =>
  refreshToken === null ? null : cookieText(refreshToken, cookieMaxAgeS, isSecure)

export const openConsoleSession = endpoint({
  method: "POST",
  path: "/auth/session",
  group: consoleGroup,
  summary: "Sign in from a browser, by a password or by the code of a one-time link; sets the session cookie",
  access: "public",
  category: "authentication",
  body: {
    schema: Schema.Union([
      Schema.Struct({ username: Text(1, 256), password: Text(1, passwordLength.maximum) }),
      Schema.Struct({ code: Text(1, 128) }),
    ]),
    required: true,
    secret: true,
  },
  status: 200,
  response: { bare: grantCodec, envelope: grantCodec },
  setCookie,
  failures: ["NotAuthenticated", "StoreUnavailable"],
})

export const renewConsoleSession = endpoint({
  method: "POST",
  path: "/auth/session/refresh",
  group: consoleGroup,
  summary: "A new access token for the session cookie",
  access: "public",
  category: "authentication",
  status: 200,
  response: { bare: grantCodec, envelope: grantCodec },
  setCookie,
  failures: ["NotAuthenticated", "StoreUnavailable"],
})

export const closeConsoleSession = endpoint({
  method: "DELETE",
  path: "/auth/session",
  group: consoleGroup,
  summary: "End the sign-in of the session cookie and remove the cookie",
  access: "public",
  category: "authentication",
  status: 204,
  response: null,
  setCookie: ({ isSecure }: Pick<ConsoleGrant, "isSecure">) => cookieText("", 0, isSecure),
  failures: ["NotAuthenticated", "StoreUnavailable"],
})
