/** Whether a request can come from a page of the service itself, as far as its browser tells. */
import type { HeaderReader } from "./authorise.ts"

const hostOf = (origin: string): string | null => {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}

/**
 * False for the pages of other origins. Browsers send Sec-Fetch-Site to HTTPS and to their own machine only; over plain HTTP in a network there is
 * Origin, which they leave out of a page's reads of its own origin. A proxy that rewrites Host names the first in X-Forwarded-Host.
 */
export const isOfOwnPage = (header: HeaderReader): boolean => {
  const site = header("sec-fetch-site")
  if (site !== undefined) return site === "same-origin" || site === "none"
  const origin = header("origin")
  if (origin === undefined) return true
  const host = hostOf(origin)
  return host !== null && (host === header("host") || host === header("x-forwarded-host"))
}
