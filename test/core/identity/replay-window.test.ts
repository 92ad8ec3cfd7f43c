import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Position, ReplayWindow, windowLength } from "../../../core/identity/replay-window.ts"

/** What may be taken, said with all that ever was: new, of the newest epoch, and not too far behind. */
const makeModel = () => {
  const taken = new Set<string>()
  let newest: Position = { epoch: -1, sequence: -1 }
  return ({ epoch, sequence }: Position): boolean => {
    if (epoch < newest.epoch) return false
    if (epoch === newest.epoch && sequence <= newest.sequence - windowLength) return false
    if (taken.has(`${epoch} ${sequence}`)) return false
    taken.add(`${epoch} ${sequence}`)
    newest = epoch > newest.epoch || sequence > newest.sequence ? { epoch, sequence } : newest
    return true
  }
}

describe("a replay window", () => {
  it("accepts every stamp once, in any order within its length", () => {
    const stamps = fc.array(
      fc.record({
        epoch: fc.integer({ min: 1, max: 3 }),
        sequence: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(0xffffffff, 0xfffffff0)),
      }),
      { maxLength: 200 },
    )
    fc.assert(fc.property(stamps, (given) => {
      const window = new ReplayWindow()
      const model = makeModel()
      for (const stamp of given) expect(window.take(stamp)).toBe(model(stamp))
    }))
  })

  it("rejects stamps from before its creation, and accepts all newer ones", () => {
    const window = new ReplayWindow()
    window.raise({ epoch: 4, sequence: 100 })
    expect(window.position).toEqual({ epoch: 4, sequence: 100 })
    expect([99, 100, 101].map((sequence) => window.take({ epoch: 4, sequence }))).toEqual([false, false, true])
    expect(window.take({ epoch: 3, sequence: 5000 })).toBe(false)
    expect(window.take({ epoch: 5, sequence: 0 })).toBe(true)
  })

  it("is not moved back, and not moved by its own stamps", () => {
    const window = new ReplayWindow()
    for (const sequence of [10, 12]) window.take({ epoch: 1, sequence })
    window.raise({ epoch: 1, sequence: 12 })
    window.raise({ epoch: 0, sequence: 900 })
    expect(window.take({ epoch: 1, sequence: 11 })).toBe(true)
    expect(window.position).toEqual({ epoch: 1, sequence: 12 })
  })
})
