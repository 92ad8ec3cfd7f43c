/**
 * A launched plugin: the port between `plugin-supervisor.ts` and what runs the plugin (`plugin-process.ts`, `built-ins.ts`).
 */
import type { Effect } from "effect"
import type { Manifest, RuntimeError, SetupFailed, UnloadFailed } from "../../../protocols/domain/plugin.ts"

/** A plugin in a folder. */
export interface FoundPlugin {
  readonly manifest: Manifest
  /** Absolute. */
  readonly folder: string
  readonly builtIn: boolean
}

/** A running plugin, until its scope closes. */
export interface LaunchedPlugin {
  readonly setup: Effect.Effect<void, SetupFailed>
  readonly unload: Effect.Effect<void, UnloadFailed>
  /** Fails if it breaks while it runs; never succeeds. */
  readonly broken: Effect.Effect<never, RuntimeError>
  /** Asks it to update the states of entities. */
  readonly update: (entityIds: ReadonlyArray<string>) => Effect.Effect<void>
}
