/**
 * The registries: kept in the store; every change is published on the bus.
 */
import { Effect, Layer } from "effect"
import type { HomeContext } from "../../../protocols/domain/home.ts"
import type { RegistryName } from "../../../protocols/domain/home-registry.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { HomeRegistryStore, type RegistryChange } from "../../store/home/home-registry.ts"

export const layerHomeRegistries: Layer.Layer<HomeRegistries, never, HomeRegistryStore | HomeRuntime> = Layer.effect(
  HomeRegistries,
  Effect.gen(function* () {
    const store = yield* HomeRegistryStore
    const runtime = yield* HomeRuntime
    const publish = (name: RegistryName, context: HomeContext) => (changes: ReadonlyArray<RegistryChange>) =>
      Effect.forEach(changes, ({ action, id }) =>
        runtime.fire({
          eventType: `${name}_registry_updated`,
          data: { action, [`${name}_id`]: id },
          origin: "LOCAL",
          context,
        }), { discard: true, concurrency: 16 })
    return {
      list: store.list,
      put: (name, entries, context) => Effect.flatMap(store.put(name, entries), publish(name, context)),
      remove: (name, ids, context) => Effect.flatMap(store.remove(name, ids), publish(name, context)),
    }
  }),
)
