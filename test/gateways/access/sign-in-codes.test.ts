import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { SignInCodes } from "../../../gateways/access/sign-in-codes.ts"

const run = <A>(work: Effect.Effect<A, never, SignInCodes>): Promise<A> =>
  Effect.runPromise(
    work.pipe(
      Effect.provide(SignInCodes.layer.pipe(Layer.provide(NodeCrypto.layerSecureRandom), Layer.orDie)),
      Effect.provide(TestClock.layer()),
    ) as Effect.Effect<A>,
  )

it("signs in once by a code", () =>
  run(Effect.gen(function* () {
    const codes = yield* SignInCodes
    const code = yield* codes.issue("admin")
    expect(code).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(yield* codes.redeem(code)).toBe("admin")
    expect(yield* codes.redeem(code)).toBeNull()
  })))

it("rejects unknown codes and codes that are too old", () =>
  run(Effect.gen(function* () {
    const codes = yield* SignInCodes
    expect(yield* codes.redeem("guessed")).toBeNull()
    const code = yield* codes.issue("admin")
    yield* TestClock.adjust("10 minutes")
    expect(yield* codes.redeem(code)).toBeNull()
  })))

it("keeps the newest codes only", () =>
  run(Effect.gen(function* () {
    const codes = yield* SignInCodes
    const issued: Array<string> = []
    for (let i = 0; i < 9; i++) issued.push(yield* codes.issue(`user ${i}`))
    expect(yield* codes.redeem(issued[0]!)).toBeNull()
    expect(yield* codes.redeem(issued[8]!)).toBe("user 8")
  })))
