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
  /** Null: it is one of the settings. */
  readonly createdAtMs: number | null
  /** Name of the user who registered it, or of the variable that gives it. */
  readonly createdBy: string
}

/** A token that was created at run time. */
export interface CreatedHomeToken extends HomeToken {
  readonly createdAtMs: number
}

/** The variable of the tokens that the operator gives. */
const homeTokensVariable = "WAVEPOSE_HOME_TOKENS"

/** The token that is at this position in the settings of a node, counted from 0. */
export const givenHomeToken = (tokenId: string, position: number): HomeToken => ({
  tokenId,
  name: `token ${position + 1} of the settings`,
  createdAtMs: null,
  createdBy: homeTokensVariable,
})

/** The user of a client's context: the holder of a token, with all permissions of this API. */
export interface HomeUser {
  readonly id: string
  readonly name: string
}

/** The token is one of the settings, which the service does not change. */
export class HomeTokenIsGiven extends Schema.TaggedError<HomeTokenIsGiven>()("HomeTokenIsGiven", {
  message: Schema.String,
}) {
  static readonly now = new HomeTokenIsGiven({
    message: `This token is given by ${homeTokensVariable}. Remove it there, and restart the service.`,
  })
}

/** The limit of tokens is reached. */
export class TooManyHomeTokens extends Schema.TaggedError<TooManyHomeTokens>()("TooManyHomeTokens", {
  message: Schema.String,
}) {
  static readonly now = new TooManyHomeTokens({
    message: `There are ${homeTokensMax} home tokens, which is the most. Revoke one that is not used any more.`,
  })
}
