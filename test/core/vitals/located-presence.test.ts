/** Presence and vital signs where persons can be located. */
import { describe, expect, it } from "vitest"
import { createLocatedPresence, type LinksReading, type Located } from "../../../core/vitals/located-presence.ts"

const present = { present: true, confidence: 0.9, reason: null }
const absent = { present: false, confidence: 0.8, reason: null }
const silent = {
  breathingRateBpm: null,
  breathingConfidence: 0,
  breathingReason: "no breath",
  heartRateBpm: null,
  heartReason: "no breath",
}
const breath = {
  breathingRateBpm: 5.3,
  breathingConfidence: 0.98,
  breathingReason: null,
  heartRateBpm: null,
  heartReason: "no heart",
}
const moving: LinksReading = { presence: present, machine: false, vitals: silent }
const quiet: LinksReading = { ...moving, presence: absent }
const unlocated: Located = { able: true, confidences: [], everyoneLeft: false }
const located: Located = { ...unlocated, confidences: [0.7, 0.95] }

describe("presence where persons can be located", () => {
  it("is true with a located person, whatever the links indicate", () => {
    const watch = createLocatedPresence()
    expect(watch.step(1, quiet, located).presence).toEqual({ present: true, confidence: 0.95, reason: null })
    expect(watch.step(2, moving, { ...unlocated, confidences: [0.5] }).presence).toEqual({
      ...present,
      confidence: 0.9,
    })
  })

  it("is unknown while something moves without a located person, such as a pet", () => {
    const watch = createLocatedPresence()
    for (let hop = 0; hop < 300; hop++) {
      expect(watch.step(hop, moving, unlocated).presence).toMatchObject({
        present: null,
        confidence: 0,
        reason: expect.stringContaining("pet"),
      })
    }
  })

  it("follows the links for 20 s after a person was located, because the person may keep still", () => {
    const watch = createLocatedPresence()
    watch.step(0, moving, located)
    for (let hop = 1; hop <= 200; hop++) expect(watch.step(hop, moving, unlocated).presence).toBe(present)
    expect(watch.step(201, moving, unlocated).presence.present).toBeNull()
  })

  it("is unknown while something moves after everybody has walked out, and then follows the links", () => {
    const watch = createLocatedPresence()
    watch.step(0, moving, located)
    const left = { ...unlocated, everyoneLeft: true }
    expect(watch.step(1, moving, left).presence.present).toBeNull()
    expect(watch.step(2, quiet, left).presence).toBe(absent)
  })

  it("follows the links with a breath, without the ability to locate, and on absence", () => {
    const watch = createLocatedPresence()
    expect(watch.step(0, { ...moving, vitals: breath }, unlocated)).toEqual({ presence: present, vitals: breath })
    expect(watch.step(1, moving, { ...unlocated, able: false }).presence).toBe(present)
    expect(watch.step(2, quiet, unlocated).presence).toBe(absent)
  })

  it("attributes a breath beside a machine to an oscillating fan, unless a person was located", () => {
    const watch = createLocatedPresence()
    const fan = { presence: present, machine: true, vitals: breath }
    expect(watch.step(0, fan, unlocated)).toMatchObject({
      presence: { present: null, reason: expect.stringContaining("machine") },
      vitals: {
        breathingRateBpm: null,
        breathingConfidence: 0,
        breathingReason: expect.stringContaining("fan"),
        heartRateBpm: null,
        heartReason: expect.stringContaining("fan"),
      },
    })
    expect(watch.step(1, { ...fan, vitals: silent }, unlocated).vitals).toBe(silent)
    const unable = watch.step(2, fan, { ...unlocated, able: false })
    expect(unable.presence).toBe(present)
    expect(unable.vitals).toMatchObject({ breathingRateBpm: null, breathingReason: expect.stringContaining("fan") })
    expect(watch.step(3, fan, located).vitals).toBe(breath)
    expect(watch.step(203, fan, unlocated).vitals).toBe(breath)
    expect(watch.step(204, fan, unlocated).vitals.breathingRateBpm).toBeNull()
  })
})
