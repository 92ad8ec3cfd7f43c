import { describe, expect, it } from "vitest"
import { EvidenceIntegrator } from "../../../core/vitals/evidence-integrator.ts"

const nothing = { possibleExcess: -Infinity, moves: false, stays: false, occupied: false, everyoneLeft: false }

const take = (integrator: EvidenceIntegrator, hops: number, excess: number, stays = false, occupied = false): void => {
  for (let hop = 0; hop < hops; hop++) integrator.take({ ...nothing, excess, stays, occupied })
}

describe("evidence of presence", () => {
  it("begins after 2 s at the threshold, and after half a second a decade above it", () => {
    const at = (excess: number) => {
      const integrator = new EvidenceIntegrator()
      for (let hops = 1; hops <= 100; hops++) {
        take(integrator, 1, excess)
        if (integrator.present) return hops
      }
      return null
    }
    expect([0, 1, 5, -0.1].map(at)).toEqual([20, 5, 5, null])
  })

  it("begins within two hops of a body after motion that could be one, and never by that motion alone", () => {
    const integrator = new EvidenceIntegrator()
    for (let hop = 0; hop < 500; hop++) {
      integrator.take({ ...nothing, excess: -1, possibleExcess: 2 })
    }
    expect(integrator.present).toBe(false)
    take(integrator, 2, 1)
    expect(integrator.present).toBe(true)
  })

  it("is held for as long as it was gathered, and doubted with its square", () => {
    const integrator = new EvidenceIntegrator()
    take(integrator, 100, 0)
    take(integrator, 99, -1)
    expect([integrator.present, integrator.sinceHops]).toEqual([true, 99])
    take(integrator, 1, -1)
    expect([integrator.present, integrator.doubtful]).toEqual([false, true])
    take(integrator, 299, -1)
    expect(integrator.doubtful).toBe(true)
    take(integrator, 1, -1)
    expect(integrator.doubtful).toBe(false)
  })

  it("is certain for 7 s without motion like a body's, and for as long as it is held beside weak motion", () => {
    const certainHops = (moves: boolean) => {
      const integrator = new EvidenceIntegrator()
      take(integrator, 60, 1)
      for (let hops = 0; hops < 1000; hops++) {
        if (!integrator.certain) return hops
        integrator.take({ ...nothing, excess: -1, moves })
      }
      return null
    }
    expect([certainHops(false), certainHops(true)]).toEqual([70, 200])
  })

  it("lasts while something indicates that the person stays, which does not begin it", () => {
    const integrator = new EvidenceIntegrator()
    take(integrator, 500, -1, true)
    expect(integrator.present).toBe(false)
    take(integrator, 30, 1)
    take(integrator, 5000, -1, true)
    expect([integrator.present, integrator.sinceHops]).toEqual([true, 0])
  })

  it("does not shorten a doubt by a later burst", () => {
    const integrator = new EvidenceIntegrator()
    take(integrator, 50, 5)
    take(integrator, 200, -1)
    take(integrator, 5, 5)
    take(integrator, 20, -1)
    expect(integrator.present).toBe(false)
    take(integrator, 1100, -1)
    expect(integrator.doubtful).toBe(true)
  })

  it("begins again with a quarter of the power while absence is doubtful, and only then", () => {
    const integrator = new EvidenceIntegrator()
    take(integrator, 50, -0.5)
    expect(integrator.present).toBe(false)
    take(integrator, 50, 5)
    take(integrator, 200, -1)
    expect([integrator.present, integrator.doubtful]).toEqual([false, true])
    take(integrator, 100, -0.7)
    expect(integrator.present).toBe(false)
    take(integrator, 19, -0.5)
    expect(integrator.present).toBe(false)
    take(integrator, 1, -0.5)
    expect(integrator.certain).toBe(true)
  })

  it("ends with an interruption, with the doubt of its evidence, and forgets evidence that was not enough", () => {
    const integrator = new EvidenceIntegrator()
    take(integrator, 100, 0)
    integrator.interrupt()
    expect([integrator.present, integrator.certain, integrator.doubtful]).toEqual([false, false, true])
    take(integrator, 299, -1)
    expect(integrator.doubtful).toBe(true)
    take(integrator, 1, -1)
    expect(integrator.doubtful).toBe(false)
    take(integrator, 19, 0)
    integrator.interrupt()
    expect(integrator.doubtful).toBe(false)
    take(integrator, 19, 0)
    expect(integrator.present).toBe(false)
    take(integrator, 1, 0)
    expect(integrator.present).toBe(true)
  })

  it("ends with the motion, without doubt, after everybody has walked out", () => {
    const integrator = new EvidenceIntegrator()
    take(integrator, 100, 1)
    const left = { ...nothing, everyoneLeft: true }
    integrator.take({ ...left, excess: 0.5 })
    integrator.take({ ...left, excess: -1, stays: true })
    integrator.take({ ...left, excess: -1, possibleExcess: 0.5 })
    expect(integrator.certain).toBe(true)
    integrator.take({ ...left, excess: -1 })
    expect([integrator.present, integrator.doubtful]).toEqual([false, false])
    take(integrator, 5, 1)
    expect(integrator.present).toBe(true)
  })
})
