/**
 * Who may ask: signing in and out, users, passwords, API keys and home tokens.
 */
import { expect } from "vitest"
import { givenHomeTokenId, homeToken } from "../../../harness/home-tokens.ts"
import { apiKey, password, refreshToken, users } from "../accounts.ts"
import { credentials, data, signIn, type Subject, validation, wrongField } from "./case.ts"

const keys = { method: "POST", path: "/auth/api-keys" }
const newUser = { username: "nora", role: "viewer", password: "a password for nora" }
const oneUser = { path: `/auth/users/${users.viewer}`, template: "/auth/users/{user_id}" }
const otherUser = { path: "/auth/users/nobody", template: "/auth/users/{user_id}" }
const lastAdmin = { path: `/auth/users/${users.admin}`, template: "/auth/users/{user_id}" }
const ownPassword = { method: "POST", path: "/auth/password" }

export const accounts: Subject = {
  subject: "accounts",
  successes: [
    { title: "sign in", ...signIn, body: credentials, status: 200 },
    { title: "refresh", method: "POST", path: "/auth/refresh", body: { refresh_token: refreshToken }, status: 200 },
    { title: "sign out", method: "POST", path: "/auth/logout", body: { refresh_token: refreshToken }, status: 204 },
    {
      title: "a ticket for a WebSocket",
      method: "POST",
      path: "/auth/ticket",
      as: "viewer",
      status: 200,
      check: (answer, form) => expect(data(answer, form)).toMatchObject({ expires_in: 30 }),
    },
    {
      title: "sign out with an unknown token",
      method: "POST",
      path: "/auth/logout",
      body: { refresh_token: "x" },
      status: 204,
    },
    { title: "rotate the signing key", method: "POST", path: "/auth/keys/rotate", as: "admin", status: 200 },
    {
      title: "sign in from a browser",
      method: "POST",
      path: "/auth/session",
      body: credentials,
      status: 200,
      check: ({ headers, json }) => {
        expect(headers.get("set-cookie")).toMatch(
          /^wavepose_session=[^;]+; Path=\/api\/v1\/auth\/session; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
        )
        expect(JSON.stringify(json)).not.toContain(refreshToken)
      },
    },
    {
      title: "an access token for the cookie",
      method: "POST",
      path: "/auth/session/refresh",
      headers: { Cookie: `other=1; wavepose_session=${refreshToken}` },
      status: 200,
      check: (answer, form) => {
        expect(answer.headers.get("set-cookie")).toBeNull()
        expect(data(answer, form)).toMatchObject({ role: "viewer", token_type: "bearer" })
      },
    },
    {
      title: "sign out of a browser",
      method: "DELETE",
      path: "/auth/session",
      headers: { Cookie: `wavepose_session=${refreshToken}` },
      status: 204,
      check: ({ headers }) => expect(headers.get("set-cookie")).toContain("wavepose_session=; "),
    },
    { title: "list users", method: "GET", path: "/auth/users", as: "admin", status: 200 },
    { title: "add a user", method: "POST", path: "/auth/users", as: "admin", body: newUser, status: 201 },
    { title: "change a user", method: "PUT", ...oneUser, as: "admin", body: { role: "operator" }, status: 200 },
    { title: "remove a user", method: "DELETE", ...oneUser, as: "admin", status: 204 },
    {
      title: "change one's password",
      ...ownPassword,
      as: "viewer",
      body: { current_password: password, new_password: "another long password" },
      status: 204,
    },
    {
      title: "create an API key",
      ...keys,
      as: "admin",
      body: { name: "ci", role: "viewer", scopes: ["read:poses"], expires_at: "2099-01-01T00:00:00Z" },
      status: 201,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({
          key: "secret-of-ci",
          scopes: ["read:poses"],
          expires_at: "2099-01-01T00:00:00.000Z",
        }),
    },
    {
      title: "list API keys",
      method: "GET",
      path: "/auth/api-keys",
      as: "admin",
      given: (world) => {
        const times = { createdAtMs: 0, expiresAtMs: null, lastUsedAtMs: 5 }
        world.apiKeys.set("00000000-0000-7000-8000-00000000000a", {
          keyId: "00000000-0000-7000-8000-00000000000a",
          name: "a",
          role: "viewer",
          scopes: null,
          ...times,
        })
      },
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form).api_keys).toMatchObject([
          { scopes: ["read:poses", "read:events", "read:system", "read:home"] },
        ]),
    },
    {
      title: "revoke an API key",
      method: "DELETE",
      path: "/auth/api-keys/00000000-0000-7000-8000-00000000000a",
      template: "/auth/api-keys/{key_id}",
      as: "admin",
      given: (world) => {
        const times = { createdAtMs: 0, expiresAtMs: null, lastUsedAtMs: null }
        world.apiKeys.set("00000000-0000-7000-8000-00000000000a", {
          keyId: "00000000-0000-7000-8000-00000000000a",
          name: "a",
          role: "viewer",
          scopes: null,
          ...times,
        })
      },
      status: 204,
    },
    {
      title: "create a home token",
      method: "POST",
      path: "/home/tokens",
      as: "admin",
      body: { name: "tablet" },
      status: 201,
      check: (answer, form) =>
        expect(data(answer, form)).toMatchObject({
          token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
          token_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          name: "tablet",
          created_by: "anna",
        }),
    },
    {
      title: "list home tokens",
      method: "GET",
      path: "/home/tokens",
      as: "admin",
      given: (world) => void world.homeTokens.set("a", homeToken("a")),
      status: 200,
      check: (answer, form) =>
        expect(data(answer, form).tokens).toEqual([
          {
            token_id: givenHomeTokenId,
            name: "token 1 of the settings",
            created_at: null,
            created_by: "WAVEPOSE_HOME_TOKENS",
          },
          {
            token_id: "a",
            name: "tablet",
            created_at: "1970-01-01T00:00:00.005Z",
            created_by: "anna",
          },
        ]),
    },
    {
      title: "revoke a home token",
      method: "DELETE",
      path: "/home/tokens/a",
      template: "/home/tokens/{token_id}",
      as: "admin",
      given: (world) => void world.homeTokens.set("a", homeToken("a")),
      status: 204,
    },
  ],
  failures: [
    {
      title: "the revocation of a home token of the settings",
      method: "DELETE",
      path: `/home/tokens/${givenHomeTokenId}`,
      template: "/home/tokens/{token_id}",
      as: "admin",
      status: 409,
      code: "CONFLICT",
      check: (answer) => expect(JSON.stringify(answer.json)).toContain("given by WAVEPOSE_HOME_TOKENS"),
    },
    {
      title: "a wrong password",
      ...signIn,
      body: { ...credentials, password: "wrong" },
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    { title: "an operator who creates keys", ...keys, as: "operator", status: 403, code: "AUTHORIZATION_ERROR" },
    {
      title: "a password that is not a text, never repeated",
      ...signIn,
      body: { username: "vera", password: 123456789, extra: "hunter2" },
      status: 422,
      code: validation,
      check: (answer) => expect(JSON.stringify(answer.json)).not.toMatch(/123456789|hunter2/),
    },
    {
      title: "an API key that expires in the past",
      ...keys,
      as: "admin",
      body: { name: "ci", role: "viewer", expires_at: "2001-01-01T00:00:00Z" },
      status: 422,
      code: validation,
    },
    {
      title: "revoking an unknown key",
      method: "DELETE",
      path: "/auth/api-keys/nope",
      template: "/auth/api-keys/{key_id}",
      as: "admin",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "a user with a name that is taken",
      method: "POST",
      path: "/auth/users",
      as: "admin",
      body: { ...newUser, username: users.viewer },
      status: 409,
      code: "CONFLICT",
    },
    {
      title: "removing the last administrator",
      method: "DELETE",
      ...lastAdmin,
      as: "admin",
      status: 409,
      code: "CONFLICT",
    },
    {
      title: "demoting the last administrator",
      method: "PUT",
      ...lastAdmin,
      as: "admin",
      body: { role: "viewer" },
      status: 409,
      code: "CONFLICT",
    },
    {
      title: "removing an unknown user",
      method: "DELETE",
      ...otherUser,
      as: "admin",
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "changing an unknown user",
      method: "PUT",
      ...otherUser,
      as: "admin",
      body: { role: "viewer" },
      status: 404,
      code: "RESOURCE_NOT_FOUND",
    },
    {
      title: "changing nothing of a user",
      method: "PUT",
      ...oneUser,
      as: "admin",
      body: {},
      status: 422,
      code: validation,
    },
    {
      title: "users seen by an operator",
      method: "GET",
      path: "/auth/users",
      as: "operator",
      status: 403,
      code: "AUTHORIZATION_ERROR",
    },
    {
      title: "a short password, never repeated",
      method: "POST",
      path: "/auth/users",
      as: "admin",
      body: { ...newUser, password: "hunter2hunt" },
      status: 422,
      code: validation,
      check: (answer) => expect(JSON.stringify(answer.json)).not.toContain("hunter2"),
    },
    {
      title: "a wrong current password",
      ...ownPassword,
      as: "viewer",
      body: { current_password: "wrong", new_password: "another long password" },
      status: 422,
      code: validation,
      check: (answer, form) => expect(wrongField(answer, form)).toBe("current_password"),
    },
    {
      title: "the password of an API key",
      ...ownPassword,
      headers: { "X-API-Key": apiKey },
      body: { current_password: password, new_password: "another long password" },
      status: 409,
      code: "CONFLICT",
    },
    {
      title: "an access token without a cookie",
      method: "POST",
      path: "/auth/session/refresh",
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    {
      title: "an access token for the cookie, asked for by a page of another site",
      method: "POST",
      path: "/auth/session/refresh",
      headers: { Cookie: `wavepose_session=${refreshToken}`, "Sec-Fetch-Site": "same-site" },
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    {
      title: "an access token for the cookie, asked for by a page of another port over plain HTTP",
      method: "POST",
      path: "/auth/session/refresh",
      headers: { Cookie: `wavepose_session=${refreshToken}`, Origin: "http://127.0.0.1:1" },
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    {
      title: "a one-time code that was never issued",
      method: "POST",
      path: "/auth/session",
      body: { code: "guessed" },
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    {
      title: "an invalid refresh token",
      method: "POST",
      path: "/auth/refresh",
      body: { refresh_token: "guessed" },
      status: 401,
      code: "AUTHENTICATION_ERROR",
    },
    {
      title: "a name with the character 0",
      ...signIn,
      body: { username: "v\0", password },
      status: 422,
      code: validation,
    },
  ],
}
