import { describe, expect, it } from "vitest"
import { inspectionJson } from "../../../deploy/inspect/report-json.ts"
import { inspectionText } from "../../../deploy/inspect/report-text.ts"
import { capture, decoded, inspected } from "../../core/inspection/captures.ts"
import { Inspector } from "../../../core/inspection/inspector.ts"
import { layoutOf } from "../../core/signal/channel.ts"

const about = { file: "room.dat", format: "intel5300", hardware: "Intel 5300" }

/** The fields that `--json` promises, in their order. */
const promised = [
  "format",
  "hardware",
  "frames",
  "faults",
  "subcarriers",
  "antennas",
  "links",
  "duration_s",
  "rate_hz",
  "loss",
  "amplitude_mean",
  "presence",
  "motion",
  "breathing_rate_bpm",
  "breathing_reason",
  "heartrate_bpm",
  "heartrate_reason",
]

describe("an inspection as JSON", () => {
  it("has exactly the documented fields if every value is known", () => {
    const json = inspectionJson(about, inspected(capture({ seconds: 20, rateHz: 50 })))
    expect(Object.keys(json)).toEqual(promised)
    expect(json).toMatchObject({
      format: "intel5300",
      hardware: "Intel 5300",
      frames: 1000,
      faults: [],
      subcarriers: 56,
      antennas: { rx: 3, tx: 1 },
      links: 1,
      loss: 0,
      presence: { present: false, reason: null, share: 0, answered: expect.any(Number) },
      breathing_rate_bpm: null,
    })
    expect(json.breathing_reason).not.toBeNull()
  })

  it("gives a reason beside every null value", () => {
    const uncounted = capture({ seconds: 0.05, rateHz: 20 }).map((batch) => ({
      ...batch,
      sequences: new Uint32Array(batch.frameCount),
    }))
    const unreadable = uncounted.map((batch) => ({ ...batch, csi: new Float32Array(batch.csi.length).fill(NaN) }))
    const json = inspectionJson({ ...about, hardware: null }, inspected(unreadable)) as Record<string, unknown>
    const nameless: Readonly<Record<string, string>> = {
      hardware: "hardware_reason",
      amplitude_mean: "amplitude_mean_reason",
      breathing_rate_bpm: "breathing_reason",
      heartrate_bpm: "heartrate_reason",
      duration_s: "duration_reason",
      rate_hz: "rate_reason",
      loss: "loss_reason",
      motion: "motion_reason",
    }
    for (const [figure, reason] of Object.entries(nameless)) {
      expect(json[figure], figure).toBeNull()
      expect(json[reason], reason).toEqual(expect.stringMatching(/\w{5}/))
    }
    expect(json.presence).toMatchObject({ present: null, share: null, answered: 0, reason: expect.any(String) })
  })

  it("lists faults by their offset and reason", () => {
    const inspector = new Inspector("r")
    inspector.add(decoded(capture({ seconds: 1, rateHz: 20 }), [
      { offset: 12, reason: "truncated", message: "cut off" },
    ], 3))
    expect(inspectionJson(about, inspector.finish())).toMatchObject({
      faults: [{ offset: 12, reason: "truncated", message: "cut off" }],
      faults_omitted: 3,
    })
  })
})

describe("an inspection with a warning", () => {
  it("does not count what was decoded in an assumed order as a fault", () => {
    const inspector = new Inspector("r")
    const warning = { offset: 12, reason: "assumed-order", message: "0 to 31, -32 to -1 is assumed" } as const
    inspector.add(decoded(capture({ seconds: 1, rateHz: 20 }), [warning]))
    const inspection = inspector.finish()
    const text = inspectionText(about, inspection)
    expect(text).toMatch(/^faults +none$/m)
    expect(text).toMatch(/^warning +0 to 31, -32 to -1 is assumed$/m)
    expect(inspectionJson(about, inspection)).toMatchObject({
      faults: [],
      warnings: [{ reason: warning.reason, message: warning.message }],
    })
  })
})

describe("an inspection of frames that cannot be used", () => {
  it.each([0, NaN])("gives that as the reason where all values are %f", (value) => {
    const dead = capture({ seconds: 40, rateHz: 50 }).map((batch) => ({
      ...batch,
      csi: new Float32Array(batch.csi.length).fill(value),
    }))
    const inspection = inspected(dead)
    const why = "no frame can be evaluated: 2000 without a usable channel \\(empty or not finite\\)"
    const text = inspectionText(about, inspection)
    for (const label of ["presence", "breathing", "heart rate"]) {
      expect(text).toMatch(new RegExp(`^${label} +unknown: ${why}$`, "m"))
    }
    expect(text).toMatch(new RegExp(`^ {2}presence, motion +no +${why}$`, "m"))
    expect(text).toMatch(
      new RegExp(`^ {2}breathing, heart rate +no +40 s at 50\\.0 packets/s of one link: ${why}$`, "m"),
    )
    expect(inspectionJson(about, inspection)).toMatchObject({ unused_frames: 2000, presence: { present: null } })
  })

  it("warns of frames of another layout", () => {
    const other = capture({ seconds: 2, rateHz: 50, layout: layoutOf({ bandwidthHz: 40e6 }) })
    const text = inspectionText(about, inspected([...capture({ seconds: 10, rateHz: 50 }), ...other]))
    expect(text).toMatch(/^warning +100 of 600 frames cannot be used .*: 100 of another layout$/m)
  })
})

describe("an inspection as text", () => {
  it("lists values, unknown values and their reasons", () => {
    const text = inspectionText(about, inspected(capture({ seconds: 20, rateHz: 50, silence: [5, 6] })))
    expect(text).toMatch(/^file +room\.dat$/m)
    expect(text).toMatch(/^format +intel5300$/m)
    expect(text).toMatch(/^links +1: from ap \(950 frames\)$/m)
    expect(text).toMatch(/^antennas +3 receiving, 1 transmitting$/m)
    expect(text).toMatch(/^subcarriers +56, around 5500 MHz, 20 MHz wide$/m)
    expect(text).toMatch(/^duration +19\.98 s$/m)
    expect(text).toMatch(/^gaps +1 of more than 0\.25 s .* \d+ % of the time; the longest 1\.02 s$/m)
    expect(text).toMatch(/^loss +5\.00 %$/m)
    expect(text).toMatch(/^faults +none$/m)
    expect(text).toMatch(/^presence +no person is present/m)
    expect(text).toMatch(/^breathing +unknown: /m)
    expect(text).toMatch(/^ {2}location, count +no +needs 3 links \(here 1\)/m)
  })

  it("does not say that a device without a known counter does not count", () => {
    const uncounted = capture({ seconds: 1, rateHz: 20 }).map((batch) => ({
      ...batch,
      sequences: new Uint32Array(batch.frameCount),
    }))
    expect(inspectionText(about, inspected(uncounted)))
      .toMatch(/^loss +unknown: the capture has no counter that is known to count the sender's packets$/m)
  })

  it("shows the first ten faults and the other layouts", () => {
    const inspector = new Inspector("r")
    const faults = Array.from({ length: 25 }, (_, i) => ({
      offset: 100 * i,
      reason: "bad-field" as const,
      message: `fault ${i}`,
    }))
    inspector.add(decoded(capture({ seconds: 1, rateHz: 50 }), faults))
    inspector.add(decoded(capture({ seconds: 1, rateHz: 20, layout: layoutOf({ centerFrequencyHz: 0 }) })))
    const text = inspectionText({ ...about, hardware: null }, inspector.finish())
    expect(text).toContain("25 parts could not be decoded")
    expect(text.match(/at byte \d+ \(bad-field\)/g)).toHaveLength(10)
    expect(text).toContain("and 15 more")
    expect(text).toContain(
      "20 frames of another layout: 3 receiving, 1 transmitting, 56 subcarriers, centre frequency unknown",
    )
    expect(text).toMatch(/^hardware +unknown: the capture does not name it$/m)
  })
})
