/** The deletion of a history when its request ends early. */
import { Deferred, Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { environmentRoutes } from "../../../../gateways/pose/routes/environments.ts"
import type { Route } from "../../../../gateways/pose/server/route.ts"
import { removeEnvironment } from "../../../../protocols/pose-api/environments.ts"
import { Enrolments } from "../../../../protocols/ports/enrolments.ts"
import { enrolmentsDouble } from "../ports.ts"
import { makeWorld } from "../world.ts"

it("the deletion of a history ends with its request, as when the node stops", { timeout: 10_000 }, async () => {
  const removal = environmentRoutes.find(({ endpoint }) => endpoint === removeEnvironment) as Route<Enrolments>
  await Effect.runPromise(Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const enrolments = {
      ...enrolmentsDouble(makeWorld()),
      dropHistory: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
    }
    const request = { params: { environment_id: "garage" }, query: { history: "drop" } } as never
    const fiber = yield* Effect.forkChild(Effect.provideService(removal.handle(request), Enrolments, enrolments))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(fiber)
    expect((yield* Fiber.await(fiber))._tag).toBe("Failure")
  }))
})
