/**
 * The address of the client behind trusted proxies. It is used for counting, and to accept one-time codes from the
 * machine of the service only.
 */
import { Result } from "effect"
import { BlockList, isIP } from "node:net"

/** Proxies whose `X-Forwarded-For` is believed. */
export type TrustedProxies = (address: string) => boolean

/** Hops of `X-Forwarded-For` that are read. */
const hopsMax = 16

/** Addresses as text; an IPv4 address inside IPv6 is written as IPv4. */
const plain = (address: string): string => address.startsWith("::ffff:") ? address.slice(7) : address

const familyOf = (address: string): "ipv4" | "ipv6" => isIP(address) === 6 ? "ipv6" : "ipv4"

/** Proxies by address or network (`10.0.0.1`, `10.0.0.0/8`, `fd00::/8`); fails with a message on the first entry that is neither. */
export const trustedProxies = (entries: ReadonlyArray<string>): Result.Result<TrustedProxies, string> => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = "", prefix, ...rest] = entry.split("/")
    const bitsMax = familyOf(address) === "ipv6" ? 128 : 32
    const bits = prefix === undefined ? bitsMax : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
    if (isIP(address) === 0 || address.includes("%") || rest.length > 0 || bits < 0 || bits > bitsMax) {
      return Result.fail(`"${entry}" is not an address or a network like 10.0.0.0/8`)
    }
    list.addSubnet(address, bits, familyOf(address))
  }
  return Result.succeed((address: string) => entries.length > 0 && list.check(address, familyOf(address)))
}

/** The proxies of settings, which were validated when they were read: an entry that is not an address is a defect. */
export const checkedProxies = (entries: ReadonlyArray<string> = []): TrustedProxies =>
  Result.getOrThrowWith(trustedProxies(entries), (message) => new Error(`A trusted proxy ${message}.`))

/** A hop as an address, without the port that some proxies add; null if it is not an address. */
const hopAddress = (hop: string): string | null => {
  const bare = /^\[(.*)\](:\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? null : plain(bare.toLowerCase())
}

/**
 * The nearest address that is not a trusted proxy. `X-Forwarded-For` is used only where a trusted proxy wrote it:
 * it is read from its end as long as the address before is trusted.
 */
export const clientAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: TrustedProxies,
): string => {
  let address = plain(peer ?? "unknown")
  if (forwardedFor === undefined || !isTrusted(address)) return address
  const hops = forwardedFor.split(",").slice(-hopsMax).map((hop) => hop.trim()).filter((hop) => hop !== "")
  while (isTrusted(address)) {
    const hop = hopAddress(hops.pop() ?? "")
    if (hop === null) break
    address = hop
  }
  return address
}

/** The first four groups of an IPv6 address, written out. */
const network64 = (address: string): string => {
  const [head = "", tail] = address.split("%")[0]!.split("::")
  const first = head === "" ? [] : head.split(":")
  const last = tail === undefined || tail === "" ? [] : tail.split(":")
  const groups = [...first, ...Array(Math.max(0, 8 - first.length - last.length)).fill("0"), ...last]
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(":")
}

/** The unit that counts as one client: an IPv4 address, or a /64 network of IPv6, because one host may use all its addresses. */
export const clientNetwork = (address: string): string => isIP(address) === 6 ? `${network64(address)}::/64` : address
