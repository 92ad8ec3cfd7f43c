/**
 * The allowed URLs of webhooks, as far as their text shows. The resolved address of a name is checked at every delivery.
 */
import { BlockList, isIP } from "node:net"
import type { WebhookTargets } from "../domain/webhook.ts"

const listOf = (
  v4: ReadonlyArray<readonly [string, number]>,
  v6: ReadonlyArray<readonly [string, number]>,
): BlockList => {
  const list = new BlockList()
  for (const [network, bits] of v4) list.addSubnet(network, bits, "ipv4")
  for (const [network, bits] of v6) list.addSubnet(network, bits, "ipv6")
  return list
}

/** Never allowed: unspecified, link-local (cloud metadata), multicast, broadcast, and prefixes that embed an IPv4 address. */
const never = listOf(
  [["0.0.0.0", 8], ["169.254.0.0", 16], ["224.0.0.0", 4], ["240.0.0.0", 4]],
  [["::", 128], ["fe80::", 10], ["fec0::", 10], ["ff00::", 8], ["64:ff9b::", 96], ["64:ff9b:1::", 48], ["2002::", 16], [
    "2001::",
    32,
  ]],
)

/** Not public: loopback, private, carrier-grade NAT, benchmarks, documentation (IANA special-purpose registries). */
const inner = listOf(
  [
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    [
      "192.168.0.0",
      16,
    ],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
  ],
  [["::1", 128], ["fc00::", 7], ["100::", 64], ["2001:db8::", 32]],
)

/** An IPv4 address in IPv6 notation is checked as IPv4. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Why an address is rejected; null: it is allowed. */
export const addressRefusal = (address: string, targets: WebhookTargets): string | null => {
  const plain = mapped.exec(address)?.[1] ?? address
  const version = isIP(plain)
  if (version === 0) return `${address} is not an address`
  const family = version === 4 ? "ipv4" : "ipv6"
  if (never.check(plain, family) || /^::ffff:/i.test(plain)) return `${plain} cannot be the address of an endpoint`
  return targets === "public" && inner.check(plain, family)
    ? `${plain} is in a private network. Set WAVEPOSE_WEBHOOK_TARGETS=private to allow it`
    : null
}

/** The host of a URL as an address or a name, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

/** Why a URL is rejected; null: it is allowed. */
export const urlRefusal = (text: string, targets: WebhookTargets): string | null => {
  const url = URL.parse(text)
  if (url === null) return "is not a URL"
  if (url.username !== "" || url.password !== "") return "must not contain credentials: messages are signed"
  if (url.hash !== "") return "must not have a fragment: fragments are never sent"
  if (url.protocol !== "https:" && !(url.protocol === "http:" && targets === "private")) {
    return "must begin with https://. Set WAVEPOSE_WEBHOOK_TARGETS=private to allow http:// in a private network"
  }
  const host = hostOf(url)
  if (isIP(host) !== 0) return addressRefusal(host, targets)
  return targets === "public" && /(^|\.)(localhost|local|internal)\.?$/i.test(host)
    ? "has a host in a private network. Set WAVEPOSE_WEBHOOK_TARGETS=private to allow it"
    : null
}
