import * as fc from "fast-check"
import { expect, it } from "vitest"
import { uuid7 } from "../../../gateways/http/uuid.ts"

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

it("is a UUID of version 7 that tells its time", () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fraction, fraction, (nowMs, first, second) => {
      const draws = [first, second]
      const uuid = uuid7(nowMs, () => draws.pop()!)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Number.parseInt(uuid.replace("-", "").slice(0, 12), 16)).toBe(nowMs)
    }),
    { seed: 7 },
  ))
