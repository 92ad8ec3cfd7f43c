/**
 * What authenticates a client, and what replaces a token that the service has rejected.
 */

/** Credentials: an access token, or a function that returns one, or an API key. */
export interface Credentials {
  /** The function is called with the last token that the service rejected, and returns another one than that. */
  readonly token?: string | ((rejected?: string) => Promise<string>)
  readonly apiKey?: string
}

/** The credentials of one request. */
export interface Identity {
  readonly apiKey?: string
  readonly token?: string
}

export interface IdentitySource {
  readonly next: () => Promise<Identity>
  /** The service has rejected this identity. Returns whether the next one can be another. */
  readonly reject: (identity: Identity) => boolean
}

export const identitiesOf = ({ apiKey, token }: Credentials): IdentitySource => {
  let rejected: string | undefined
  return {
    next: async () => {
      if (apiKey !== undefined) return { apiKey }
      if (token === undefined) return {}
      return { token: typeof token === "string" ? token : await token(rejected) }
    },
    reject: (identity) => {
      if (identity.token === undefined || typeof token === "string") return false
      rejected = identity.token
      return true
    },
  }
}
