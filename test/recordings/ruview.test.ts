import { describe, expect, it } from "vitest"
import { decodeRuviewDatagram } from "../../core/formats/ruview-datagram.ts"
import { featuresDatagram } from "../core/formats/ruview-datagrams.ts"
import { decodeRecording, framesOf } from "../harness/decode.ts"
import { hasRecordings, recording } from "../harness/recordings.ts"

const nodes = "ruview/pretrain-1775182186.csi.jsonl"

const linesOf = (name: string) =>
  new TextDecoder().decode(recording(name)).trim().split("\n").map((line) => JSON.parse(line))

/** The datagram that a line with a buffer was made of; on a channel that the line does not say. */
const datagramOf = (line: { node_id: number; size: number; subcarriers: number; iq_hex: string }): Uint8Array => {
  const bytes = new Uint8Array(line.size)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xc5110001, true)
  view.setUint8(4, line.node_id)
  view.setUint8(5, 1)
  view.setUint16(6, line.subcarriers, true)
  view.setUint32(8, 2437, true)
  bytes.set(line.iq_hex.match(/../g)!.map((byte) => parseInt(byte, 16)), 20)
  return bytes
}

describe.skipIf(!hasRecordings("ruview"))("RuView recordings", () => {
  it("are read to the last byte, every frame as the node's datagram has it", () => {
    const { batches, faults, format } = decodeRecording(nodes)
    const lines = linesOf(nodes).filter(({ type }) => type === "raw_csi")
    const frames = framesOf(batches)
    expect([format, faults, frames.length, lines.length]).toEqual(["ruview", [], 5309, 5309])
    frames.forEach(({ batch, csi, i }, n) => {
      const line = lines[n]
      const decoded = decodeRuviewDatagram(datagramOf(line), 0)
      if (!("frame" in decoded)) throw new Error(`line ${n} is no datagram`)
      if (csi.some((value, v) => value !== decoded.frame.csi[v])) expect(n).toBe("as the datagram has it")
      expect(batch.transmitterIds[batch.transmitterIndex[i]!]).toBe(decoded.routerId)
      expect(batch.timestampsUs[i]).toBe(Math.round((line.timestamp - lines[0].timestamp) * 1e6))
      expect(batch.rssiDbm[i]).toBe(0)
    })
    const count = (node: string) =>
      frames.filter(({ batch, i }) => batch.transmitterIds[batch.transmitterIndex[i]!] === node).length
    expect([count("node-1"), count("node-2")]).toEqual([2659, 2650])
  })

  it.each([
    ["ruview/rec_1772470567081-20260302_165607.csi.jsonl", 253],
    ["ruview/rec_1772472968919-20260302_173608.csi.jsonl", 3],
  ])("%s: %i frames of amplitudes", (name, count) => {
    const { batches, faults } = decodeRecording(name)
    const frames = framesOf(batches)
    expect([faults, frames.length]).toEqual([[], count])
    linesOf(name).forEach(({ subcarriers }, n) => {
      const { batch, csi } = frames[n]!
      batch.layout.subcarrierIndices.forEach((k, i) => {
        expect([csi[2 * i], csi[2 * i + 1]]).toEqual([Math.fround(subcarriers[(k + 64) % 64]), 0])
      })
    })
  })

  it("have feature vectors that say what the vitals of the same moment say, within their scales", () => {
    const vitals = linesOf(nodes).filter(({ type }) => type === "vitals")
    const features = linesOf(nodes).filter(({ type }) => type === "feature")
    let compared = 0
    let sameStrength = 0
    for (const said of features) {
      const decoded = decodeRuviewDatagram(featuresDatagram(said.features), 0)
      if (!("report" in decoded) || decoded.report.kind !== "features") throw new Error("no feature vector")
      const { report } = decoded
      const same = vitals.find((line) =>
        line.node_id === said.node_id && Math.abs(line.timestamp - said.timestamp) < 0.05
      )
      if (same === undefined) continue
      compared++
      expect(report.motionEnergy).toBeCloseTo(Math.min(10, same.motion_energy), 4)
      expect(report.presenceScore).toBeCloseTo(Math.min(10, same.presence_score), 4)
      expect(report.breathingRateBpm ?? 0).toBeCloseTo(Math.min(30, same.breathing_bpm), 1)
      expect(report.heartrateBpm ?? 0).toBeCloseTo(Math.min(120, same.heartrate_bpm), 1)
      expect(report.persons).toBe(same.n_persons)
      if (Math.abs(report.rssiDbm - same.rssi) <= 1) sameStrength++
    }
    expect(compared).toBeGreaterThan(200)
    // The strength is the last packet's, and one may come between the two reports.
    expect(sameStrength).toBeGreaterThan(0.9 * compared)
  })
})
