/**
 * The sign-in of a tab. The refresh token is in a cookie that scripts cannot read; the access token is in memory and is renewed before it
 * ends.
 *
 * Boundary: `session.ts` has the tab's one sign-in, with the browser's requests.
 * Invariants: while the tab is signed in, its next renewal has a time; only the service ends a sign-in.
 */
import { type Signal, signal } from "@preact/signals"
import { RequestFailed } from "./request-failed.ts"

interface Granted {
  readonly access_token: string
  readonly expires_in: number
  readonly username: string
  readonly role: "viewer" | "operator" | "admin"
}

export type Role = Granted["role"]

type Session =
  | { readonly state: "unknown" }
  | { readonly state: "signed-out"; readonly reason: string | null }
  | { readonly state: "signed-in"; readonly username: string; readonly role: Role }

/** The JSON of an answer. Throws `RequestFailed`. */
type Request = <A>(
  path: string,
  options: { readonly method: "POST" | "DELETE"; readonly body?: unknown },
) => Promise<A>

interface SignIn {
  readonly session: Signal<Session>
  readonly token: () => string | null
  /** Gets a new access token for the cookie; concurrent callers share one request. Resolves to whether there is one. */
  readonly renew: () => Promise<boolean>
  readonly byPassword: (credentials: { readonly username: string; readonly password: string }) => Promise<void>
  /** Signs in by the code of a one-time link. If it fails, a sign-in that this browser has is kept. */
  readonly byCode: (code: string) => Promise<void>
  /**
   * Ends the sign-in. Only the service can remove the cookie: if it fails, the tab stays signed in, as the browser is. Throws
   * `RequestFailed`.
   */
  readonly signOut: () => Promise<void>
}

/** The share of a token's life after which it is renewed. */
const renewAfterShare = 0.7
/** After this time, a renewal that failed is repeated. */
const renewAgainMs = 30_000

export const makeSignIn = (request: Request): SignIn => {
  const session = signal<Session>({ state: "unknown" })
  let accessToken: string | null = null
  let renewal: Promise<boolean> | null = null
  let renewalTimer: ReturnType<typeof setTimeout> | undefined

  const renewAfter = (waitMs: number): void => {
    clearTimeout(renewalTimer)
    renewalTimer = setTimeout(() => void renew(), waitMs)
  }

  const accept = (granted: Granted): void => {
    accessToken = granted.access_token
    session.value = { state: "signed-in", username: granted.username, role: granted.role }
    renewAfter(granted.expires_in * 1000 * renewAfterShare)
  }

  const end = (reason: string | null): void => {
    accessToken = null
    clearTimeout(renewalTimer)
    session.value = { state: "signed-out", reason }
  }

  const renewOnce = async (): Promise<boolean> => {
    try {
      accept(await request<Granted>("/auth/session/refresh", { method: "POST" }))
      return true
    } catch (cause) {
      const { state } = session.value
      const isRejected = cause instanceof RequestFailed && cause.status === 401
      // A request that was under way when the sign-in ended comes here, too: the reason of its end stays.
      if (state === "unknown") end(isRejected ? null : (cause as Error).message)
      else if (state === "signed-in") {
        if (isRejected) end("Your sign-in has ended. Sign in again.")
        // An unreachable service ends no sign-in: the connection state says what is wrong.
        else renewAfter(renewAgainMs)
      }
      return false
    }
  }

  const renew: SignIn["renew"] = () => renewal ??= renewOnce().finally(() => renewal = null)

  const byPassword: SignIn["byPassword"] = async (credentials) =>
    accept(await request<Granted>("/auth/session", { method: "POST", body: credentials }))

  const byCode: SignIn["byCode"] = async (code) => {
    try {
      accept(await request<Granted>("/auth/session", { method: "POST", body: { code } }))
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

  const signOut: SignIn["signOut"] = async () => {
    await request("/auth/session", { method: "DELETE" })
    end(null)
  }

  return { session, token: () => accessToken, renew, byPassword, byCode, signOut }
}
