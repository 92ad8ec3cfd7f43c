/**
 * Long-lived tokens of the home-automation runtime, as administrators see them, and the user that each stands for.
 */
import { Schema } from "effect"

/** Most tokens that can be registered. */
export const homeTokensMax = 256

export interface HomeToken {
  /** 32 hexadecimal digits; it is the id of the token's user as well. */
  readonly tokenId: string
  readonly name: string
  readonly createdAtMs: number
  /** Name of who registered it. */
  readonly createdBy: string
}

/** Whose context a client acts in: the holder of a token, who may do everything here. */
export interface HomeUser {
  readonly id: string
  readonly name: string
}

/** No more tokens are taken. */
export class TooManyHomeTokens extends Schema.TaggedError<TooManyHomeTokens>()("TooManyHomeTokens", {
  message: Schema.String,
}) {
  static readonly now = new TooManyHomeTokens({
    message: `There are ${homeTokensMax} home tokens, which is the most. Revoke one that is not used any more.`,
  })
}
