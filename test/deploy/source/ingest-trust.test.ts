import { describe, expect, it } from "vitest"
import { trusts } from "../../../deploy/source/ingest-trust.ts"

const tls = { rootCertPem: "a root" }
const plain = { rootCertPem: null }

describe("addresses that a sender trusts with its key", () => {
  it.each([
    ["a.example:50051", "b.example:50051", tls, true],
    ["a.example:50051", "10.0.0.2:50051", tls, true],
    ["a.example:50051", "[fd00::2]:50051", tls, true],
    ["a.example:50051", "127.0.0.1:50051", tls, false],
    ["a.example:50051", "localhost:50051", tls, false],
    ["127.0.0.1:50051", "localhost:50061", tls, true],
    ["a.example:50051", "b.example:50051", plain, false],
    ["a.example:50051", "A.example:50061", plain, true],
    ["10.0.0.1:50051", "127.0.0.1:50051", plain, false],
    ["127.0.0.1:50051", "[::1]:50061", plain, true],
    ["127.0.0.1:50051", "10.0.0.2:50051", plain, false],
    // Texts that gRPC would resolve in a way of its own, and texts without a port.
    ["127.0.0.1:50051", "unix:/tmp/socket:1", plain, false],
    ["a.example:50051", "dns://evil.example/b.example:1", tls, false],
    ["a.example:50051", "b.example", tls, false],
    ["a.example:50051", "b.example:50051\n", tls, false],
    ["a.example:50051", "", tls, false],
  ])("given %s, another %s (%j): %s", (given, other, channel, trusted) => {
    expect(trusts(given, channel, other)).toBe(trusted)
  })
})
