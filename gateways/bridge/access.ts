/**
 * Who may ask the bridge: on loopback everybody on this machine, elsewhere who has its token.
 *
 * On loopback the request must name a loopback host, so that no web page that a name of its own leads here can read a home. `/health` tells
 * nothing of anybody and is open.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { isIP } from "node:net"
import { errorHintText } from "../../protocols/bridge/bridge.ts"
import type { BridgeAnswer } from "./routes.ts"

/** Addresses of this machine alone. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** Open to everybody, wherever the bridge listens. */
export const healthPath = "/health"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The name in a `Host` header, without its port. */
const nameOf = (host: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(host)
  return bracketed === null ? host.replace(/:\d+$/, "") : bracketed[1]!
}

const unauthorised: BridgeAnswer = {
  status: 401,
  text: errorHintText("A bearer token is needed.", "Send the header Authorization: Bearer <WAVEPOSE_BRIDGE_TOKEN>."),
  headers: { "WWW-Authenticate": `Bearer realm="wavepose bridge"` },
}

const otherHost: BridgeAnswer = {
  status: 403,
  text: errorHintText(
    "The bridge answers on this machine only.",
    "Ask it as 127.0.0.1 or localhost, or set WAVEPOSE_BRIDGE_TOKEN.",
  ),
}

interface Headers {
  readonly host: string | undefined
  readonly authorization: string | undefined
}

/** Makes the decision for a bridge; `token` null: it is bound to loopback and open there. Answers what is wrong, or null. */
export const bridgeAccess = (token: string | null): (path: string, headers: Headers) => BridgeAnswer | null => {
  if (token === null) return (_, { host }) => isLoopback(nameOf(host ?? "").toLowerCase()) ? null : otherHost
  const expected = digest(token)
  return (path, { authorization }) => {
    if (path === healthPath) return null
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1]
    return given !== undefined && timingSafeEqual(digest(given), expected) ? null : unauthorised
  }
}
