import { describe, expect, it } from "vitest"
import { MacNames } from "../../../core/formats/mac-address.ts"
import { senderOf } from "../../../core/formats/packet-sender.ts"

/** An 802.11 header with address 2 = 0a:0b:0c:0d:0e:0f, the number 5, fragment 1, and the given bytes behind it. */
const header = (control: readonly [number, number], ...rest: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.of(...control, 0, 0, 1, 1, 1, 1, 1, 1, 10, 11, 12, 13, 14, 15, 2, 2, 2, 2, 2, 2, 0x51, 0, ...rest)

const station = "0a:0b:0c:0d:0e:0f"
const fourthAddress = [3, 3, 3, 3, 3, 3]

describe("sender of a packet", () => {
  it.each([
    ["QoS data", header([0x88, 0], 6, 0), station, 6, 0x51],
    ["QoS data between access points", header([0x88, 3], ...fourthAddress, 7, 0), station, 7, 0x51],
    ["data", header([0x08, 0], 6, 0), station, null, 0x51],
    ["a beacon", header([0x80, 0]), station, null, 0x51],
    ["a null frame", header([0x48, 0]), station, null, null],
    ["a request to send", header([0xb4, 0]).subarray(0, 16), station, null, null],
    ["an acknowledgement", header([0xd4, 0]).subarray(0, 16), "ap", null, null],
    ["QoS data that is cut off behind its number", header([0x88, 0]), station, null, 0x51],
    ["QoS data that is cut off before its number", header([0x88, 0]).subarray(0, 23), station, null, null],
    ["too little", header([0x88, 0]).subarray(0, 15), "ap", null, null],
  ])("%s", (_, packet, transmitterId, trafficClass, sequenceControl) => {
    const buffer = new Uint8Array(packet.length + 40).fill(255)
    buffer.set(packet, 9)
    expect(senderOf(buffer, 9, 9 + packet.length, new MacNames())).toEqual({
      transmitterId,
      trafficClass,
      sequenceControl,
    })
  })
})
