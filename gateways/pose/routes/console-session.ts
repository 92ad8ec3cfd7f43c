/**
 * Handlers of the web console's sign-in: a session cookie holds a refresh token, and access tokens are issued for it.
 */
import { Effect } from "effect"
import { NotAuthenticated, type Principal } from "../../../protocols/domain/identity.ts"
import {
  closeConsoleSession,
  openConsoleSession,
  renewConsoleSession,
  sessionCookie,
} from "../../../protocols/pose-api/console-session.ts"
import { type UserSession, UserSessions } from "../../../protocols/ports/user-sessions.ts"
import { Users } from "../../../protocols/ports/users.ts"
import type { HeaderReader } from "../../access/authorise.ts"
import { isLoopbackAddress } from "../../access/loopback.ts"
import { CredentialStatus } from "../../access/credential-status.ts"
import { isOfOwnPage } from "../../access/own-page.ts"
import { SignInCodes } from "../../access/sign-in-codes.ts"
import { Tokens } from "../../access/tokens.ts"
import { signInByPassword } from "./auth.ts"
import { route } from "../server/route.ts"

const notSignedIn = new NotAuthenticated({ message: "This browser is not signed in, or its sign-in has ended." })
const otherSite = new NotAuthenticated({ message: "The console's sign-in can be used by its own pages only." })
const badCode = new NotAuthenticated({
  message:
    "The link was used already, is older than 10 minutes, or was opened on another machine. Sign in with a password.",
})

const sameOrigin = (header: HeaderReader): Effect.Effect<void, NotAuthenticated> =>
  isOfOwnPage(header) ? Effect.void : Effect.fail(otherSite)

const cookieOf = (header: HeaderReader): string | null => {
  for (const part of (header("cookie") ?? "").split(";")) {
    const [name, value] = part.trim().split("=", 2)
    if (name === sessionCookie && value !== undefined && value !== "") return value
  }
  return null
}

const grant = Effect.fnUntraced(function* (
  { refreshToken, sessionId, userId }: UserSession,
  principal: Principal,
  { isNew, isSecure }: { readonly isNew: boolean; readonly isSecure: () => boolean },
) {
  const { lifetimeS, token } = yield* (yield* Tokens).issue({ sessionId, userId, isConsole: true })
  return {
    token,
    lifetimeS,
    username: principal.name,
    role: principal.role,
    refreshToken: isNew ? refreshToken : null,
    isSecure: isSecure(),
  }
})

/** The user of a one-time code; codes work on the machine of the service only. */
const byCode = Effect.fnUntraced(function* (code: string, clientAddress: string) {
  const username = isLoopbackAddress(clientAddress) ? yield* (yield* SignInCodes).redeem(code) : null
  const user = username === null ? undefined : (yield* (yield* Users).all).find((one) => one.username === username)
  if (user === undefined) return yield* badCode
  const principal: Principal = { kind: "user", id: user.userId, name: user.username, role: user.role }
  return principal
})

export const consoleSessionRoutes = [
  route(openConsoleSession, ({ body, clientAddress, header, isSecure }) =>
    Effect.gen(function* () {
      yield* sameOrigin(header)
      const principal = "code" in body
        ? yield* byCode(body.code, clientAddress())
        : yield* signInByPassword(body, clientAddress())
      return yield* grant(yield* (yield* UserSessions).open(principal), principal, { isSecure, isNew: true })
    })),

  route(renewConsoleSession, ({ header, isSecure }) =>
    Effect.gen(function* () {
      yield* sameOrigin(header)
      const cookie = cookieOf(header)
      if (cookie === null) return yield* notSignedIn
      const session = yield* (yield* UserSessions).resume(cookie)
      const principal = yield* (yield* CredentialStatus).principalOf({ kind: "session", id: session.sessionId })
      if (principal === null) return yield* notSignedIn
      return yield* grant(session, principal, { isSecure, isNew: false })
    })),

  route(closeConsoleSession, ({ header, isSecure }) =>
    Effect.gen(function* () {
      yield* sameOrigin(header)
      const cookie = cookieOf(header)
      const sessionId = cookie === null ? null : yield* (yield* UserSessions).close(cookie)
      if (sessionId !== null) yield* (yield* CredentialStatus).forget(sessionId)
      return { isSecure: isSecure() }
    })),
]
