/**
 * The id of a request, which its answer, its errors and the log repeat.
 */
import type { HeaderReader } from "./authorise.ts"

const pattern = /^[A-Za-z0-9._-]{1,128}$/

/** The id that the client sent as `x-request-id` if it is valid, else a new one. */
export const requestIdOf = (header: HeaderReader, uuid: () => string): string => {
  const given = header("x-request-id")
  return given !== undefined && pattern.test(given) ? given : uuid()
}
