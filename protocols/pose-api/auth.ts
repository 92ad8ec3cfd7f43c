/**
 * Endpoints of the group Authentication.
 */
import { Schema } from "effect"
import { type ApiKey, passwordLength, Role, Scope, scopeMeanings, scopesOf } from "../domain/identity.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Text, Timestamp, Uuid } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"

/** An access token, and the refresh token for the next one. */
interface TokenPair {
  readonly token: string
  readonly lifetimeS: number
  readonly refreshToken: string
}

const tokenCodec = jsonCodec(
  Schema.Struct({
    access_token: Schema.String,
    token_type: Schema.Literal("bearer"),
    expires_in: Schema.Int,
    refresh_token: Schema.String.annotate({ description: "Token for POST /auth/refresh. It can be used once." }),
  }).annotate({ identifier: "Tokens" }),
  ({ lifetimeS, refreshToken, token }: TokenPair) => ({
    access_token: token,
    token_type: "bearer" as const,
    expires_in: lifetimeS,
    refresh_token: refreshToken,
  }),
)

export const signIn = endpoint({
  method: "POST",
  path: "/auth/token",
  group: "Authentication",
  summary: "Sign in with a user name and a password",
  access: "public",
  category: "authentication",
  body: {
    schema: Schema.Struct({ username: Text(1, 256), password: Text(1, passwordLength.maximum) }),
    required: true,
    secret: true,
  },
  status: 200,
  response: { bare: tokenCodec, envelope: tokenCodec },
  failures: ["NotAuthenticated", "StoreUnavailable"],
})

const refreshBody = {
  schema: Schema.Struct({ refresh_token: Text(1, 256) }),
  required: true,
  secret: true,
}

export const refresh = endpoint({
  method: "POST",
  path: "/auth/refresh",
  group: "Authentication",
  summary: "Exchange a refresh token for new tokens. A second use of a refresh token ends the sign-in",
  access: "public",
  category: "authentication",
  body: refreshBody,
  status: 200,
  response: { bare: tokenCodec, envelope: tokenCodec },
  failures: ["NotAuthenticated", "StoreUnavailable"],
})

export const signOut = endpoint({
  method: "POST",
  path: "/auth/logout",
  group: "Authentication",
  summary: "Sign out: end the sign-in of a refresh token and revoke all its tokens",
  access: "public",
  category: "authentication",
  body: refreshBody,
  status: 204,
  response: null,
  failures: ["StoreUnavailable"],
})

/** The signing keys, newest first, without the key material. */
type SigningKeyList = ReadonlyArray<{
  readonly keyId: string
  readonly createdAtMs: number
  /** Until when its tokens are accepted; null: it is the current signing key. */
  readonly verifiesUntilMs: number | null
}>

const signingKeysCodec = jsonCodec(
  Schema.Struct({
    keys: Schema.Array(Schema.Struct({
      key_id: Schema.String,
      created_at: IsoTime,
      signs: Schema.Boolean,
      verifies_until: Schema.NullOr(IsoTime),
    })),
  }),
  (keys: SigningKeyList) => ({
    keys: keys.map(({ createdAtMs, keyId, verifiesUntilMs }) => ({
      key_id: keyId,
      created_at: isoTime(createdAtMs),
      signs: verifiesUntilMs === null,
      verifies_until: isoTimeOrNull(verifiesUntilMs),
    })),
  }),
)

export const rotateKeys = endpoint({
  method: "POST",
  path: "/auth/keys/rotate",
  group: "Authentication",
  summary: "Rotate the key that signs access tokens. Tokens of the old key stay valid until they expire",
  access: "admin",
  category: "authentication",
  body: {
    schema: Schema.Struct({
      revoke_old: Schema.optionalKey(
        Schema.Boolean.annotate({
          default: false,
          description: "Whether to reject all tokens of old keys at once. Use it when a key was disclosed.",
        }),
      ),
    }),
    required: false,
  },
  status: 200,
  response: { bare: signingKeysCodec, envelope: signingKeysCodec },
  failures: ["AccountConflict", "StoreUnavailable"],
})

/** A ticket that opens one WebSocket. */
interface IssuedTicket {
  readonly ticket: string
  readonly lifetimeS: number
}

const ticketCodec = jsonCodec(
  Schema.Struct({
    ticket: Schema.String.annotate({ description: "For the query parameter `ticket` of `/ws/pose`. It works once." }),
    expires_in: Schema.Int.annotate({ description: "Seconds within which the connection must be opened." }),
  }).annotate({ identifier: "SocketTicket" }),
  ({ lifetimeS, ticket }: IssuedTicket) => ({ ticket, expires_in: lifetimeS }),
)

export const issueTicket = endpoint({
  method: "POST",
  path: "/auth/ticket",
  group: "Authentication",
  summary: "Get a ticket that opens one WebSocket, so that the address holds no access token",
  access: "any",
  category: "pose-data",
  status: 200,
  response: { bare: ticketCodec, envelope: ticketCodec },
  failures: ["StoreUnavailable"],
})

const ScopeName = Scope.annotate({
  identifier: "Scope",
  description: `${
    Scope.literals.map((scope) => `\`${scope}\`: ${scopeMeanings[scope]}`).join("; ")
  }. A viewer has the scopes that begin with \`read\`, an operator all but \`admin\`, an admin all.`,
})

const apiKeyFields = {
  key_id: Uuid,
  name: Schema.String,
  role: Role,
  scopes: Schema.Array(ScopeName).annotate({ description: "What the key may be used for." }),
  created_at: IsoTime,
  expires_at: Schema.NullOr(IsoTime),
  last_used_at: Schema.NullOr(IsoTime),
}

export const ApiKeyBody = Schema.Struct(apiKeyFields).annotate({ identifier: "ApiKey" })

const apiKeyBody = (apiKey: ApiKey) => ({
  key_id: apiKey.keyId,
  name: apiKey.name,
  role: apiKey.role,
  scopes: apiKey.scopes ?? scopesOf(apiKey.role),
  created_at: isoTime(apiKey.createdAtMs),
  expires_at: isoTimeOrNull(apiKey.expiresAtMs),
  last_used_at: isoTimeOrNull(apiKey.lastUsedAtMs),
})

/** A new key, which is shown once. */
interface NewApiKey {
  readonly key: string
  readonly apiKey: ApiKey
}

export const NewApiKeyBody = Schema.Struct({
  key: Schema.String.annotate({ description: "The API key. It is shown only in this answer." }),
  ...apiKeyFields,
})

const newApiKeyCodec = jsonCodec(
  NewApiKeyBody,
  ({ key, apiKey }: NewApiKey) => ({ key, ...apiKeyBody(apiKey) }),
)

export const createApiKey = endpoint({
  method: "POST",
  path: "/auth/api-keys",
  rules: ["`expires_at` is in the future", "`scopes` are among those of the role"],
  group: "Authentication",
  summary: "Create an API key for a service",
  access: "admin",
  category: "authentication",
  body: {
    schema: Schema.Struct({
      name: Text(1, 128),
      role: Role,
      scopes: Schema.optionalKey(
        Schema.Array(ScopeName).check(Schema.isMinLength(1), Schema.isUnique()).annotate({
          description: "Limits the key to these scopes of its role. Absent: it has all of them.",
        }),
      ),
      expires_at: Schema.optionalKey(
        Schema.NullOr(Timestamp).annotate({ description: "When the key expires. Absent or null: it does not expire." }),
      ),
    }),
    required: true,
  },
  status: 201,
  response: { bare: newApiKeyCodec, envelope: newApiKeyCodec },
  failures: ["StoreUnavailable"],
})

export const ApiKeysBody = Schema.Struct({ api_keys: Schema.Array(ApiKeyBody) })

const apiKeysCodec = jsonCodec(
  ApiKeysBody,
  (apiKeys: ReadonlyArray<ApiKey>) => ({ api_keys: apiKeys.map(apiKeyBody) }),
)

export const listApiKeys = endpoint({
  method: "GET",
  path: "/auth/api-keys",
  group: "Authentication",
  summary: "List the API keys, without the keys themselves",
  access: "admin",
  category: "authentication",
  status: 200,
  response: { bare: apiKeysCodec, envelope: apiKeysCodec },
  failures: ["StoreUnavailable"],
})

export const revokeApiKey = endpoint({
  method: "DELETE",
  path: "/auth/api-keys/{key_id}",
  group: "Authentication",
  summary: "Revoke an API key",
  access: "admin",
  category: "authentication",
  params: Schema.Struct({ key_id: Text(1, 128) }),
  status: 204,
  response: null,
  failures: ["ResourceNotFound", "StoreUnavailable"],
})
