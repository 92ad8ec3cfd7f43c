/**
 * Callers: principals, roles and the scopes of each role.
 */
import { Data, Schema } from "effect"
import { scopeNames } from "./scope-names.ts"

export const Role = Schema.Literals(["viewer", "operator", "admin"])
export type Role = typeof Role.Type

/** What a credential may be used for. A route, a channel or a gRPC method requires one scope. */
export const Scope = Schema.Literals(scopeNames)
export type Scope = typeof Scope.Type

/** What the holder of a scope can do, as clients and administrators read it. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  "read:poses": "read poses, tracks, presence and vital signs, live and stored",
  "read:events": "read alerts, events, reports and labels",
  "read:system": "read status, health, metrics, environments, calibrations and the configuration",
  "read:home": "read states and services of the home over gRPC",
  "process:csi": "send CSI",
  "write:events": "acknowledge alerts and set labels",
  "write:configuration":
    "change environments, calibrations, boards, webhooks and the configuration, start and stop the system, and read its diagnostics",
  "write:home": "set states and call services of the home over gRPC",
  admin: "manage users, API keys, tokens of the home and the enrolment of boards",
}

/** What an operation declares: a scope, `any` for every authenticated caller, or `public`. */
export type Access = "public" | "any" | Scope

const isReading = (scope: Scope): boolean => scope.startsWith("read:")

const granted: Record<Role, ReadonlyArray<Scope>> = {
  viewer: Scope.literals.filter(isReading),
  operator: Scope.literals.filter((scope) => scope !== "admin"),
  admin: Scope.literals,
}

/** The scopes of a role. */
export const scopesOf = (role: Role): ReadonlyArray<Scope> => granted[role]

/**
 * How old the store's answer on a caller's credential may be: `current`, or also `recent` while the store does not answer.
 * `gateways/access/credential-status.ts` says how old each is.
 */
export type CredentialAge = "current" | "recent"

/** An authenticated caller: a user by token, or a service by API key. */
export const Principal = Schema.Struct({
  kind: Schema.Literals(["user", "apiKey"]),
  id: Schema.String,
  name: Schema.String,
  role: Role,
  /** Absent: all scopes of the role. */
  scopes: Schema.optionalKey(Schema.Array(Scope)),
})
export type Principal = typeof Principal.Type

/** Whether a caller has a scope: its role has, and its credential is not limited to others. */
export const may = ({ role, scopes }: Pick<Principal, "role" | "scopes">, scope: Scope): boolean =>
  granted[role].includes(scope) && (scopes === undefined || scopes.includes(scope))

/** A principal and the credential by which it is known. */
export interface Caller extends Principal {
  /** The sign-in of a user's access token; null for an API key. */
  readonly sessionId: string | null
  /** Whether it is the access token of a web console's sign-in. */
  readonly isConsole: boolean
  /** When the credential ends by itself, in epoch milliseconds; null if only the store ends it. */
  readonly expiresAtMs: number | null
}

/** A user as administrators see it. */
export interface User {
  readonly userId: string
  readonly username: string
  readonly role: Role
  readonly createdAtMs: number
}

/** The rule for passwords, in UTF-16 code units: only the length is checked. */
export const passwordLength = { minimum: 12, maximum: 1024 } as const

/** A new password. */
export const NewPassword = Schema.String.check(
  Schema.isMinLength(passwordLength.minimum),
  Schema.isMaxLength(passwordLength.maximum),
)

/** A password that is too short or too long to be set. */
export class PasswordRefused extends Data.TaggedError("PasswordRefused")<{ readonly message: string }> {}

/** A user's name: printable, without a space at the beginning or end. */
export const Username = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(256),
  // deno-lint-ignore no-control-regex
  Schema.isPattern(/^(?!\s)[^\u0000-\u001f\u007f]*(?<!\s)$/u),
)

/** An API key as administrators see it; the key itself is shown once and stored hashed. Times in epoch milliseconds. */
export const ApiKey = Schema.Struct({
  keyId: Schema.String,
  name: Schema.String,
  role: Role,
  /** Null: all scopes of the role. */
  scopes: Schema.NullOr(Schema.Array(Scope)),
  createdAtMs: Schema.Number,
  expiresAtMs: Schema.NullOr(Schema.Number),
  lastUsedAtMs: Schema.NullOr(Schema.Number),
})
export type ApiKey = typeof ApiKey.Type

/** Credentials that are missing, wrong or expired. The message never says which part was wrong. */
export class NotAuthenticated extends Schema.TaggedError<NotAuthenticated>()("NotAuthenticated", {
  message: Schema.String,
}) {}

/** A known caller without the scope. */
export class NotAuthorised extends Schema.TaggedError<NotAuthorised>()("NotAuthorised", {
  permission: Schema.String,
  message: Schema.String,
}) {}

/** A violated rule of accounts: names are unique, at least one administrator remains, a key has one source. */
export class AccountConflict extends Data.TaggedError("AccountConflict")<{
  readonly reason:
    | "name_taken"
    | "last_administrator"
    | "key_set_by_operator"
    | "not_a_user"
    | "too_many_home_tokens"
    | "token_set_by_operator"
  readonly message: string
}> {}
