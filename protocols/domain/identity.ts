/**
 * Who calls: principals, roles and what each role may do.
 */
import { Data, Schema } from "effect"

export const Role = Schema.Literals(["viewer", "operator", "admin"])
export type Role = typeof Role.Type

/** What a route, a channel or a gRPC method asks for. */
export const permissions = ["read", "process", "control", "administer"] as const
export type Permission = typeof permissions[number]

const granted: Record<Role, ReadonlyArray<Permission>> = {
  viewer: ["read"],
  operator: ["read", "process", "control"],
  admin: ["read", "process", "control", "administer"],
}

/** The one decision about access: may this role do that? */
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
  /** The sign-in that a user's access token is of; null for an API key. */
  readonly sessionId: string | null
  /** When the credential ends by itself, in epoch milliseconds; null where the store alone says so. */
  readonly expiresAtMs: number | null
}

/** A user as administrators see it. */
export interface User {
  readonly userId: string
  readonly username: string
  readonly role: Role
  readonly createdAtMs: number
}

/** The rule for passwords, in UTF-16 code units: long is strong, and nothing else is asked for. */
export const passwordLength = { minimum: 12, maximum: 1024 } as const

/** A password that somebody is about to set. */
export const NewPassword = Schema.String.check(
  Schema.isMinLength(passwordLength.minimum),
  Schema.isMaxLength(passwordLength.maximum),
)

/** A password that is too short or too long to be set. */
export class PasswordRefused extends Data.TaggedError("PasswordRefused")<{ readonly message: string }> {}

/** A user's name: printable, not begun or ended by a space. */
export const Username = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(256),
  // deno-lint-ignore no-control-regex
  Schema.isPattern(/^(?!\s)[^\u0000-\u001f\u007f]*(?<!\s)$/),
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

/** What accounts must keep to: names are unique, somebody administers, a key comes from one place. */
export class AccountConflict extends Data.TaggedError("AccountConflict")<{
  readonly reason: "name_taken" | "last_administrator" | "key_set_by_operator" | "not_a_user" | "too_many_home_tokens"
  readonly message: string
}> {}
