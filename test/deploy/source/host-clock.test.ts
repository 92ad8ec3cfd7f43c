import { describe, expect, it } from "vitest"
import { HostClock } from "../../../deploy/source/host-clock.ts"
import { createRandom } from "../../../sim/randomness/random.ts"

const startUs = 1.7e15

describe("host clock of a live device", () => {
  it("maps the first arrival to the host's time, and keeps the device's intervals", () => {
    const clock = new HostClock(0)
    expect(clock.hear(5000, startUs)).toBe(startUs - 5000)
    expect(clock.hear(15_000, startUs + 10_000)).toBe(startUs - 5000)
  })

  it("follows the fastest arrivals: times are never ahead, and behind by at most the jitter, whichever clock is faster", () => {
    for (const drift of [-60e-6, 60e-6]) {
      const random = createRandom(3, "jitter")
      const clock = new HostClock(0)
      for (let i = 0; i < 36_000; i++) {
        const hostUs = startUs + 100_000 * i
        const deviceUs = 100_000 * i * (1 + drift)
        const arrivalUs = hostUs + 20_000 * random.uniform()
        const stampUs = deviceUs + clock.hear(deviceUs, arrivalUs)
        expect(stampUs).toBeLessThanOrEqual(arrivalUs)
        // One hour apart, the two clocks disagree by 216 ms.
        if (i > 100) expect(Math.abs(stampUs - hostUs)).toBeLessThan(22_000)
      }
    }
  })

  it("lets data that arrive faster than they were measured be ahead", () => {
    const clock = new HostClock(Infinity)
    const offsetUs = clock.hear(0, startUs)
    expect(clock.hear(1_000_000, startUs + 1000)).toBeGreaterThan(offsetUs - 1)
  })

  it("lets them be ahead no further than their maximum", () => {
    const clock = new HostClock(5_000_000)
    clock.hear(0, startUs)
    expect(4_000_000 + clock.hear(4_000_000, startUs + 1000)).toBeGreaterThan(startUs + 3_990_000)
    expect(700_000_000 + clock.hear(700_000_000, startUs + 2000)).toBe(startUs + 2000)
    expect(700_010_000 + clock.hear(700_010_000, startUs + 12_000)).toBe(startUs + 12_000)
  })

  it("is not moved by a single late arrival", () => {
    const clock = new HostClock(0)
    const offsetUs = clock.hear(0, startUs)
    expect(clock.hear(10_000, startUs + 30_000_000)).toBe(offsetUs)
    expect(clock.hear(30_010_000, startUs + 30_020_000)).toBeCloseTo(offsetUs, -2)
  })

  it("restarts when all arrivals stay late, because the device has restarted", () => {
    const clock = new HostClock(0)
    clock.hear(0, startUs)
    let stampUs = 0
    // Its clock goes on from where it was, twelve seconds behind.
    for (let i = 1; i <= 60; i++) {
      const arrivalUs = startUs + 12_000_000 + 100_000 * i
      stampUs = 100_000 * i + clock.hear(100_000 * i, arrivalUs)
      if (i < 50) expect(stampUs).toBeLessThan(arrivalUs - 1_000_000)
    }
    expect(stampUs).toBe(startUs + 12_000_000 + 6_000_000)
  })
})
