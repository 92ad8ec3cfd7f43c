import { describe, expect, it } from "vitest"
import { crc32 } from "../../../core/formats/crc32.ts"
import { decodeRuviewDatagram } from "../../../core/formats/ruview-datagram.ts"
import { featuresDatagram, stateDatagram, vitalsDatagram } from "./ruview-datagrams.ts"

const reportOf = (bytes: Uint8Array) => {
  const decoded = decodeRuviewDatagram(bytes, 0)
  if (!("report" in decoded)) throw new Error("no report")
  return decoded
}

/** The bytes with one of them changed. */
const withByte = (bytes: Uint8Array, at: number, byte: number): Uint8Array => {
  const copy = bytes.slice()
  copy[at] = byte
  return copy
}

describe("reports of a RuView node", () => {
  it("reads the vitals", () => {
    expect(reportOf(vitalsDatagram({ flags: 0b101, breathing: 2242, heart: 850_000 }))).toEqual({
      routerId: "node-2",
      report: {
        kind: "vitals",
        presence: true,
        motion: true,
        fall: false,
        persons: 4,
        motionEnergy: 4.5,
        presenceScore: 3.25,
        breathingRateBpm: 22.42,
        heartrateBpm: 85,
        rssiDbm: -19,
        uptimeMs: 123_456,
      },
    })
    expect(reportOf(vitalsDatagram({ flags: 0, breathing: 0, heart: 0 })).report).toMatchObject({
      presence: false,
      breathingRateBpm: null,
      heartrateBpm: null,
    })
  })

  it("reads the feature vector back to the units of the vitals", () => {
    const { report, routerId } = reportOf(featuresDatagram([0.5, 0.25, 0.75, 0.625, 1, 1, 0, 0.8125]))
    expect(routerId).toBe("node-2")
    expect(report).toEqual({
      kind: "features",
      sequence: 5337,
      presenceScore: 5,
      motionEnergy: 2.5,
      breathingRateBpm: 22.5,
      heartrateBpm: 75,
      phaseVariance: 1,
      persons: 4,
      fall: false,
      rssiDbm: -19,
      uptimeMs: 5_000_000,
    })
  })

  it("reads the feature state, without rates that the device marks as invalid", () => {
    const scores = [0.5, 0.25, 12, 0.75, 66, 0.5, 0.125, 0.0625, 1]
    expect(reportOf(stateDatagram(scores, 0b1110_0011)).report).toEqual({
      kind: "state",
      sequence: 77,
      profile: 3,
      motionScore: 0.5,
      presenceScore: 0.25,
      breathingRateBpm: 12,
      breathingConfidence: 0.75,
      heartrateBpm: null,
      heartrateConfidence: 0.5,
      anomalyScore: 0.125,
      environmentShiftScore: 0.0625,
      coherence: 1,
      degraded: true,
      calibrating: true,
      recalibrationAdvised: true,
      rssiDbm: -61,
      uptimeMs: 7000,
    })
    expect(reportOf(stateDatagram(scores, 0)).report).toMatchObject({ presenceScore: null, breathingRateBpm: null })
  })

  it.each([
    ["vitals cut off", vitalsDatagram({}).subarray(0, 31), "truncated"],
    ["vitals too long", new Uint8Array([...vitalsDatagram({}), 0]), "value-count"],
    ["features without a number", featuresDatagram([NaN, 0, 0, 0, 0, 0, 0, 0]), "bad-value"],
    ["features without an end", featuresDatagram([0, 0, 0, 0, 0, 0, 0, Infinity]), "bad-value"],
    ["a state whose checksum is wrong", withByte(stateDatagram([0, 0, 0, 0, 0, 0, 0, 0, 0], 1), 9, 1), "bad-value"],
  ])("names what is wrong with %s", (_, bytes, reason) => {
    expect(decodeRuviewDatagram(bytes, 0)).toMatchObject({ offset: 0, reason })
  })
})

describe("CRC-32", () => {
  it("is that of the standard's check value", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926)
    expect(crc32(new Uint8Array(0))).toBe(0)
  })
})
