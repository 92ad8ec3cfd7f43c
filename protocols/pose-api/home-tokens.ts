/**
 * Endpoints of the group Home automation: the long-lived tokens of the home API.
 */
import { Schema } from "effect"
import type { HomeToken } from "../domain/home-token.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Text } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

const fields = {
  token_id: Schema.String.annotate({ description: "Id of the token, and of its user in the home API." }),
  name: Schema.String,
  created_at: IsoTime,
  created_by: Schema.String,
}

const tokenBody = ({ createdAtMs, createdBy, name, tokenId }: HomeToken) => ({
  token_id: tokenId,
  name,
  created_at: isoTime(createdAtMs),
  created_by: createdBy,
})

/** A new token, which is shown once. */
interface NewHomeToken {
  readonly text: string
  readonly token: HomeToken
}

const newTokenCodec = jsonCodec(
  Schema.Struct({
    token: Schema.String.annotate({ description: "The token. It is shown only in this answer." }),
    ...fields,
  }),
  ({ text, token }: NewHomeToken) => ({ token: text, ...tokenBody(token) }),
)

export const createHomeToken = endpoint({
  method: "POST",
  path: "/home/tokens",
  group: "Home automation",
  summary: "Create a long-lived token for a client of the home API",
  access: "admin",
  category: "authentication",
  body: { schema: Schema.Struct({ name: Text(1, 128) }), required: true },
  status: 201,
  response: { bare: newTokenCodec, envelope: newTokenCodec },
  failures: ["AccountConflict", "StoreUnavailable"],
})

const tokensCodec = jsonCodec(
  Schema.Struct({ tokens: Schema.Array(Schema.Struct(fields)) }),
  (tokens: ReadonlyArray<HomeToken>) => ({ tokens: tokens.map(tokenBody) }),
)

export const listHomeTokens = endpoint({
  method: "GET",
  path: "/home/tokens",
  group: "Home automation",
  summary: "List the tokens of the home API, without the tokens themselves",
  access: "admin",
  category: "authentication",
  status: 200,
  response: { bare: tokensCodec, envelope: tokensCodec },
  failures: ["StoreUnavailable"],
})

export const revokeHomeToken = endpoint({
  method: "DELETE",
  path: "/home/tokens/{token_id}",
  group: "Home automation",
  summary: "Revoke a token of the home API. Its connections end",
  access: "admin",
  category: "authentication",
  params: Schema.Struct({ token_id: Text(1, 128) }),
  status: 204,
  response: null,
  failures: ["ResourceNotFound", "StoreUnavailable"],
})
