/**
 * Endpoints of the group Authentication.
 */
import { Schema } from "effect"
import { type ApiKey, Role } from "../domain/identity.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Text, Timestamp } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"

/** A fresh access token. */
export interface AccessToken {
  readonly token: string
  readonly lifetimeS: number
}

const tokenCodec = jsonCodec(
  Schema.Struct({ access_token: Schema.String, token_type: Schema.Literal("bearer"), expires_in: Schema.Int }),
  ({ token, lifetimeS }: AccessToken) => ({
    access_token: token,
    token_type: "bearer" as const,
    expires_in: lifetimeS,
  }),
)

export const signIn = endpoint({
  method: "POST",
  path: "/auth/token",
  group: "Authentication",
  summary: "Sign in with a name and a password for an access token",
  access: "public",
  body: {
    schema: Schema.Struct({ username: Text(1, 256), password: Text(1, 1024) }),
    required: true,
    secret: true,
  },
  status: 200,
  response: { bare: tokenCodec, envelope: tokenCodec },
  failures: ["NotAuthenticated", "StoreUnavailable"],
})

const apiKeyFields = {
  key_id: Schema.String,
  name: Schema.String,
  role: Role,
  created_at: IsoTime,
  expires_at: Schema.NullOr(IsoTime),
  last_used_at: Schema.NullOr(IsoTime),
}

const apiKeyBody = (apiKey: ApiKey) => ({
  key_id: apiKey.keyId,
  name: apiKey.name,
  role: apiKey.role,
  created_at: isoTime(apiKey.createdAtMs),
  expires_at: isoTimeOrNull(apiKey.expiresAtMs),
  last_used_at: isoTimeOrNull(apiKey.lastUsedAtMs),
})

/** A key as it is shown once. */
export interface NewApiKey {
  readonly key: string
  readonly apiKey: ApiKey
}

const newApiKeyCodec = jsonCodec(
  Schema.Struct({
    key: Schema.String.annotate({ description: "Shown in this answer and never again." }),
    ...apiKeyFields,
  }),
  ({ key, apiKey }: NewApiKey) => ({ key, ...apiKeyBody(apiKey) }),
)

export const createApiKey = endpoint({
  method: "POST",
  path: "/auth/api-keys",
  group: "Authentication",
  summary: "Make an API key for a service",
  access: "administer",
  body: {
    schema: Schema.Struct({
      name: Text(1, 128),
      role: Role,
      expires_at: Schema.optionalKey(
        Schema.NullOr(Timestamp).annotate({ description: "Left out or null: it does not expire." }),
      ),
    }),
    required: true,
  },
  status: 201,
  response: { bare: newApiKeyCodec, envelope: newApiKeyCodec },
  failures: ["StoreUnavailable"],
})

const apiKeysCodec = jsonCodec(
  Schema.Struct({ api_keys: Schema.Array(Schema.Struct(apiKeyFields)) }),
  (apiKeys: ReadonlyArray<ApiKey>) => ({ api_keys: apiKeys.map(apiKeyBody) }),
)

export const listApiKeys = endpoint({
  method: "GET",
  path: "/auth/api-keys",
  group: "Authentication",
  summary: "The API keys there are, without the keys themselves",
  access: "administer",
  status: 200,
  response: { bare: apiKeysCodec, envelope: apiKeysCodec },
  failures: ["StoreUnavailable"],
})

export const revokeApiKey = endpoint({
  method: "DELETE",
  path: "/auth/api-keys/{key_id}",
  group: "Authentication",
  summary: "Revoke an API key",
  access: "administer",
  params: Schema.Struct({ key_id: Text(1, 128) }),
  status: 204,
  response: null,
  failures: ["ResourceNotFound", "StoreUnavailable"],
})
