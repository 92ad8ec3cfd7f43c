import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { clientAddress, clientNetwork, trustedProxies } from "../../../gateways/access/client-address.ts"

const trusted = Result.getOrThrow(trustedProxies(["10.0.0.1", "10.0.0.2", "172.16.0.0/12", "fd00::/8"]))

describe("the client's address", () => {
  it.each([
    ["the peer's", "192.0.2.7", undefined, "192.0.2.7"],
    ["the peer's, whatever it forwards, unless it is trusted", "192.0.2.7", "198.51.100.1", "192.0.2.7"],
    ["what a trusted proxy forwards", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["what a proxy of a trusted network forwards", "172.31.255.255", "198.51.100.1", "198.51.100.1"],
    ["the peer's where it lies outside the network", "172.32.0.1", "198.51.100.1", "172.32.0.1"],
    ["the nearest that is not trusted", "10.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
    ["the proxy's when it forwards nothing", "10.0.0.1", undefined, "10.0.0.1"],
    ["the proxy's when it forwards no address", "10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"],
    ["without the port that a proxy adds", "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    ["of IPv6 without brackets and port", "fd00::1", "[2001:DB8::7]:4711", "2001:db8::7"],
    ["IPv4 inside IPv6", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["unknown of a closed socket", undefined, undefined, "unknown"],
  ])("is %s", (_, peer, forwarded, address) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(address)
  })

  it("is the peer's where no proxy is trusted", () => {
    expect(clientAddress("10.0.0.1", "198.51.100.1", Result.getOrThrow(trustedProxies([])))).toBe("10.0.0.1")
  })
})

describe("trusted proxies", () => {
  it.each([
    "proxy.example",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "fd00::/129",
    "10.0.0.0/-1",
    "fe80::1%eth0",
    "",
  ])(
    "are not %j",
    (entry) => {
      const read = trustedProxies(["10.0.0.1", entry])
      expect(Result.isFailure(read) && read.failure).toContain(`"${entry}"`)
    },
  )
})

describe("a client", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8::7", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("%s is counted as %s", (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })
})
