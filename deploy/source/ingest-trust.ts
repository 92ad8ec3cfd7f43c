/**
 * Which addresses a sender trusts with its credential, beyond the one that it was given.
 *
 * A node names the address of another. With TLS, that address must show a certificate of the same authority for the same name as the given one
 * (`sameName`), whatever the address is. In plain text nobody proves a name, so only another port of the same host is trusted. A loopback
 * address means a different machine for each reader, so it is trusted only by a sender that was given one.
 */
import type * as grpc from "@grpc/grpc-js"
import { isLoopbackHost } from "../../gateways/access/loopback.ts"
import type { ChannelTls } from "../../gateways/grpc/client-credentials.ts"

/** The host of `host:port`, without brackets; null if the text is none, e.g. a URI that gRPC would resolve in another way. */
const hostOf = (address: string): string | null => {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):\d{1,5}$/.exec(address) ?? []
  return (bracketed ?? plain)?.toLowerCase() ?? null
}

/** Whether a sender that was given one address may send to another, over a channel with the options of `sameName`. */
export const trusts = (given: string, { rootCertPem }: ChannelTls, other: string): boolean => {
  const [from, to] = [hostOf(given), hostOf(other)]
  if (from === null || to === null) return false
  if (isLoopbackHost(to) || rootCertPem === null) return from === to || isLoopbackHost(from) && isLoopbackHost(to)
  return true
}

/** Channel options under which a server must show a certificate for the host of the given address. */
export const sameName = (given: string): grpc.ChannelOptions => {
  const host = hostOf(given)
  return host === null ? {} : { "grpc.ssl_target_name_override": host }
}
