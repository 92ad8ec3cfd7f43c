import { describe, expect, it } from "vitest"
import { decodeBytes, decodeRecording, framesOf } from "../harness/decode.ts"
import { hasRecordings, recording } from "../harness/recordings.ts"

describe.skipIf(!hasRecordings("csikit/atheros"))("Atheros captures", () => {
  it.each([
    ["csikit/atheros/Ant_1.dat", 8962, [1, 1], "e4:ce:8f:5c:04:b5"],
    ["csikit/atheros/example_bigEndian.dat", 16, [3, 2], "ac:29:3a:ed:cc:48"],
    ["csiread/ath_csi_1.dat", 401, [3, 2], "04:f0:21:2c:79:37"],
  ])("%s is read to its last byte", (name, count, antennas, station) => {
    const { batches, faults, format, hardware } = decodeRecording(name)
    expect(faults).toEqual([])
    expect([format, hardware]).toEqual(["atheros", "Atheros ath9k"])
    const frames = framesOf(batches)
    expect(frames).toHaveLength(count)
    for (const { batch, csi, i } of frames) {
      expect([batch.layout.receiveAntennas, batch.layout.transmitAntennas]).toEqual(antennas)
      expect(batch.transmitterIds[batch.transmitterIndex[i]!]).toBe(station)
      expect(batch.layout.subcarrierIndices).toHaveLength(56)
      expect(csi.some((value) => value !== 0)).toBe(true)
    }
  })

  it("sees the channels that Ant_1 hops over", () => {
    const { batches } = decodeRecording("csikit/atheros/Ant_1.dat")
    expect([...new Set(batches.map(({ layout }) => layout.centerFrequencyHz / 1e6))])
      .toEqual([2412, 2422, 2432, 2442, 2452, 2462])
  })

  it("has responses without a jump between neighbouring subcarriers", () => {
    // A wrong order of bits, parts or antennas would make neighbours as different as any two values.
    for (const { batch, csi } of framesOf(decodeRecording("csiread/ath_csi_1.dat").batches)) {
      const tones = batch.layout.subcarrierIndices.length
      let step = 0
      let power = 0
      for (let v = 2; v < csi.length; v += 2) {
        if ((v / 2) % tones === 0) continue
        const before = Math.hypot(csi[v - 2]!, csi[v - 1]!)
        step += (Math.hypot(csi[v]!, csi[v + 1]!) - before) ** 2
        power += before ** 2
      }
      expect(step / power).toBeLessThan(0.05)
    }
  })

  it.each([1, 100, 900])("delivers all whole records before %i bytes of a last one are missing", (cut) => {
    const bytes = recording("csikit/atheros/example_bigEndian.dat")
    const whole = decodeBytes(bytes)
    const { batches, faults } = decodeBytes(bytes.subarray(0, bytes.length - cut))
    expect(framesOf(batches)).toHaveLength(framesOf(whole.batches).length - 1)
    expect(faults).toMatchObject([{ reason: "truncated" }])
  })
})
