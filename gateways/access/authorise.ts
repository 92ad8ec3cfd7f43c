/**
 * Authentication by headers, and authorisation by `may` of `protocols/domain/identity.ts`, the only place that decides.
 *
 * Invariant: an edge does not start unless everything that it serves declares its access.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import {
  type Access,
  type Caller,
  type CredentialAge,
  may,
  NotAuthenticated,
  NotAuthorised,
  type Principal,
  Scope,
} from "../../protocols/domain/identity.ts"
import { Authenticator } from "./authenticator.ts"

/** Headers by lower-case name. */
export type HeaderReader = (name: string) => string | undefined

const bearerPattern = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i

const nothingGiven = new NotAuthenticated({
  message: "Credentials are missing. Send `Authorization: Bearer <token>` or `X-API-Key: <key>`.",
})

const otherScheme = new NotAuthenticated({
  message: "The Authorization header is not of the form `Bearer <token>`.",
})

/** Whether these headers contain credentials, valid or not. */
export const hasCredentials = (header: HeaderReader): boolean =>
  header("authorization") !== undefined || header("x-api-key") !== undefined

/** The caller that these headers authenticate; a bearer token takes precedence over an API key. `age` is `current` by default. */
export const authenticate = (
  header: HeaderReader,
  age?: CredentialAge,
): Effect.Effect<Caller, NotAuthenticated | StoreUnavailable, Authenticator> =>
  Effect.flatMap(Authenticator, (authenticator): Effect.Effect<Caller, NotAuthenticated | StoreUnavailable> => {
    const authorization = header("authorization")
    if (authorization !== undefined) {
      const token = bearerPattern.exec(authorization)?.[1]
      return token === undefined ? Effect.fail(otherScheme) : authenticator.bearer(token, age)
    }
    const key = header("x-api-key")
    return key === undefined ? Effect.fail(nothingGiven) : authenticator.apiKey(key, age)
  })

/** Fails unless this caller may use what declares this access. */
export const authorise = (caller: Principal, access: Access): Effect.Effect<void, NotAuthorised> => {
  if (access === "public" || access === "any" || may(caller, access)) return Effect.void
  const holder = may({ role: caller.role }, access) ? "This API key" : `The role ${caller.role}`
  const message = `${holder} does not have the scope "${access}". Ask an administrator.`
  return Effect.fail(new NotAuthorised({ permission: access, message }))
}

/** Fails unless this caller has one of the scopes. */
export const authoriseOne = (caller: Principal, scopes: ReadonlyArray<Scope>): Effect.Effect<void, NotAuthorised> =>
  scopes.some((scope) => may(caller, scope)) ? Effect.void : authorise(caller, scopes[0] ?? "public")

const accesses: ReadonlyArray<unknown> = ["public", "any", ...Scope.literals]

/** Throws if one of `names` has no access among `declared`: a mistake of the programmer, detected at start. */
export const assertDeclared = (names: Iterable<string>, declared: Readonly<Record<string, unknown>>): void => {
  for (const name of names) {
    if (!Object.hasOwn(declared, name) || !accesses.includes(declared[name])) {
      throw new Error(`${name} declares no access; it is not served.`)
    }
  }
}
