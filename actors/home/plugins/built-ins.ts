/**
 * Built-in plugins: they run in this process, with the ports that their own code needs.
 *
 * They have manifests and capabilities as all plugins, so the same rules hold for their entities, services and permissions.
 */
import { fileURLToPath } from "node:url"
import { Effect, Exit, Scope } from "effect"
import type { HomeContext } from "../../../protocols/domain/home.ts"
import { SetupFailed } from "../../../protocols/domain/plugin.ts"
import type { Capabilities } from "./plugin-capabilities.ts"
import type { CapabilityFailure } from "./owned-entities.ts"
import type { LaunchedPlugin } from "./launched-plugin.ts"

/** What a built-in plugin receives. */
export interface BuiltInHome {
  readonly capabilities: Capabilities
  /** The contexts of the calls that the plugin handles: its writes may have them. */
  readonly serving: Map<string, HomeContext>
  /** Sets the function that updates the states of entities. */
  readonly onUpdate: (update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void>) => void
}

/** The failures of a built-in plugin's setup: those of its capabilities, or a reason of its own. */
export type BuiltInFailure = SetupFailed | CapabilityFailure

/** A built-in plugin's setup. It has succeeded when it returns; what it opens ends with its scope. */
export type BuiltInSetup = (home: BuiltInHome) => Effect.Effect<void, BuiltInFailure, Scope.Scope>

/** Setups by domain, with their dependencies provided. */
export type BuiltIns = ReadonlyMap<string, BuiltInSetup>

/** The folder of their manifests. */
export const builtInFolder = fileURLToPath(new URL("./built-in", import.meta.url))

/** Runs a built-in plugin. */
export const launchBuiltIn = Effect.fnUntraced(function* (
  setup: BuiltInSetup,
  capabilities: Capabilities,
  serving: Map<string, HomeContext>,
): Effect.fn.Return<LaunchedPlugin, never, Scope.Scope> {
  const { domain } = capabilities
  const scope = yield* Scope.fork(yield* Effect.scope)
  let update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void> = () => Effect.void
  const asSetupFailed = (error: BuiltInFailure) =>
    error instanceof SetupFailed ? error : new SetupFailed({
      domain,
      // An unavailable actor or store may be back soon.
      reason: error._tag === "StoreUnavailable" || error._tag === "ActorUnavailable" ? "retry" : "failed",
      message: `${domain}: its setup failed: ${error.message}`,
    })
  return {
    setup: setup({
      capabilities,
      serving,
      onUpdate: (given) => void (update = given),
    }).pipe(
      Effect.mapError(asSetupFailed),
      Effect.provideService(Scope.Scope, scope),
    ),
    unload: Scope.close(scope, Exit.void),
    broken: Effect.never,
    update: (entityIds) => update(entityIds),
  }
})
