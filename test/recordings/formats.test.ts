import { describe, expect, it } from "vitest"
import { type CsiBatch, valuesPerFrame } from "../../core/formats/csi-batch.ts"
import { type CaptureFormat, createCaptureDecoder, detectFormat } from "../../core/formats/detect-format.ts"
import { complexArray, hasRecordings, recording } from "../harness/recordings.ts"

const decode = (bytes: Uint8Array, format: CaptureFormat | null, chunkBytes = 10_007) => {
  const decoder = createCaptureDecoder(format!, { routerId: "r", source: "replay" })
  const results = []
  for (let at = 0; at < bytes.length; at += chunkBytes) results.push(decoder.push(bytes.subarray(at, at + chunkBytes)))
  results.push(decoder.end())
  return { batches: results.flatMap((r) => r.batches), faults: results.flatMap((r) => r.faults) }
}

const decodeFile = (name: string) => {
  const bytes = recording(name)
  return decode(bytes, detectFormat(bytes))
}

interface Frame {
  readonly batch: CsiBatch
  readonly i: number
  readonly csi: Float32Array
}

const frames = (batches: ReadonlyArray<CsiBatch>): Array<Frame> =>
  batches.flatMap((batch) => {
    const length = 2 * valuesPerFrame(batch.layout)
    return Array.from({ length: batch.frameCount }, (_, i) => ({
      batch,
      i,
      csi: new Float32Array(batch.csi.subarray(i * length, (i + 1) * length)),
    }))
  })

interface GoldenHeader {
  readonly timestamp_low: number
  readonly bfee_count: number
  readonly Nrx: number
  readonly Ntx: number
  readonly rssi_a: number
  readonly rssi_b: number
  readonly rssi_c: number
  readonly noise: number
  readonly agc: number
}

const totalRssiDbm = (header: GoldenHeader): number => {
  const powers = [header.rssi_a, header.rssi_b, header.rssi_c].filter((rssi) => rssi > 0).map((rssi) =>
    10 ** (rssi / 10)
  )
  return Math.round(10 * Math.log10(powers.reduce((sum, power) => sum + power, 0)) - 44 - header.agc)
}

describe.skipIf(!hasRecordings("csikit"))("Intel 5300 against the reference outputs", () => {
  it.each([
    ["example", ["example.csi"]],
    ["log.all_csi.6.7.6", [1, 2, 3].map((tx) => `log.all_csi.6.7.6.csi_${tx}x3x30`)],
  ])("%s: every value and header field", (name, arrays) => {
    const { batches, faults } = decodeFile(`csikit/intel5300/${name}.dat`)
    const headers: ReadonlyArray<GoldenHeader> = JSON.parse(
      new TextDecoder().decode(recording(`csikit/golden/${name}.headers.json`)),
    )
    const decoded = frames(batches)
    expect(faults).toEqual([])
    expect(decoded).toHaveLength(headers.length)
    decoded.forEach(({ batch, i }, n) => {
      const header = headers[n]!
      expect(batch.timestampsUs[i]).toBe(header.timestamp_low - headers[0]!.timestamp_low)
      expect(batch.sequences[i]).toBe(header.bfee_count)
      expect(batch.rssiDbm[i]).toBe(totalRssiDbm(header))
      expect(batch.noiseFloorDbm[i]).toBe(header.noise === -127 ? 0 : header.noise)
      expect([batch.layout.receiveAntennas, batch.layout.transmitAntennas]).toEqual([header.Nrx, header.Ntx])
    })
    let compared = 0
    for (const array of arrays) {
      const { shape: [records, tx, rx, tones], values } = complexArray(`csikit/golden/${array}.npy`)
      const same = decoded.filter(({ batch }) => batch.layout.transmitAntennas === tx)
      expect(same).toHaveLength(records!)
      const wanted = (n: number, t: number, r: number, k: number) => 2 * (((n * tx! + t) * rx! + r) * tones! + k)
      same.forEach(({ csi }, n) => {
        for (let r = 0, v = 0; r < rx!; r++) {
          for (let t = 0; t < tx!; t++) {
            for (let k = 0; k < tones!; k++, v += 2) {
              const at = wanted(n, t, r, k)
              if (csi[v] !== values[at] || csi[v + 1] !== values[at + 1]) expect([n, r, t, k]).toBe("as the reference")
              compared++
            }
          }
        }
      })
    }
    expect(compared).toBe(decoded.reduce((sum, { csi }) => sum + csi.length / 2, 0))
  })

  it("delivers all whole records of a capture that is cut off anywhere in its last one", () => {
    const bytes = recording("csikit/intel5300/example.dat")
    for (const cut of [1, 100, 390]) {
      const { batches, faults } = decode(bytes.subarray(0, bytes.length - cut), "intel5300")
      expect(frames(batches)).toHaveLength(25)
      expect(faults).toMatchObject([{ reason: "truncated", offset: bytes.length - 395 }])
    }
  })

  it.each([
    ["csikit/intel5300/getintobed_post_1597163564.dat", 422],
    ["csikit/intel5300/sleeping_post_1597163585.dat", 1651],
    ["csikit/intel5300/walk_1590161182.dat", 152],
    ["csiread/sample_0x1_ap.dat", 540],
    ["csiread/sample_0x5_64_3000.dat", 2998],
  ])("%s: %i frames and no fault", (name, count) => {
    const { batches, faults } = decodeFile(name)
    expect(frames(batches)).toHaveLength(count)
    expect(faults).toEqual([])
  })
})
