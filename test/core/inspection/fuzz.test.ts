/** Whatever a capture holds, an inspection of it ends, with finite figures, and can be drawn. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { Inspector } from "../../../core/inspection/inspector.ts"
import { createPicture } from "../../../core/inspection/picture/picture.ts"
import { PictureMaps } from "../../../core/inspection/picture-maps.ts"
import { supportOf } from "../../../core/inspection/capabilities.ts"
import { atherosCaptures } from "../formats/atheros-records.ts"
import { feedbackCaptures } from "../formats/beamforming-frames.ts"
import { csvLine } from "../formats/esp32-lines.ts"
import { feitCsiRecords } from "../formats/feitcsi-records.ts"
import { intelRecords } from "../formats/intel-records.ts"
import { matFiles } from "../formats/mat-files.ts"
import { nexmonCaptures } from "../formats/nexmon-records.ts"
import { npzFiles } from "../formats/npz-files.ts"
import { picoScenesFrames } from "../formats/picoscenes-frames.ts"
import { joined } from "../formats/damage.ts"

const several = (records: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.array(records, { minLength: 1, maxLength: 6 }).map((all) => joined(...all))

const captures = {
  atheros: several(atherosCaptures),
  "beamforming feedback": feedbackCaptures,
  esp32: several(csvLine),
  feitcsi: several(feitCsiRecords),
  "Intel 5300": several(intelRecords),
  mat: matFiles,
  nexmon: nexmonCaptures,
  npz: npzFiles,
  picoscenes: several(picoScenesFrames),
}

/** Every number of a value, whatever its depth. */
const numbersOf = (value: unknown): ReadonlyArray<number> =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null && !ArrayBuffer.isView(value)
    ? Object.values(value).flatMap(numbersOf)
    : []

describe.each(Object.entries(captures))("inspecting any %s capture", (_, capture) => {
  it("gives finite figures or none, and a picture", () => {
    fc.assert(
      fc.property(capture, (bytes) => {
        const format = detectFormat(bytes)
        if (format === null) return
        const decoder = createCaptureDecoder(format, { routerId: "r", source: "replay" })
        const results = [decoder.push(bytes), decoder.end()]
        const inspector = new Inspector("r")
        for (const result of results) inspector.add(result)
        const inspection = inspector.finish()
        if (inspection.frames === 0) return
        expect(numbersOf(inspection).every(Number.isFinite)).toBe(true)
        expect(supportOf(inspection)).toHaveLength(6)
        const maps = new PictureMaps(inspection)
        for (const { batches } of results) batches.forEach((batch) => maps.add(batch))
        expect(createPicture("any", maps.finish()).pixels.length).toBeGreaterThan(0)
      }),
      { numRuns: 25 },
    )
  }, 120_000)
})
