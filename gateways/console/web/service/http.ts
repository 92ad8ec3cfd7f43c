/**
 * Requests to the pose API: paths relative to the page, the access token in a header.
 *
 * Invariant: a token is in memory only; it is never part of an address or of the browser's storage.
 */
import { type RequestOptions, send } from "./send.ts"

/** Where the API is served: beside the page, also below a path of a proxy. */
const apiUrl = (path: string): URL => new URL(`api/v1${path}`, document.baseURI)

/** An answer with its entity tag; null: it has none. */
export interface Tagged<A> {
  readonly value: A
  readonly etag: string | null
}

/** An answer; its value is null if it has no content. Throws `RequestFailed`. */
export const requestTagged = <A>(path: string, options: RequestOptions = {}): Promise<Tagged<A>> =>
  send(apiUrl(path), options, async (response) => {
    const value = response.status === 204 ? null as A : await response.json() as A
    return { value, etag: response.headers.get("etag") }
  })

/** The text of a document. Throws `RequestFailed`. */
export const requestText = (path: string, options: RequestOptions = {}): Promise<string> =>
  send(apiUrl(path), options, (response) => response.text())

/** The JSON of an answer; null if it has no content. Throws `RequestFailed`. */
export const requestJson = async <A>(path: string, options: RequestOptions = {}): Promise<A> =>
  (await requestTagged<A>(path, options)).value
