/**
 * `wavepose inspect` as its user runs it: on made captures, and on recordings of every format.
 */
import { decode } from "fast-png"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { actionFrame, pcapFile, reportBody } from "../core/formats/beamforming-frames.ts"
import { readBreathSense } from "../../deploy/eval/recordings/breathsense.ts"
import { beamformingRecord } from "../core/formats/intel-records.ts"
import { npzFile } from "../core/formats/npz-files.ts"
import { runCommand } from "../harness/command.ts"
import { npyBytes, npzBytes } from "../harness/npz.ts"
import { complexArray, hasRecordings, recording, recordingFile } from "../harness/recordings.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-inspect-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const made = (name: string, bytes: Uint8Array): string => {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

const inspectJson = async (file: string) => {
  const { code, stderr, stdout } = await runCommand(["inspect", file, "--json"])
  expect([code, stderr]).toEqual([0, ""])
  // deno-lint-ignore no-explicit-any
  return JSON.parse(stdout) as any
}

const feedback = pcapFile(
  105,
  Array.from({ length: 5 }, () =>
    actionFrame(
      reportBody({ rows: 2, columns: 1, angles: Array.from({ length: 2 * 52 }, (_, i) => [3, i % 2 === 0 ? 6 : 4]) }),
    )),
)

/** The names of the columns of ESP32-CSI-Tool. */
const toolNames =
  "type,role,mac,rssi,rate,sig_mode,mcs,bandwidth,smoothing,not_sounding,aggregation,stbc,fec_coding,sgi,noise_floor,ampdu_cnt," +
  "channel,secondary_channel,local_timestamp,ant,sig_len,rx_state,real_time_set,real_timestamp,len,CSI_DATA"

describe("inspect, on made captures", () => {
  it("prints one JSON object for a neutral container", async () => {
    const json = await inspectJson(made("room.npz", npzFile({ frames: 300, tones: 56, rx: 2 })))
    expect(json).toMatchObject({
      format: "npz",
      hardware: null,
      frames: 300,
      faults: [],
      subcarriers: 56,
      antennas: { rx: 2, tx: 1 },
      links: 1,
      rate_hz: expect.closeTo(100),
      duration_s: expect.closeTo(2.99),
      loss: null,
      loss_reason: expect.any(String),
    })
  }, 60_000)

  it("prints one JSON object for beamforming feedback", async () => {
    const json = await inspectJson(made("feedback.pcap", feedback))
    expect(json).toMatchObject({ format: "beamforming-feedback", frames: 5, antennas: { rx: 2, tx: 1 } })
  }, 60_000)

  it("reads stdin, and reports the text by default", async () => {
    const stdin = npzFile({ frames: 20, tones: 30 })
    const { code, stdout } = await runCommand(["inspect", "-"], { stdin })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^frames +20$/m)
    expect(stdout).toContain("What this capture can support:")
  }, 60_000)

  it.each<[string, Uint8Array, RegExp]>([
    ["empty", new Uint8Array(0), /is empty/],
    ["noise", new TextEncoder().encode("nothing of a capture in here\n"), /not a capture of a known format/],
    ["columns.csv", new TextEncoder().encode(`${toolNames}\n`), /contains no record/],
    [
      "other-columns.csv",
      new TextEncoder().encode("type,role,mac,rssi,CSI_DATA\n"),
      /text with CSI_DATA, but without the fields/,
    ],
    [
      "cut.dat",
      beamformingRecord({ receive: 3, transmit: 2, value: () => [1, 2] }).subarray(0, 60),
      /not a capture of a known format|contains no record/,
    ],
  ])("%s: exit status 1 and one clear line", async (name, bytes, line) => {
    const { code, stderr, stdout } = await runCommand(["inspect", made(name, bytes), "--json"])
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr.trimEnd().split("\n")).toHaveLength(1)
    expect(stderr).toMatch(line)
    expect(stderr).toContain(name)
  }, 60_000)

  it("reports a missing file and a picture that cannot be drawn", async () => {
    const absent = await runCommand(["inspect", join(folder, "absent.dat")])
    expect(absent).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/absent\.dat" cannot be read/) })
    const twice = await runCommand(["inspect", "-", "--png", join(folder, "a.png")])
    expect(twice).toMatchObject({ code: 64, stderr: expect.stringMatching(/twice.*needs a file/) })
    const file = made("one.npz", npzFile({ frames: 20, tones: 30 }))
    const nowhere = await runCommand(["inspect", file, "--png", join(folder, "no", "such", "a.png")])
    expect(nowhere).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/--png cannot be written/) })
  }, 60_000)

  it("draws a picture", async () => {
    const png = join(folder, "room.png")
    const file = made("walk.npz", npzFile({ frames: 600, tones: 30, rx: 3 }))
    expect(await runCommand(["inspect", file, "--png", png])).toMatchObject({ code: 0, stderr: "" })
    const { channels, data, height, width } = decode(readFileSync(png))
    expect([width, height, channels]).toEqual([1370, 1380, 3])
    const colours = new Set<number>()
    for (let i = 0; i < data.length; i += 3) colours.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!)
    expect(colours.size).toBeGreaterThan(20)
  }, 60_000)
})

/** The known content of each recording: [format, frames, subcarriers, rx, tx, links]. */
const samples: ReadonlyArray<
  readonly [string, string, RegExp, number, number, number, number, number]
> = [
  ["csikit/intel5300/example.dat", "intel5300", /Intel 5300/, 26, 30, 3, 2, 1],
  ["csikit/nexmon/example_4366c0.pcap", "nexmon", /4366c0/, 293, 256, 1, 1, 1],
  ["csiread/ath_csi_1.dat", "atheros", /Atheros/, 401, 56, 3, 2, 1],
  ["csikit/feitcsi/HESU80_5500.csi", "feitcsi", /AX2[01]0/, 28, 996, 2, 1, 1],
  ["csiread/rx_by_qca9300.csi", "picoscenes", /PicoScenes/, 1000, 56, 3, 1, 1],
  ["csikit/esp32/example_data.csv", "esp32-csi-tool", /ESP32/, 60, 64, 1, 1, 1],
  ["ruview/rec_1772470567081-20260302_165607.csi.jsonl", "ruview", /ESP32/, 253, 56, 1, 1, 1],
]

describe.skipIf(!hasRecordings("csikit"))("inspect, on recordings of every format", () => {
  it.each(samples)("%s", async (name, format, hardware, frames, subcarriers, rx, tx, links) => {
    const json = await inspectJson(recordingFile(name))
    expect(json).toMatchObject({
      format,
      hardware: expect.stringMatching(hardware),
      frames,
      faults: [],
      subcarriers,
      antennas: { rx, tx },
      links,
    })
    expect(json.rate_hz * json.duration_s).toBeCloseTo(frames - 1, 5)
    expect(json.amplitude_mean).toBeGreaterThan(0)
  }, 60_000)

  it("has the mean amplitude of the reference output", async () => {
    const { values } = complexArray("csikit/golden/example.csi.npy")
    let sum = 0
    for (let v = 0; v < values.length; v += 2) sum += Math.hypot(values[v]!, values[v + 1]!)
    const { amplitude_mean } = await inspectJson(recordingFile("csikit/intel5300/example.dat"))
    expect(amplitude_mean).toBeCloseTo(sum / (values.length / 2), 9)
  }, 60_000)

  it("counts the complete records of a truncated capture, and reports the offset of the rest", async () => {
    const whole = recording("csikit/intel5300/example.dat")
    const json = await inspectJson(made("cut-example.dat", whole.subarray(0, whole.length - 100)))
    expect(json).toMatchObject({ frames: 25, faults: [{ offset: whole.length - 395, reason: "truncated" }] })
  }, 60_000)
})

describe.skipIf(!hasRecordings("pulse_esp32"))("inspect, on labelled recordings", () => {
  it.each<[string, boolean, number | null]>([
    ["vacio_01", false, null],
    ["resp_vacio", false, null],
    ["mov_01", true, null],
    ["resp_6rpm", true, 6],
  ])("%s: person present: %s, breathing: %s/min", async (name, present, breathing) => {
    const json = await inspectJson(recordingFile(`pulse_esp32/${name}.csv`))
    expect(json.presence).toMatchObject({ present, reason: null })
    expect(json.presence.confidence).toBeGreaterThan(0.5)
    if (breathing === null) {
      expect(json).toMatchObject({ breathing_rate_bpm: null, breathing_reason: expect.any(String) })
    } else expect(Math.abs(json.breathing_rate_bpm - breathing)).toBeLessThan(0.5)
  }, 60_000)
})

/** A BreathSense capture as a neutral container. */
const container = (name: string): Uint8Array => {
  const { layout, packets } = readBreathSense(recordingFile(`breathsense/${name}`))
  const tones = layout.subcarrierIndices.length
  const shape = [packets.length, layout.receiveAntennas, layout.transmitAntennas, tones]
  const scalar = { type: "<f8", shape: [1] }
  return npzBytes({
    csi: npyBytes(packets.flatMap(({ csi }) => [...csi]), { type: "<c8", shape }),
    timestamp_s: npyBytes(packets.map(({ timestampUs }) => timestampUs / 1e6), {
      type: "<f8",
      shape: [packets.length],
    }),
    subcarrier_index: npyBytes([...layout.subcarrierIndices], { type: "<i2", shape: [tones] }),
    center_frequency_hz: npyBytes([layout.centerFrequencyHz], scalar),
    bandwidth_hz: npyBytes([layout.bandwidthHz], scalar),
  })
}

describe.skipIf(!hasRecordings("breathsense"))("inspect, on a chest that a motor moves", () => {
  it.each([6, 12, 20])("%i/min", async (rate) => {
    const json = await inspectJson(made(`bpm-${rate}.npz`, container(`BPM${rate}`)))
    expect(json).toMatchObject({ frames: 600, antennas: { rx: 3, tx: 2 }, breathing_reason: null })
    expect(Math.abs(json.breathing_rate_bpm - rate)).toBeLessThan(0.3)
    expect(json).toMatchObject({ heartrate_bpm: null, heartrate_reason: expect.any(String) })
  }, 60_000)
})
