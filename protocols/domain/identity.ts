/**
 * Who calls: principals, roles and what each role may do.
 */
import { Schema } from "effect"

export const Role = Schema.Literals(["viewer", "operator", "admin"])
export type Role = typeof Role.Type

/** What a route, a channel or a gRPC method asks for. */
export type Permission = "read" | "process" | "control" | "administer"

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
