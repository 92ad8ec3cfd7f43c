/** A database that does not answer, and its log: one line at the begin, one at the end, and those of statements that it refused. */
import { Effect, Fiber, Logger } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { orStoreUnavailable } from "../../../../actors/store/database/database.ts"

const away = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("connect ECONNREFUSED") }),
})
const refused = new SqlError.SqlError({ reason: new SqlError.SqlSyntaxError({ cause: new Error("no such table") }) })

const fail = (error: SqlError.SqlError) => Effect.ignore(orStoreUnavailable(Effect.fail(error)))
const succeed = Effect.ignore(orStoreUnavailable(Effect.void))

const linesOf = async (program: Effect.Effect<void>): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${(message as ReadonlyArray<unknown>)[0]}`)
  })
  await Effect.runPromise(program.pipe(Effect.provide([Logger.layer([logger]), TestClock.layer()])))
  return lines
}

it("has the begin, a reminder and the end of an outage, not each statement", async () => {
  const lines = await linesOf(Effect.gen(function* () {
    for (let second = 0; second < 40; second++) {
      for (let i = 0; i < 50; i++) yield* fail(away)
      yield* TestClock.adjust("1 second")
    }
    yield* succeed
    yield* succeed
  }))
  expect(lines).toEqual([
    "Error the database cannot be reached: connect ECONNREFUSED",
    "Error the database cannot be reached for 30.0 s, failures=1501: connect ECONNREFUSED",
    "Info the database answers again after 40.0 s, failures=2000",
  ])
})

it("has every statement that the database refused", async () => {
  const lines = await linesOf(Effect.andThen(fail(refused), fail(refused)))
  expect(lines).toEqual(Array.from({ length: 2 }, () => "Error the database refused a statement"))
})

it("is an outage if an operation has no answer after 30 s, which then fails", async () => {
  const lines = await linesOf(Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(Effect.flip(orStoreUnavailable(Effect.never)))
    yield* TestClock.adjust("29 seconds")
    expect(waiting.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "StoreUnavailable" })
    yield* TestClock.adjust("1 minute")
    yield* succeed
  }))
  expect(lines).toEqual([
    "Error the database cannot be reached: no answer within 30 s",
    "Info the database answers again after 60.0 s, failures=1",
  ])
})
