import { describe, expect, it } from "vitest"
import { createToneMap } from "../../core/signal/tone-map.ts"
import { decodeRecording, framesOf } from "../harness/decode.ts"
import { hasRecordings, recording } from "../harness/recordings.ts"

/** The lines of a recording that hold a record, with their numbers. */
const recordsOf = (
  name: string,
): ReadonlyArray<{ readonly fields: ReadonlyArray<string>; readonly values: ReadonlyArray<number> }> =>
  new TextDecoder().decode(recording(name)).split(/\r?\n/).flatMap((line) => {
    const found = /^([^[]*),"?\[([^\]]*)\]/.exec(line)
    if (found === null) return []
    const values = found[2]!.split(/[ ,]+/).filter((text) => text !== "").map(Number)
    return [{ fields: found[1]!.split(","), values }]
  })

describe.skipIf(!hasRecordings("pulse_esp32"))("ESP32 csv", () => {
  it.each([
    ["csikit/esp32/example_100hz_pitraffic.csv", 833],
    ["csikit/esp32/example_data.csv", 60],
    ["csikit/esp32/example_fast2_100hz_pitraffic.csv", 1599],
    ["csikit/esp32/example_fast_100hz_pitraffic.csv", 1089],
    ["csiread/example_csi.csv", 13],
    ["pulse_esp32/mov_01.csv", 6477],
    ["pulse_esp32/mov_02.csv", 6548],
    ["pulse_esp32/resp_6rpm.csv", 7222],
    ["pulse_esp32/resp_puerta_6rpm.csv", 6209],
    ["pulse_esp32/resp_vacio.csv", 5659],
    ["pulse_esp32/vacio_01.csv", 6662],
    ["pulse_esp32/vacio_02.csv", 6380],
    ["puz9/x_axis_empty.csv", 3504],
    ["puz9/x_axis_walking.csv", 2131],
    ["puz9/y_axis_empty.csv", 2579],
    ["puz9/y_axis_walking.csv", 2390],
    ["jasmin_har/log.console_test.position1.csv", 1031],
    ["jasmin_har/noPersonFanRunning.csv", 1299],
    ["jasmin_har/personDoingNormalActivity.csv", 1897],
  ])("%s: %i frames, every value of the legacy field as the line has it", (name, count) => {
    const { batches, faults, format, hardware } = decodeRecording(name)
    expect([format, hardware]).toEqual(["esp32-csi-tool", "ESP32"])
    expect(faults.map((fault) => fault.reason)).toEqual(name.includes("example_100hz") ? ["value-count"] : [])
    const frames = framesOf(batches)
    const records = recordsOf(name).filter(({ values }) => values.length !== 127)
    expect([frames.length, records.length]).toEqual([count, count])
    frames.forEach(({ batch, csi, i }, n) => {
      const { fields, values } = records[n]!
      const order = fields[17] === "0" ? 32 : 0
      const wanted = Array.from({ length: 64 }, (_, k) => (k + order) % 64).flatMap((
        bin,
      ) => [values[2 * bin + 1], values[2 * bin]])
      if (csi.some((value, v) => value !== wanted[v])) expect(n).toBe("as the line has it")
      expect(batch.rssiDbm[i]).toBe(Number(fields[3]))
      expect(batch.transmitterIds[batch.transmitterIndex[i]!]).toBe(fields[2]!.toLowerCase())
    })
  })

  it.each([
    "csikit/esp32/example_data.csv",
    "csiread/example_csi.csv",
    "pulse_esp32/mov_01.csv",
    "jasmin_har/noPersonFanRunning.csv",
  ])(
    "%s has a channel in every tone that is used",
    (name) => {
      const frames = framesOf(decodeRecording(name).batches)
      const { layout, positions } = createToneMap(frames[0]!.batch.layout)
      expect(layout.subcarrierIndices).toHaveLength(51)
      const zeros = [...positions!].map((k) =>
        frames.filter(({ csi }) => csi[2 * k] === 0 && csi[2 * k + 1] === 0).length
      )
      // A guard or the centre, taken for a subcarrier, would be zero throughout.
      expect(Math.max(...zeros)).toBeLessThan(0.2 * frames.length)
    },
  )

  it("names the line with 127 values by its offset", () => {
    const { faults } = decodeRecording("csikit/esp32/example_100hz_pitraffic.csv")
    const text = new TextDecoder().decode(recording("csikit/esp32/example_100hz_pitraffic.csv"))
    const line = text.slice(faults[0]!.offset).split("\n", 1)[0]!
    expect(line.startsWith("CSI_DATA,")).toBe(true)
    expect(line.slice(line.indexOf("[") + 1, line.indexOf("]")).trim().split(" ")).toHaveLength(127)
  })
})
