/**
 * The address of the client behind the proxies that are trusted. Used to count connections; never to decide on access.
 */

/** Addresses as text; an IPv4 address inside IPv6 is written as IPv4. */
const plain = (address: string): string => address.startsWith("::ffff:") ? address.slice(7) : address

/**
 * The nearest address that is not a trusted proxy. `X-Forwarded-For` is believed only where a trusted proxy wrote it:
 * it is read from its end as long as the address before is trusted.
 */
export const clientAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlySet<string>,
): string => {
  let address = plain(peer ?? "unknown")
  const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
  while (trustedProxies.has(address)) {
    const hop = hops.pop()
    if (hop === undefined) break
    address = plain(hop)
  }
  return address
}
