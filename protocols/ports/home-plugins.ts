/**
 * The port through which edges list the plugins of the home-automation runtime.
 */
import { Context, type Effect } from "effect"
import type { JsonObject } from "../domain/home.ts"
import type { PluginStatus } from "../domain/plugin.ts"
import type { HomeUnavailable } from "./home-runtime.ts"

export class HomePlugins extends Context.Service<HomePlugins, {
  /** The manifests of all plugins, in the form of the API; each has `domain` and `name`. */
  readonly manifests: Effect.Effect<ReadonlyArray<JsonObject>, HomeUnavailable>
  /** The loaded components: domains, and `platform.domain` if a plugin has entities of a domain. */
  readonly components: Effect.Effect<ReadonlyArray<string>, HomeUnavailable>
  /** The state of each plugin, and why it does not run. */
  readonly states: Effect.Effect<
    ReadonlyArray<{ readonly domain: string; readonly status: PluginStatus; readonly reason: string | null }>,
    HomeUnavailable
  >
}>()("wavepose/protocols/HomePlugins") {}
