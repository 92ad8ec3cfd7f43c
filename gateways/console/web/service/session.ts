/** The sign-in of this tab, and requests as the signed-in user. */
import { requestJson, requestTagged, requestText, type Tagged } from "./http.ts"
import { RequestFailed } from "./request-failed.ts"
import type { RequestOptions } from "./send.ts"
import { makeSignIn, type Role } from "./sign-in.ts"

const own = makeSignIn(requestJson)

export const session = own.session
export const renew = own.renew
/** The token for the WebSocket's first message. */
export const currentToken = own.token
export const signIn = own.byPassword
export const signInByCode = own.byCode
export const signOut = own.signOut

/** A request as the signed-in user; a token that has ended is renewed once. */
const withToken = async <A>(request: (token: string | null) => Promise<A>): Promise<A> => {
  try {
    return await request(own.token())
  } catch (cause) {
    if (!(cause instanceof RequestFailed) || cause.status !== 401 || !(await own.renew())) throw cause
    return await request(own.token())
  }
}

/** A request as the signed-in user, with the entity tag of its answer. */
export const authorisedTagged = <A>(path: string, options: RequestOptions = {}): Promise<Tagged<A>> =>
  withToken((token) => requestTagged<A>(path, { ...options, token }))

/** The text of a document, as the signed-in user. */
export const authorisedText = (path: string): Promise<string> => withToken((token) => requestText(path, { token }))

/** As `authorisedTagged`, without the tag. */
export const authorised = async <A>(path: string, options: RequestOptions = {}): Promise<A> =>
  (await authorisedTagged<A>(path, options)).value

/** Whether the signed-in user has at least this role. */
export const isAtLeast = (role: Role): boolean => {
  const ranks = ["viewer", "operator", "admin"]
  return session.value.state === "signed-in" && ranks.indexOf(session.value.role) >= ranks.indexOf(role)
}
