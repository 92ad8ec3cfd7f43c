/**
 * The plugins that come with the service, and how one runs: in this process, with the ports that its own code needs.
 *
 * They have manifests as all others, and go over a desk as all others, so that their entities, services and permissions are kept in the same way.
 */
import { fileURLToPath } from "node:url"
import { Deferred, Effect, Exit, Scope } from "effect"
import type { HomeContext } from "../../../protocols/domain/home.ts"
import { type RuntimeError, SetupFailed } from "../../../protocols/domain/plugin.ts"
import type { Desk, DeskFailure } from "./plugin-capabilities.ts"
import type { LaunchedPlugin } from "./launched-plugin.ts"

/** What a built-in plugin is given. */
export interface BuiltInHome {
  readonly desk: Desk
  /** The context of a call that the plugin serves: its writes under it are known as that call's. */
  readonly serving: Map<string, HomeContext>
  /** Ends the plugin, as one that broke while it ran. */
  readonly breakWith: (error: RuntimeError) => Effect.Effect<void>
  /** Says how to have entities say anew how they are. */
  readonly onUpdate: (update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void>) => void
}

/** What a built-in plugin's setup may fail with: its desk's failures, or a reason of its own. */
export type BuiltInFailure = SetupFailed | DeskFailure

/** A built-in plugin's setup: it has succeeded when it returns; what it has opened ends with its scope. */
export type BuiltInSetup = (home: BuiltInHome) => Effect.Effect<void, BuiltInFailure, Scope.Scope>

/** Setups by domain, with all that they need. */
export type BuiltIns = ReadonlyMap<string, BuiltInSetup>

/** The folder of their manifests. */
export const builtInFolder = fileURLToPath(new URL("./built-in", import.meta.url))

/** Runs a built-in plugin. */
export const launchBuiltIn = Effect.fnUntraced(function* (
  setup: BuiltInSetup,
  desk: Desk,
  serving: Map<string, HomeContext>,
): Effect.fn.Return<LaunchedPlugin, never, Scope.Scope> {
  const { domain } = desk
  const scope = yield* Scope.fork(yield* Effect.scope)
  const broken = yield* Deferred.make<never, RuntimeError>()
  let update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void> = () => Effect.void
  const asSetupFailed = (error: BuiltInFailure) =>
    error instanceof SetupFailed ? error : new SetupFailed({
      domain,
      // What cannot be reached now may be there soon.
      reason: error._tag === "StoreUnavailable" || error._tag === "ActorUnavailable" ? "retry" : "failed",
      message: `${domain}: its setup failed: ${error.message}`,
    })
  return {
    setup: setup({
      desk,
      serving,
      breakWith: (error) => Effect.asVoid(Deferred.fail(broken, error)),
      onUpdate: (given) => void (update = given),
    }).pipe(
      Effect.mapError(asSetupFailed),
      Effect.provideService(Scope.Scope, scope),
    ),
    unload: Scope.close(scope, Exit.void),
    broken: Deferred.await(broken),
    update: (entityIds) => update(entityIds),
  }
})
