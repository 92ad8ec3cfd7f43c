import { describe, expect, it } from "vitest"
import { clientAddress } from "../../../gateways/middleware/client-address.ts"

const trusted = new Set(["10.0.0.1", "10.0.0.2"])

describe("the client's address", () => {
  it.each([
    ["the peer's", "192.0.2.7", undefined, "192.0.2.7"],
    ["the peer's, whatever it forwards, unless it is trusted", "192.0.2.7", "198.51.100.1", "192.0.2.7"],
    ["what a trusted proxy forwards", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["the nearest that is not trusted", "10.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
    ["the proxy's when it forwards nothing", "10.0.0.1", undefined, "10.0.0.1"],
    ["IPv4 inside IPv6", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["unknown of a closed socket", undefined, undefined, "unknown"],
  ])("is %s", (_, peer, forwarded, address) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(address)
  })
})
