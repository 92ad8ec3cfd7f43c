/**
 * Long-lived tokens of the home-automation runtime, from the view of administrators, and the user of each.
 */
import { Schema } from "effect"

/** The most tokens that can be registered. */
export const homeTokensMax = 256

export interface HomeToken {
  /** 32 hexadecimal digits; also the id of the token's user. */
  readonly tokenId: string
  readonly name: string
  readonly createdAtMs: number
  /** Name of the user who registered it. */
  readonly createdBy: string
}

/** The user of a client's context: the holder of a token, with all permissions of this API. */
export interface HomeUser {
  readonly id: string
  readonly name: string
}

/** The limit of tokens is reached. */
export class TooManyHomeTokens extends Schema.TaggedError<TooManyHomeTokens>()("TooManyHomeTokens", {
  message: Schema.String,
}) {
  static readonly now = new TooManyHomeTokens({
    message: `There are ${homeTokensMax} home tokens, which is the most. Revoke one that is not used any more.`,
  })
}
