/**
 * Endpoints of the group Users.
 */
import { Schema } from "effect"
import { NewPassword, passwordLength, Role, type User, Username } from "../domain/identity.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Text } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

export const UserBody = Schema.Struct({
  user_id: Schema.String,
  username: Schema.String,
  role: Role,
  created_at: IsoTime,
})
  .annotate({
    identifier: "User",
  })

const userBody = ({ createdAtMs, role, userId, username }: User): typeof UserBody.Type => ({
  user_id: userId,
  username,
  role,
  created_at: isoTime(createdAtMs),
})

const userCodec = jsonCodec(UserBody, userBody)

const usersCodec = jsonCodec(
  Schema.Struct({ users: Schema.Array(UserBody) }),
  (users: ReadonlyArray<User>) => ({ users: users.map(userBody) }),
)

export const listUsers = endpoint({
  method: "GET",
  path: "/auth/users",
  group: "Users",
  summary: "List the users",
  access: "admin",
  category: "authentication",
  status: 200,
  response: { bare: usersCodec, envelope: usersCodec },
  failures: ["StoreUnavailable"],
})

export const createUser = endpoint({
  method: "POST",
  path: "/auth/users",
  group: "Users",
  summary: "Add a user",
  access: "admin",
  category: "authentication",
  body: {
    schema: Schema.Struct({ username: Username, role: Role, password: NewPassword }),
    required: true,
    secret: true,
  },
  status: 201,
  response: { bare: userCodec, envelope: userCodec },
  failures: ["AccountConflict", "StoreUnavailable"],
})

const UserParams = Schema.Struct({ user_id: Text(1, 128) })

export const changeUser = endpoint({
  method: "PUT",
  path: "/auth/users/{user_id}",
  rules: ["`role`, `password` or both are given"],
  group: "Users",
  summary: "Change the role or the password of a user. The user's sign-ins end",
  access: "admin",
  category: "authentication",
  params: UserParams,
  body: {
    schema: Schema.Struct({ role: Schema.optionalKey(Role), password: Schema.optionalKey(NewPassword) }),
    required: true,
    secret: true,
  },
  status: 200,
  response: { bare: userCodec, envelope: userCodec },
  failures: ["AccountConflict", "ResourceNotFound", "StoreUnavailable"],
})

export const removeUser = endpoint({
  method: "DELETE",
  path: "/auth/users/{user_id}",
  group: "Users",
  summary: "Remove a user. The user's sign-ins end",
  access: "admin",
  category: "authentication",
  params: UserParams,
  status: 204,
  response: null,
  failures: ["AccountConflict", "ResourceNotFound", "StoreUnavailable"],
})

export const changePassword = endpoint({
  method: "POST",
  path: "/auth/password",
  group: "Users",
  summary: "Change your own password. Your other sign-ins end",
  access: "any",
  category: "authentication",
  body: {
    schema: Schema.Struct({ current_password: Text(1, passwordLength.maximum), new_password: NewPassword }),
    required: true,
    secret: true,
  },
  status: 204,
  response: null,
  failures: ["AccountConflict", "StoreUnavailable"],
})
