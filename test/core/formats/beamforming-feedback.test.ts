import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BeamformingReportReader } from "../../../core/formats/beamforming-report.ts"
import { detectFormat } from "../../../core/formats/detect-format.ts"
import { heFeedbackTones, vhtFeedbackTones } from "../../../core/formats/feedback-tones.ts"
import { decodeBytes, framesOf } from "../../harness/decode.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { actionFrame, type Matrix, pcapFile, radiotap, reportBody, type ReportFields } from "./beamforming-frames.ts"
import { joined } from "./damage.ts"

type Complex = readonly [re: number, im: number]

const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c]
const conjugate = ([a, b]: Complex): Complex => [a, -b]
const turned = (value: Complex, angle: number): Complex => times(value, [Math.cos(angle), Math.sin(angle)])

/** A matrix with orthonormal columns whose last row is real and not negative, by Gram and Schmidt. */
const randomSteering = (rows: number, columns: number, seed: number): Matrix => {
  const random = createRandom(seed, "steering")
  const all: Array<ReadonlyArray<Complex>> = []
  for (let c = 0; c < columns; c++) {
    let column: ReadonlyArray<Complex> = Array.from({ length: rows }, () => [random.normal(), random.normal()] as const)
    for (const other of all) {
      const dot = other.reduce<Complex>((sum, value, r) => {
        const [re, im] = times(conjugate(value), column[r]!)
        return [sum[0] + re, sum[1] + im]
      }, [0, 0])
      column = column.map(([re, im], r) => {
        const [along, across] = times(other[r]!, dot)
        return [re - along, im - across] as const
      })
    }
    const norm = Math.hypot(...column.flat())
    const [re, im] = column[rows - 1]!
    all.push(column.map((value) => turned([value[0] / norm, value[1] / norm], -Math.atan2(im, re))))
  }
  return Array.from({ length: rows }, (_, r) => all.map((column) => column[r]!))
}

/**
 * The angles of a matrix, as a station finds them (IEEE 802.11-2020, 19.3.12.3.6): column by column, first the phases of its
 * entries, then the rotations that make all but the first of them zero.
 */
const anglesOf = (matrix: Matrix): ReadonlyArray<readonly [angle: number, kind: "phi" | "psi"]> => {
  const rows = matrix.length
  const columns = matrix[0]!.length
  const v = matrix.map((row) => [...row])
  const angles: Array<readonly [number, "phi" | "psi"]> = []
  for (let i = 0; i < Math.min(columns, rows - 1); i++) {
    for (let r = i; r < rows - 1; r++) {
      const angle = Math.atan2(v[r]![i]![1], v[r]![i]![0])
      angles.push([(angle + 2 * Math.PI) % (2 * Math.PI), "phi"])
      v[r] = v[r]!.map((value) => turned(value, -angle))
    }
    for (let r = i + 1; r < rows; r++) {
      const angle = Math.atan2(v[r]![i]![0], v[i]![i]![0])
      angles.push([angle, "psi"])
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      const [upper, lower] = [v[i]!, v[r]!]
      v[i] = upper.map(([re, im], c) => [cos * re + sin * lower[c]![0], cos * im + sin * lower[c]![1]])
      v[r] = upper.map(([re, im], c) => [cos * lower[c]![0] - sin * re, cos * lower[c]![1] - sin * im])
    }
  }
  return angles
}

const quantised = (
  angles: ReadonlyArray<readonly [number, "phi" | "psi"]>,
  bits: { readonly phi: number; readonly psi: number },
): ReadonlyArray<readonly [number, number]> =>
  angles.map(([angle, kind]) => {
    const steps = 2 ** bits[kind]
    const step = Math.PI / (kind === "phi" ? steps / 2 : 2 * steps)
    const level = Math.floor(angle / step)
    return [kind === "phi" ? level % steps : Math.max(0, Math.min(steps - 1, level)), bits[kind]] as const
  })

const read = (body: Uint8Array) => {
  const report = new BeamformingReportReader().read(body, 0, body.length)
  if ("reason" in report) throw new Error(report.message)
  return report
}

const bitsOf = ({ codebook = 0, multiUser = false }: Partial<ReportFields>) =>
  multiUser ? { phi: 7 + 2 * codebook, psi: 5 + 2 * codebook } : { phi: 4 + 2 * codebook, psi: 2 + 2 * codebook }

const quantisations = [
  { codebook: 0, multiUser: false },
  { codebook: 1, multiUser: false },
  { codebook: 0, multiUser: true },
  { codebook: 1, multiUser: true },
]

describe("compressed beamforming report", () => {
  it("gives a known matrix back within the error of its quantisation, with orthonormal columns", () => {
    const sizes = fc.constantFrom([2, 1], [2, 2], [3, 1], [3, 2], [3, 3], [4, 1], [4, 2], [4, 4], [8, 3], [8, 8])
    fc.assert(
      fc.property(sizes, fc.constantFrom(...quantisations), fc.nat(1e6), ([rows, columns], quantisation, seed) => {
        const bits = bitsOf(quantisation)
        const tones = Array.from({ length: 16 }, (_, tone) => randomSteering(rows!, columns!, 16 * seed + tone))
        const angles = tones.flatMap((matrix) => quantised(anglesOf(matrix), bits))
        const body = reportBody({ rows: rows!, columns: columns!, grouping: 2, ...quantisation, angles })
        const { kind, matrices } = read(body)
        expect(kind).toMatchObject({ rows, columns, bits, bandwidthHz: 20e6, subcarrierSpacingHz: 312_500 })
        const at = (r: number, c: number, tone: number): Complex => {
          const place = 2 * ((r * columns! + c) * 16 + tone)
          return [matrices[place]!, matrices[place + 1]!]
        }
        // Each angle is off by at most half a step, and each moves a matrix by no more than it is off.
        const perPair = Math.PI / 2 ** bits.phi + Math.PI / 2 ** (bits.psi + 2)
        const bound = (angles.length / 2 / 16) * perPair
        tones.forEach((matrix, tone) => {
          let error = 0
          matrix.forEach((row, r) =>
            row.forEach(([re, im], c) => error += (at(r, c, tone)[0] - re) ** 2 + (at(r, c, tone)[1] - im) ** 2)
          )
          expect(Math.sqrt(error)).toBeLessThan(bound * Math.SQRT2)
          for (let a = 0; a < columns!; a++) {
            for (let b = 0; b < columns!; b++) {
              let dot: Complex = [0, 0]
              for (let r = 0; r < rows!; r++) {
                const [re, im] = times(conjugate(at(r, a, tone)), at(r, b, tone))
                dot = [dot[0] + re, dot[1] + im]
              }
              expect(Math.hypot(dot[0] - (a === b ? 1 : 0), dot[1])).toBeLessThan(1e-6)
            }
          }
        })
      }),
      { numRuns: 60, seed: 11 },
    )
  })

  it("is the matrix that the standard's formula gives for two antennas", () => {
    const { matrices, snrDb } = read(
      reportBody({
        rows: 2,
        columns: 2,
        grouping: 2,
        angles: Array.from({ length: 32 }, (_, i) => i % 2 === 0 ? [5, 4] : [3, 2]),
      }),
    )
    const phi = Math.PI * 11 / 16
    const psi = Math.PI * 7 / 16
    const wanted = [
      [Math.cos(phi) * Math.cos(psi), Math.sin(phi) * Math.cos(psi)],
      [-Math.cos(phi) * Math.sin(psi), -Math.sin(phi) * Math.sin(psi)],
      [Math.sin(psi), 0],
      [Math.cos(psi), 0],
    ]
    wanted.forEach((value, v) => value.forEach((part, i) => expect(matrices[32 * v + i]).toBeCloseTo(part, 6)))
    expect(snrDb).toEqual([22.25, 22.5])
  })

  it.each(
    [
      ["without its end", { rows: 2, columns: 1 }, 20, "truncated"],
      ["within its control field", { rows: 2, columns: 1 }, 4, "truncated"],
      ["of one antenna", { rows: 1, columns: 1 }, 200, "bad-field"],
      ["of more streams than antennas", { rows: 2, columns: 3 }, 200, "bad-field"],
      ["of a reserved grouping", { rows: 2, columns: 1, grouping: 3 }, 200, "bad-field"],
      ["in segments", { rows: 2, columns: 1, segments: 2 }, 200, "unsupported-layout"],
      ["of a later segment", { rows: 2, columns: 1, isFirst: false }, 200, "unsupported-layout"],
      ["of units that there are not", { he: true, rows: 2, columns: 1, units: [0, 9] }, 200, "unsupported-layout"],
      ["of units in reverse", { he: true, rows: 2, columns: 1, units: [5, 4] }, 200, "unsupported-layout"],
    ] as const,
  )("says what is wrong with one %s", (_, fields, bytes, reason) => {
    const body = reportBody({ ...fields, angles: Array.from({ length: 250 }, () => [1, 8] as const) })
    expect(new BeamformingReportReader().read(body.subarray(0, bytes), 0, bytes)).toMatchObject({ reason })
  })
})

describe("tones of a report", () => {
  it.each([
    [20, [52, 30, 16]],
    [40, [108, 58, 30]],
    [80, [234, 122, 62]],
    [160, [468, 244, 124]],
  ])("VHT, %i MHz: %o, as the standard counts them", (megahertz, counts) => {
    expect([1, 2, 4].map((grouping) => vhtFeedbackTones(megahertz, grouping)!.length)).toEqual(counts)
  })

  it("VHT: every Ng-th one from both ends", () => {
    const upper = [1, 4, 8, 12, 16, 20, 24, 28]
    expect([...vhtFeedbackTones(20, 4)!]).toEqual([...upper.map((k) => -k).toReversed(), ...upper])
    const tones = [...vhtFeedbackTones(160, 2)!]
    expect([tones[0], tones[60], tones[61], tones[121], tones[122]]).toEqual([-250, -130, -126, -6, 6])
  })

  it.each([
    [20, 8, 64, 20],
    [40, 17, 122, 32],
    [80, 36, 250, 64],
    [160, 73, 500, 128],
  ])("HE, %i MHz and units 0 to %i: %i or %i", (megahertz, lastUnit, fine, coarse) => {
    expect(heFeedbackTones(megahertz, 4, 0, lastUnit)).toHaveLength(fine)
    expect(heFeedbackTones(megahertz, 16, 0, lastUnit)).toHaveLength(coarse)
  })

  it.each([
    [20, 4, 0, 0, -122, -96],
    [20, 4, 4, 4, -16, 16],
    [40, 4, 8, 8, -32, -4],
    [80, 4, 1, 1, -476, -448],
    [80, 16, 1, 1, -484, -436],
    [80, 16, 18, 18, -20, 20],
    [80, 16, 10, 20, -244, 84],
    [160, 4, 37, 37, 12, 40],
  ])("HE, %i MHz, Ng %i, units %i to %i: tones %i to %i", (megahertz, grouping, first, last, from, to) => {
    const tones = heFeedbackTones(megahertz, grouping, first, last)!
    expect([tones[0], tones.at(-1)]).toEqual([from, to])
  })
})

const angles = (count: number): ReportFields["angles"] => Array.from({ length: count }, (_, i) => [i % 16, 4] as const)

describe("captured beamforming feedback", () => {
  const body = reportBody({ rows: 3, columns: 1, grouping: 2, angles: angles(100) })

  it("becomes frames of V by the station that measured, without a radiotap header", () => {
    const beacon = new Uint8Array(60).fill(0x80)
    const capture = pcapFile(105, [beacon, actionFrame(body, 7), actionFrame(body, 8), actionFrame(body, 7, 0x80)])
    const { batches, faults, format, hardware } = decodeBytes(capture)
    expect(faults).toEqual([])
    expect([format, hardware]).toEqual(["beamforming-feedback", "IEEE 802.11ac/ax beamforming feedback"])
    expect(batches).toMatchObject([{
      frameCount: 3,
      transmitterIds: ["02:00:00:00:00:07", "02:00:00:00:00:08"],
      layout: { format: "beamforming-feedback", receiveAntennas: 3, transmitAntennas: 1, centerFrequencyHz: 0 },
    }])
    expect([...batches[0]!.timestampsUs]).toEqual([0, 10_000, 20_000])
    for (const { csi } of framesOf(batches)) {
      expect(csi.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(16, 4)
    }
  })

  it("takes strength and channel from the radiotap header, and the checksum off", () => {
    const checksum = Uint8Array.of(1, 2, 3, 4)
    const packets = [0x10, 0].map((flags) =>
      joined(radiotap(flags), actionFrame(body), flags === 0 ? new Uint8Array(0) : checksum)
    )
    const { batches, faults } = decodeBytes(pcapFile(127, packets))
    expect(faults).toEqual([])
    expect(batches).toMatchObject([{ frameCount: 2, layout: { centerFrequencyHz: 5.18e9, bandwidthHz: 20e6 } }])
    expect([...batches[0]!.rssiDbm, ...batches[0]!.noiseFloorDbm]).toEqual([-50, -50, -92, -92])
    const [first, second] = framesOf(batches)
    expect(first!.csi).toEqual(second!.csi)
  })

  it.each([
    // 40 MHz: 38, 46, 151, 159 and 3 at 6 GHz.
    [5180, 40, 5190],
    [5240, 40, 5230],
    [5745, 40, 5755],
    [5785, 40, 5795],
    [5975, 40, 5965],
    // 80 MHz: 42, 58, 106, 138, 155 and 7 at 6 GHz; 160 MHz: 50, 114, 163.
    [5200, 80, 5210],
    [5320, 80, 5290],
    [5500, 80, 5530],
    [5720, 80, 5690],
    [5805, 80, 5775],
    [5955, 80, 5985],
    [5300, 160, 5250],
    [5640, 160, 5570],
    [5885, 160, 5815],
    // Channel 132 is in no channel of 160 MHz, and 2437 MHz may be either half of 40 MHz.
    [5660, 160, 0],
    [2437, 40, 0],
    [2437, 20, 2437],
    [5190, 40, 0],
  ])("finds around the primary channel %i MHz the %i MHz centred at %i MHz", (channelMHz, megahertz, centerMHz) => {
    const report = reportBody({
      rows: 2,
      columns: 1,
      grouping: 2,
      megahertz: megahertz as 40,
      angles: angles(600),
    })
    const packets = [0, 1, 2].map((chains) => joined(radiotap(0, channelMHz, chains), actionFrame(report)))
    const { batches, faults } = decodeBytes(pcapFile(127, packets))
    expect(faults).toEqual([])
    expect(batches).toMatchObject([{
      frameCount: 3,
      layout: { centerFrequencyHz: centerMHz * 1e6, bandwidthHz: megahertz * 1e6 },
    }])
    expect([...batches[0]!.rssiDbm]).toEqual([-50, -50, -50])
  })

  it("names frames that are damaged or cut off", () => {
    const wide = reportBody({
      he: true,
      rows: 2,
      columns: 2,
      megahertz: 80,
      units: [0, 36],
      codebook: 1,
      angles: angles(625),
    })
    const packets = [
      joined(radiotap(), actionFrame(wide)),
      joined(radiotap(0x40), actionFrame(wide)),
      joined(radiotap(), actionFrame(wide)).subarray(0, 300),
    ]
    const { batches, faults } = decodeBytes(pcapFile(127, packets))
    expect(batches).toMatchObject([{
      frameCount: 1,
      layout: { subcarrierSpacingHz: 78_125, centerFrequencyHz: 5.21e9 },
    }])
    expect(batches[0]!.layout.subcarrierIndices).toHaveLength(250)
    expect(faults.map(({ reason }) => reason)).toEqual(["bad-value", "truncated"])
  })

  it("is distinguished from a capture of Ethernet by its interface", () => {
    expect(detectFormat(pcapFile(127, []))).toBe("beamforming-feedback")
    expect(detectFormat(pcapFile(1, [actionFrame(body)]))).toBeNull()
  })
})
