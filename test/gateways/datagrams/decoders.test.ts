import { describe, expect, it } from "vitest"
import { nexmonDecoder } from "../../../gateways/datagrams/decoders.ts"
import { nexmonPayload } from "../../core/formats/nexmon-records.ts"

const given = (payloads: ReadonlyArray<readonly [sender: string, bytes: Uint8Array]>) => {
  const decode = nexmonDecoder()
  return payloads.map(([sender, bytes], i) => decode({ bytes, sender, signedBy: null, receivedUs: 100 * i }))
}

describe("Nexmon datagrams", () => {
  it.each([
    ["10.10.10.10", "nexmon-10.10.10.10"],
    ["::ffff:10.10.10.10", "nexmon-10.10.10.10"],
    ["fe80::1%wlan0", "nexmon-fe80::1"],
    ["::1", "nexmon-::1"],
  ])("from %s are of router %s", (sender, routerId) => {
    expect(given([[sender, nexmonPayload()]])).toEqual([{ routerId, frames: [] }])
  })

  it("of several senders do not mix", () => {
    const received = given(
      [1, 2, 3].flatMap((number) =>
        ["a", "b"].map((sender) => [sender, nexmonPayload({ number, word: () => sender.charCodeAt(0) })] as const)
      ),
    )
    const frames = received.flatMap((one) =>
      "frames" in one ? one.frames.map((frame) => [one.routerId, frame] as const) : []
    )
    expect(frames.map(([routerId, { csi, timestampUs }]) => [routerId, timestampUs, csi[0]])).toEqual([
      ["nexmon-a", 0, 97],
      ["nexmon-a", 200, 97],
      ["nexmon-b", 100, 98],
      ["nexmon-b", 300, 98],
      ["nexmon-a", 400, 97],
      ["nexmon-b", 500, 98],
    ])
  })

  it("that end two packets at once return both, each with its own values", () => {
    const two = [1, 2].map((number) => ["a", nexmonPayload({ number, word: () => number })] as const)
    expect(given(two).at(-1)).toMatchObject({ frames: [{ sequence: 1 }, { sequence: 2 }] })
    const [, last] = given(two)
    expect("frames" in last! && last.frames.map(({ csi }) => csi[0])).toEqual([1, 2])
  })

  it("that are wrong return the reason", () => {
    expect(given([["a", new Uint8Array(274)]])).toMatchObject([{ offset: 0, reason: "not-a-record" }])
  })
})
