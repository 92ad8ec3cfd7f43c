/**
 * What every HTTP edge reads of a request's head.
 */
import type { IncomingMessage } from "node:http"

/** Reads a header by its lower-case name; repeated headers are joined by commas. */
export const headerReader = (request: IncomingMessage) => (name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

/** The path and the query of a request target, split at the first question mark. */
export const splitTarget = (target: string): { readonly path: string; readonly query: string } => {
  const mark = target.indexOf("?")
  return mark === -1 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}
