import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { families } from "./foreign-bytes.ts"

describe("foreign bytes", () => {
  it.each(families)("for $name give whole frames and faults, the same however they arrive", ({ check, inputs }) => {
    let frames = 0
    let faults = 0
    fc.assert(
      fc.property(inputs, fc.nat(5000), (bytes, cut) => {
        const outcome = check(bytes, cut)
        frames += outcome.frames
        faults += outcome.faults
      }),
      { numRuns: 10_000, seed: 5300 },
    )
    // Inputs that are all right, or all wrong, would test little.
    expect(frames).toBeGreaterThan(1000)
    expect(faults).toBeGreaterThan(1000)
  }, 120_000)
})
