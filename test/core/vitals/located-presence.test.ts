/** Presence where persons can be located. */
import { describe, expect, it } from "vitest"
import { createLocatedPresence, type Located } from "../../../core/vitals/located-presence.ts"

const present = { present: true, confidence: 0.9, reason: null }
const absent = { present: false, confidence: 0.8, reason: null }
const nobody: Located = { able: true, confidences: [], breathHeard: false }
const somebody: Located = { ...nobody, confidences: [0.7, 0.95] }

describe("presence where persons can be located", () => {
  it("is sure of who is located, whatever the links say", () => {
    const watch = createLocatedPresence()
    expect(watch.step(1, absent, somebody)).toEqual({ present: true, confidence: 0.95, reason: null })
    expect(watch.step(2, present, { ...somebody, confidences: [0.5] })).toEqual({ ...present, confidence: 0.9 })
  })

  it("has no answer while something moves that is nobody, as a pet", () => {
    const watch = createLocatedPresence()
    for (let hop = 0; hop < 300; hop++) {
      expect(watch.step(hop, present, nobody)).toMatchObject({
        present: null,
        confidence: 0,
        reason: expect.stringContaining("pet"),
      })
    }
  })

  it("believes the links for 20 s after somebody was located, who may keep still", () => {
    const watch = createLocatedPresence()
    watch.step(0, present, somebody)
    for (let hop = 1; hop <= 200; hop++) expect(watch.step(hop, present, nobody)).toBe(present)
    expect(watch.step(201, present, nobody).present).toBeNull()
  })

  it("believes links that hear a breath, or that cannot locate anybody, and that nobody is there", () => {
    const watch = createLocatedPresence()
    expect(watch.step(0, present, { ...nobody, breathHeard: true })).toBe(present)
    expect(watch.step(1, present, { ...nobody, able: false })).toBe(present)
    expect(watch.step(2, absent, nobody)).toBe(absent)
  })
})
