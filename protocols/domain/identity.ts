/**
 * Callers: principals, roles and the permissions of each role.
 */
import { Data, Schema } from "effect"

export const Role = Schema.Literals(["viewer", "operator", "admin"])
export type Role = typeof Role.Type

/** The permission that a route, a channel or a gRPC method requires. */
export const permissions = ["read", "process", "control", "administer"] as const
export type Permission = typeof permissions[number]

const granted: Record<Role, ReadonlyArray<Permission>> = {
  viewer: ["read"],
  operator: ["read", "process", "control"],
  admin: ["read", "process", "control", "administer"],
}

/** Whether a role has a permission. */
export const may = (role: Role, permission: Permission): boolean => granted[role].includes(permission)

/** An authenticated caller: a user by token, or a service by API key. */
export const Principal = Schema.Struct({
  kind: Schema.Literals(["user", "apiKey"]),
  id: Schema.String,
  name: Schema.String,
  role: Role,
})
export type Principal = typeof Principal.Type

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
  createdAtMs: Schema.Number,
  expiresAtMs: Schema.NullOr(Schema.Number),
  lastUsedAtMs: Schema.NullOr(Schema.Number),
})
export type ApiKey = typeof ApiKey.Type

/** Credentials that are missing, wrong or expired. The message never says which part was wrong. */
export class NotAuthenticated extends Schema.TaggedError<NotAuthenticated>()("NotAuthenticated", {
  message: Schema.String,
}) {}

/** A known caller without the permission. */
export class NotAuthorised extends Schema.TaggedError<NotAuthorised>()("NotAuthorised", {
  permission: Schema.String,
  message: Schema.String,
}) {}

/** A violated rule of accounts: names are unique, at least one administrator remains, a key has one source. */
export class AccountConflict extends Data.TaggedError("AccountConflict")<{
  readonly reason: "name_taken" | "last_administrator" | "key_set_by_operator" | "not_a_user" | "too_many_home_tokens"
  readonly message: string
}> {}
