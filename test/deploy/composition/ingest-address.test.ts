import { describe, expect, it } from "vitest"
import { statedIngestAddress } from "../../../deploy/composition/ingest-address.ts"

describe("the address that a node states for senders", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1", "auto", "127.0.0.1:50051"],
    ["0.0.0.0", "node-1.example", "auto", "node-1.example:50051"],
    ["::", "fd00::1", "auto", "[fd00::1]:50051"],
    ["192.168.1.5", "10.0.0.5", "auto", "192.168.1.5:50051"],
    ["127.0.0.1", "10.0.0.5", "auto", null],
    ["0.0.0.0", "node-1", "off", null],
    ["127.0.0.1", "10.0.0.5", "csi.example:443", "csi.example:443"],
  ])("host %s, cluster host %s, setting %s: %s", (host, clusterHost, ingestAddress, stated) => {
    expect(statedIngestAddress({ host, clusterHost, ingestAddress }, 50051)).toBe(stated)
  })
})
