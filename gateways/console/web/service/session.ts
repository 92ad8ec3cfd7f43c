/**
 * The sign-in of this tab. The refresh token is in a cookie that scripts cannot read; the access token is in memory and is renewed
 * before it ends.
 */
import { signal } from "@preact/signals"
import { RequestFailed, requestJson, type RequestOptions, requestTagged, requestText, type Tagged } from "./http.ts"

interface Granted {
  readonly access_token: string
  readonly expires_in: number
  readonly username: string
  readonly role: "viewer" | "operator" | "admin"
}

type Session =
  | { readonly state: "unknown" }
  | { readonly state: "signed-out"; readonly reason: string | null }
  | { readonly state: "signed-in"; readonly username: string; readonly role: Granted["role"] }

export const session = signal<Session>({ state: "unknown" })

let accessToken: string | null = null
let renewal: Promise<boolean> | null = null
let renewalTimer: ReturnType<typeof setTimeout> | undefined

/** The share of a token's life after which it is renewed. */
const renewAfterShare = 0.7

const accept = (granted: Granted): void => {
  accessToken = granted.access_token
  session.value = { state: "signed-in", username: granted.username, role: granted.role }
  clearTimeout(renewalTimer)
  renewalTimer = setTimeout(() => void renew(), granted.expires_in * 1000 * renewAfterShare)
}

const end = (reason: string | null): void => {
  accessToken = null
  clearTimeout(renewalTimer)
  session.value = { state: "signed-out", reason }
}

const renewOnce = async (): Promise<boolean> => {
  try {
    accept(await requestJson<Granted>("/auth/session/refresh", { method: "POST" }))
    return true
  } catch (cause) {
    // An unreachable service ends no sign-in: the connection state says what is wrong.
    if (cause instanceof RequestFailed && cause.status === 401) {
      end(session.value.state === "signed-in" ? "Your sign-in has ended. Sign in again." : null)
    } else if (session.value.state === "unknown") end((cause as Error).message)
    return false
  }
}

/** Gets a new access token for the cookie; concurrent callers share one request. Resolves to whether there is one. */
export const renew = (): Promise<boolean> => renewal ??= renewOnce().finally(() => renewal = null)

/** The token for the WebSocket's first message. */
export const currentToken = (): string | null => accessToken

export const signIn = async (credentials: { readonly username: string; readonly password: string }): Promise<void> =>
  accept(await requestJson<Granted>("/auth/session", { method: "POST", body: credentials }))

/** Signs in by the code of a one-time link. If it fails, a sign-in that this browser has is kept. */
export const signInByCode = async (code: string): Promise<void> => {
  try {
    accept(await requestJson<Granted>("/auth/session", { method: "POST", body: { code } }))
  } catch (cause) {
    if (await renew()) return
    const isUsed = cause instanceof RequestFailed && cause.status === 401
    end(
      isUsed
        ? "This link was used already or is too old. Each start of the service prints a new one."
        : (cause as Error).message,
    )
  }
}

export const signOut = async (): Promise<void> => {
  await requestJson("/auth/session", { method: "DELETE" }).catch(() => undefined)
  end(null)
}

/** A request as the signed-in user; a token that has ended is renewed once. */
const withToken = async <A>(request: (token: string | null) => Promise<A>): Promise<A> => {
  try {
    return await request(accessToken)
  } catch (cause) {
    if (!(cause instanceof RequestFailed) || cause.status !== 401 || !(await renew())) throw cause
    return await request(accessToken)
  }
}

/** A request as the signed-in user, with the entity tag of its answer. */
export const authorisedTagged = <A>(path: string, options: RequestOptions = {}): Promise<Tagged<A>> =>
  withToken((token) => requestTagged<A>(path, { ...options, token }))

/** The text of a document, as the signed-in user. */
export const authorisedText = (path: string): Promise<string> => withToken((token) => requestText(path, { token }))

/** As `authorisedTagged`, without the tag. */
export const authorised = async <A>(path: string, options: RequestOptions = {}): Promise<A> =>
  (await authorisedTagged<A>(path, options)).value

/** Whether the signed-in user has at least this role. */
export const isAtLeast = (role: Granted["role"]): boolean => {
  const ranks = ["viewer", "operator", "admin"]
  return session.value.state === "signed-in" && ranks.indexOf(session.value.role) >= ranks.indexOf(role)
}
