import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { defaultDetection, DetectionSettings } from "../../../protocols/domain/configuration.ts"

describe("detection settings", () => {
  it("that were saved before tracks had limits have the default ones", () => {
    const { trackingMaxAgeFrames: _age, trackingMinHits: _hits, ...saved } = defaultDetection
    expect(Schema.decodeUnknownSync(DetectionSettings)(saved)).toEqual(defaultDetection)
  })

  it("keep the limits that were saved", () => {
    const chosen = { ...defaultDetection, trackingMaxAgeFrames: 10, trackingMinHits: 2 }
    const saved = Schema.encodeUnknownSync(DetectionSettings)(chosen)
    expect(Schema.decodeUnknownSync(DetectionSettings)(JSON.parse(JSON.stringify(saved)))).toEqual(chosen)
  })
})
