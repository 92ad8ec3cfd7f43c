import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { makeUuids } from "../../../gateways/http/uuid.ts"

it("is a UUID of version 7 that contains its time", () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (nowMs) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(nowMs)
        const uuid = (yield* makeUuids)()
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(Number.parseInt(uuid.replace("-", "").slice(0, 12), 16)).toBe(nowMs)
      }).pipe(Effect.provide([SecureRandom.layerWebCrypto, TestClock.layer()]), Effect.runPromise)),
    { seed: 7 },
  ))
