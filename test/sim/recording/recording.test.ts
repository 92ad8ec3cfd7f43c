import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import type { CaptureDecoder, DecodeResult } from "../../../core/formats/decoder.ts"
import { detectFormat } from "../../../core/formats/detect-format.ts"
import {
  encodeRecordedBatch,
  encodeRecordingHeader,
  headerBytesMax,
  type RecordingHeader,
  recordingMagic,
} from "../../../sim/recording/recording.ts"
import {
  looksLikeRecording,
  readRecordingHeader,
  RecordingDecoder,
  RecordingReader,
} from "../../../sim/recording/recording-decoder.ts"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

const header: RecordingHeader = {
  scenarioId: "flat",
  seed: 7,
  emptySeconds: 3,
  sites: [{
    environmentId: "kitchen",
    name: "Kitchen",
    geometry: { size: [4, 3, 2.5], nodes: [{ nodeId: "a", position: [0.1, 1, 1], arrayAxis: [0, 1, 0] }] },
    routers: ["a", "b"],
  }],
}
const headerBytes = Effect.runSync(encodeRecordingHeader(header))

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

const simulated = (routerId: string, sequence: number): CsiBatch => ({
  ...exampleBatch(routerId, sequence, { frameCount: 3, startUs: sequence * 100_000 }),
  source: "simulated",
})
const batches = [simulated("a", 1), simulated("b", 1), simulated("a", 2)]
const file = join([headerBytes, ...batches.map(encodeRecordedBatch)])

/** Decodes in pieces of these lengths, the last one again and again. */
const decode = (decoder: CaptureDecoder, bytes: Uint8Array, pieces: ReadonlyArray<number> = [bytes.length]) => {
  const results: Array<DecodeResult> = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + Math.max(1, pieces[Math.min(i, pieces.length - 1)]!)
    results.push(decoder.push(bytes.slice(at, end)))
    at = end
  }
  results.push(decoder.end())
  return { batches: results.flatMap((result) => result.batches), faults: results.flatMap((result) => result.faults) }
}

describe("a recording of a simulation", () => {
  it("is recognised by its first line, names its sites, and is not a device capture", () => {
    expect(new TextDecoder().decode(file.subarray(0, recordingMagic.length))).toBe("wavepose-recording 1\n")
    expect(looksLikeRecording(file)).toBe(true)
    expect(readRecordingHeader(file)).toEqual(header)
    expect(detectFormat(file)).toBeNull()
    expect(looksLikeRecording(file.subarray(1))).toBe(false)
    expect(readRecordingHeader(file.subarray(0, headerBytes.length - 1))).toBeNull()
  })

  it("returns every batch, cut anywhere", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 5 }), (pieces) => {
        const reader = new RecordingReader()
        const decoded = decode(reader, file, pieces)
        expect(decoded.faults).toEqual([])
        expect(decoded.batches).toEqual(batches)
        expect(reader.hardware).toBe("simulation of scenario flat, seed 7")
      }),
      { numRuns: 20 },
    ))

  it("is one receiver with a link for each pair of nodes in an inspection, and stays simulated", () => {
    const decoded = decode(new RecordingDecoder({ routerId: "capture", source: "replay" }), file)
    expect(new Set(decoded.batches.map(({ routerId, source }) => `${routerId} ${source}`))).toEqual(
      new Set(["capture simulated"]),
    )
    const links = batches.flatMap(({ routerId, transmitterIds }) => transmitterIds.map((id) => `${id}>${routerId}`))
    expect(new Set(decoded.batches.flatMap(({ transmitterIds }) => transmitterIds))).toEqual(new Set(links))
    expect(new Set(decoded.batches.flatMap(({ sequences }) => [...sequences]))).toEqual(new Set([0]))
  })

  it("has the frames of all routers in the order of time in an inspection, each with its own samples", () => {
    // Pieces of 250 ms, router by router, as a recorder that is late writes them.
    const piece = (routerId: string, k: number): CsiBatch => ({
      ...exampleBatch(routerId, k, { frameCount: 25, startUs: k * 250_000 }),
      source: "live",
    })
    const pieces = Array.from({ length: 12 }, (_, k) => ["a", "b", "c"].map((routerId) => piece(routerId, k))).flat()
    const bytes = join([headerBytes, ...pieces.map(encodeRecordedBatch)])
    const merged = decode(new RecordingDecoder({ routerId: "capture", source: "replay" }), bytes, [4000]).batches
    const times = merged.flatMap(({ timestampsUs }) => [...timestampsUs])
    expect(times).toEqual(pieces.flatMap(({ timestampsUs }) => [...timestampsUs]).sort((a, b) => a - b))
    const sumOf = (csi: ArrayLike<number>) => Array.from(csi).reduce((sum, value) => sum + Math.abs(value), 0)
    const total = (all: ReadonlyArray<CsiBatch>) => all.reduce((sum, { csi }) => sum + sumOf(csi), 0)
    expect(total(merged)).toBeCloseTo(total(pieces), 1)
    const reducer = new Reducer("capture")
    for (const batch of merged) reducer.push(batch)
    expect(reducer.counters.late).toBe(0)
  })

  it("reports truncated and broken data, and continues where possible", () => {
    const cut = decode(new RecordingReader(), file.subarray(0, file.length - 5))
    expect(cut.batches).toHaveLength(2)
    expect(cut.faults).toMatchObject([{ reason: "truncated" }])

    const second = encodeRecordedBatch(batches[1]!)
    const noise = Uint8Array.of(3, 0xff, 0xff, 0xff)
    const between = decode(
      new RecordingReader(),
      join([headerBytes, encodeRecordedBatch(batches[0]!), noise, second]),
    )
    expect(between.batches.map(({ routerId }) => routerId)).toEqual(["a", "b"])
    const offset = headerBytes.length + encodeRecordedBatch(batches[0]!).length
    expect(between.faults).toMatchObject([{ offset, reason: "bad-field" }])

    const lost = decode(
      new RecordingReader(),
      join([headerBytes, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff), second]),
    )
    expect(lost.batches).toEqual([])
    expect(lost.faults).toMatchObject([{ offset: headerBytes.length, reason: "bad-field" }])

    const headless = decode(new RecordingReader(), new TextEncoder().encode(`${recordingMagic}{"seed":1}\n`))
    expect(headless.faults).toMatchObject([{ offset: 0, reason: "bad-field" }])
    const endless = decode(
      new RecordingReader(),
      new TextEncoder().encode(recordingMagic + "x".repeat(headerBytesMax + 1)),
    )
    expect(endless.faults).toMatchObject([{ reason: "too-long" }])
  })

  it("never throws on foreign bytes", () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(400), (noise, at) => {
        const broken = file.slice()
        broken.set(noise.subarray(0, Math.max(0, broken.length - at)), at)
        const { batches, faults } = decode(new RecordingReader(), broken, [97])
        expect(batches.length + faults.length).toBeGreaterThan(0)
      }),
      { numRuns: 200 },
    ))

  it("rejects sites that do not fit into its header", () => {
    const nodes = Array.from({ length: 2000 }, (_, i) => ({
      nodeId: `node-${i}`,
      position: [1, 1, 1] as const,
      arrayAxis: [1, 0, 0] as const,
    }))
    const wide = { ...header, sites: [{ ...header.sites[0]!, geometry: { size: [4, 3, 2] as const, nodes } }] }
    expect(Effect.runSync(Effect.flip(encodeRecordingHeader(wide))).message).toContain("fewer rooms")
  })
})
