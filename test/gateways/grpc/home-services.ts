/** The home of one process with the services of the helpers, and one that answers. */
import { Effect, Layer } from "effect"
import { helperServices } from "../../../actors/home/services/helpers.ts"
import { makeServiceRegistry } from "../../../actors/home/services/registry.ts"
import { defineService, failed } from "../../../actors/home/services/service.ts"
import { makeStates } from "../../../actors/home/services/states.ts"
import { HomeServices } from "../../../protocols/ports/home-services.ts"
import { layerHome } from "../../harness/home.ts"

export const layerHomeWithServices = Layer.effect(
  HomeServices,
  Effect.gen(function* () {
    const registry = yield* makeServiceRegistry
    const own = [
      defineService({
        domain: "test",
        name: "answer",
        fields: {},
        response: "only",
        run: () => Effect.succeed({ answer: 42 }),
      }),
      defineService({ domain: "test", name: "fail", fields: {}, run: () => Effect.fail(failed("It is stuck")) }),
    ]
    yield* Effect.forEach([...(yield* helperServices(yield* makeStates)), ...own], registry.register, { discard: true })
    return { all: Effect.sync(registry.describe), call: registry.call }
  }),
).pipe(Layer.provideMerge(layerHome))
