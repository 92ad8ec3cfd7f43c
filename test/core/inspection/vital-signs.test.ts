import { describe, expect, it } from "vitest"
import { VitalSigns } from "../../../core/inspection/vital-signs.ts"
import type { LinkObservation, Observation } from "../../../core/observation/observation.ts"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { whileMoving, whyNoWindow } from "../../../core/vitals/breathing.ts"
import { capture } from "./captures.ts"

/** An observation as the reducer makes it, for tests to change. */
const [sample] = capture({ seconds: 1, rateHz: 50 }).flatMap((batch) => new Reducer("r").push(batch)) as [Observation]

const saying = (transmitterId: string, rateBpm: number | null, packets = 10): LinkObservation => ({
  ...sample.links[0]!,
  transmitterId,
  packets,
  vitals: {
    breathingRateBpm: rateBpm,
    breathingConfidence: rateBpm === null ? 0 : 0.8,
    breathingReason: rateBpm === null ? `${transmitterId} hears nobody` : null,
    heartRateBpm: null,
    heartReason: "too weak",
  },
})

const summaryOf = (seconds: number, linksAt: (hop: number) => ReadonlyArray<LinkObservation>) => {
  const signs = new VitalSigns()
  for (let hop = 0; hop < 10 * seconds; hop++) signs.add({ ...sample, hop, links: linksAt(hop) })
  return signs.read()
}

describe("vital signs of a whole capture", () => {
  it("are those of the link that has a rate, even if another has more packets", () => {
    const { breathing } = summaryOf(20, () => [saying("a", null, 100), saying("b", 12)])
    expect(breathing).toEqual({ rateBpm: 12, reason: null })
  })

  it("give the reason of the busiest link when none has a rate", () => {
    const { breathing, heart } = summaryOf(20, () => [saying("a", null, 5), saying("b", null, 50)])
    expect(breathing).toEqual({ rateBpm: null, reason: "b hears nobody" })
    expect(heart).toEqual({ rateBpm: null, reason: "too weak" })
  })

  it("count once a second, so that a rate held for an instant is none", () => {
    const { breathing } = summaryOf(40, (hop) => [saying("a", hop < 30 ? 12 : null)])
    expect(breathing.rateBpm).toBeNull()
  })

  it("say which windows could be read, and why the others could not", () => {
    const because = (reason: string) => () => [{
      ...saying("a", null),
      vitals: { ...saying("a", null).vitals, breathingReason: reason },
    }]
    expect(summaryOf(20, because(whyNoWindow("sparse", 30))).breathingWindows).toEqual({
      readable: 0,
      reason: whyNoWindow("sparse", 30),
    })
    expect(summaryOf(20, because(whyNoWindow("not-filled", 30))).breathingWindows).toEqual({
      readable: 0,
      reason: null,
    })
    expect(summaryOf(20, () => [saying("a", null)]).breathingWindows).toEqual({ readable: 1, reason: null })
    // Windows with motion are not looked into, so nothing is known of them.
    expect(summaryOf(20, because(whileMoving)).breathingWindows).toEqual({ readable: 0, reason: whileMoving })
  })

  it("are of the whole capture, also where its links have more seconds than are kept", () => {
    const links = Array.from({ length: 30 }, (_, i) => String.fromCharCode(97 + i))
    // 30 links: the first 48 minutes fill the memory.
    const { breathing } = summaryOf(7200, (hop) => links.map((id) => saying(id, hop < 72_000 * 0.45 ? null : 12)))
    expect(breathing.rateBpm).toBe(12)
  })

  it("say why there is nothing to sum up", () => {
    expect(summaryOf(0, () => []).breathing).toMatchObject({ rateBpm: null, reason: expect.stringMatching(/30 s/) })
  })
})
