/**
 * Endpoints of the group Home automation: the long-lived tokens of the home API.
 */
import { Schema } from "effect"
import type { CreatedHomeToken, HomeToken } from "../domain/home-token.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Text } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"

const fields = {
  token_id: Schema.String.annotate({ description: "Id of the token, and of its user in the home API." }),
  name: Schema.String,
  created_at: Schema.NullOr(IsoTime).annotate({
    description: "When it was created; null for a token of the settings of the answering node.",
  }),
  created_by: Schema.String.annotate({ description: "Who created it, or the variable of the settings that gives it." }),
}

const tokenBody = ({ createdAtMs, createdBy, name, tokenId }: HomeToken) => ({
  token_id: tokenId,
  name,
  created_at: isoTimeOrNull(createdAtMs),
  created_by: createdBy,
})

/** A new token, which is shown once. */
interface NewHomeToken {
  readonly text: string
  readonly token: CreatedHomeToken
}

const newTokenCodec = jsonCodec(
  Schema.Struct({
    token: Schema.String.annotate({ description: "The token. It is shown only in this answer." }),
    ...fields,
    created_at: IsoTime,
  }),
  ({ text, token }: NewHomeToken) => ({
    token: text,
    ...tokenBody(token),
    created_at: isoTime(token.createdAtMs),
  }),
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
  failures: ["AccountConflict", "ResourceNotFound", "StoreUnavailable"],
})
