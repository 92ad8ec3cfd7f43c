/**
 * Handlers of the group Users.
 */
import { Effect } from "effect"
import { AccountConflict } from "../../../protocols/domain/identity.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { changePassword, changeUser, createUser, listUsers, removeUser } from "../../../protocols/pose-api/users.ts"
import { SignInAttempts } from "../../../protocols/ports/sign-in-attempts.ts"
import { Users } from "../../../protocols/ports/users.ts"
import { clientNetwork } from "../../access/client-address.ts"
import { CredentialStatus } from "../../access/credential-status.ts"
import { route } from "../server/route.ts"

const noSuchUser = new ResourceNotFound({
  resource: "user",
  message: "There is no user with this id. GET /api/v1/auth/users lists them.",
})

export const userRoutes = [
  route(listUsers, () => Effect.flatMap(Users, ({ all }) => all)),

  route(createUser, ({ body: { password, role, username }, caller }) =>
    Effect.gen(function* () {
      const user = yield* (yield* Users).create(username, role, password)
      yield* Effect.logInfo("user added", { user_id: user.userId, role, by: caller?.name })
      return user
    })),

  route(changeUser, ({ body, caller, params: { user_id } }) =>
    Effect.gen(function* () {
      if (body.role === undefined && body.password === undefined) {
        return yield* InvalidRequest.of("role", "is missing. Send a role, a password or both")
      }
      const user = yield* (yield* Users).change(user_id, body)
      if (user === null) return yield* noSuchUser
      yield* (yield* CredentialStatus).forget(user_id)
      yield* Effect.logInfo("user changed", { user_id, fields: Object.keys(body), by: caller?.name })
      return user
    })),

  route(removeUser, ({ caller, params: { user_id } }) =>
    Effect.gen(function* () {
      if (!(yield* (yield* Users).remove(user_id))) return yield* noSuchUser
      yield* (yield* CredentialStatus).forget(user_id)
      yield* Effect.logInfo("user removed", { user_id, by: caller?.name })
    })),

  route(changePassword, ({ body, caller, clientAddress }) =>
    Effect.gen(function* () {
      if (caller === null || caller.kind !== "user") {
        return yield* new AccountConflict({
          reason: "not_a_user",
          message: "An API key has no password. Sign in as a user.",
        })
      }
      const address = clientNetwork(clientAddress())
      const attempts = yield* SignInAttempts
      // The throttle of sign-ins applies, so that a stolen token does not allow faster guesses of the password.
      yield* attempts.begin(caller.name, address)
      const passwords = { current: body.current_password, next: body.new_password }
      const changed = yield* (yield* Users).changePassword(caller.id, passwords, caller.sessionId)
      if (!changed) return yield* InvalidRequest.of("current_password", "is not the current password")
      yield* attempts.succeeded({ userId: caller.id, username: caller.name }, address)
      yield* (yield* CredentialStatus).forget(caller.id)
      yield* Effect.logInfo("password changed", { user_id: caller.id })
    })),
]
