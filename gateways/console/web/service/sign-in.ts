/**
 * The sign-in of a tab. The refresh token is in a cookie that scripts cannot read; the access token is in memory and is renewed before it
 * ends.
 *
 * Boundary: `session.ts` has the tab's one sign-in, with the browser's requests.
 * Invariants: while the tab is signed in, or does not know whether it is, its next request has a time; only the service ends a sign-in.
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
  /** The service has not said yet whether the cookie is valid; `fault`: why the last request failed. */
  | { readonly state: "unknown"; readonly fault: string | null }
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
  /** Signs in by the code of a one-time link. If the service rejects it, a sign-in that this browser has is kept. */
  readonly byCode: (code: string) => Promise<void>
  /**
   * Ends the sign-in. Only the service can remove the cookie: if it fails, the tab stays signed in, as the browser is. Throws
   * `RequestFailed`.
   */
  readonly signOut: () => Promise<void>
}

/** The share of a token's life after which it is renewed. */
const renewAfterShare = 0.7
/** A request that failed is repeated after the first of these times, then after twice the time each, up to the last. */
const firstRetryMs = 1_000
const retryMsMax = 30_000

const usedLink = "This link was used already or is too old. Each start of the service prints a new one."

/** The service is away or busy: it has neither accepted nor rejected the request. */
const isPassing = (cause: unknown): boolean =>
  !(cause instanceof RequestFailed) || cause.status === 0 || cause.status === 429 || cause.status >= 500

const isRejection = (cause: unknown): boolean => cause instanceof RequestFailed && cause.status === 401

export const makeSignIn = (request: Request): SignIn => {
  const session = signal<Session>({ state: "unknown", fault: null })
  let accessToken: string | null = null
  let renewal: Promise<boolean> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let retries = 0

  const after = (waitMs: number, work: () => Promise<unknown>): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void work(), waitMs)
  }

  const accept = (granted: Granted): void => {
    accessToken = granted.access_token
    retries = 0
    session.value = { state: "signed-in", username: granted.username, role: granted.role }
    after(granted.expires_in * 1000 * renewAfterShare, renew)
  }

  const end = (reason: string | null): void => {
    accessToken = null
    clearTimeout(timer)
    session.value = { state: "signed-out", reason }
  }

  /** A failure that ends no sign-in, and begins none. */
  const retryLater = (cause: unknown, work: () => Promise<unknown>): void => {
    if (session.value.state !== "signed-in") session.value = { state: "unknown", fault: (cause as Error).message }
    after(Math.min(retryMsMax, firstRetryMs * 2 ** retries++), work)
  }

  const renewOnce = async (): Promise<boolean> => {
    try {
      accept(await request<Granted>("/auth/session/refresh", { method: "POST" }))
      return true
    } catch (cause) {
      const { state } = session.value
      // A request that was under way when the sign-in ended comes here, too: the reason of its end stays.
      if (state === "signed-out") return false
      if (isRejection(cause)) end(state === "unknown" ? null : "Your sign-in has ended. Sign in again.")
      else if (state === "unknown" && !isPassing(cause)) end((cause as Error).message)
      else retryLater(cause, renew)
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
      if (isPassing(cause)) retryLater(cause, () => byCode(code))
      else if (session.value.state === "signed-out") {
        end(isRejection(cause) ? usedLink : (cause as Error).message)
      }
    }
  }

  const signOut: SignIn["signOut"] = async () => {
    await request("/auth/session", { method: "DELETE" })
    end(null)
  }

  return { session, token: () => accessToken, renew, byPassword, byCode, signOut }
}
