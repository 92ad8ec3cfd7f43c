/**
 * The port through which edges list the plugins of the home-automation runtime.
 */
import { Context, type Effect } from "effect"
import type { JsonObject } from "../domain/home.ts"
import type { HomeUnavailable } from "./home-runtime.ts"

export class HomePlugins extends Context.Service<HomePlugins, {
  /** The manifests of all plugins, in the form of the API; each has `domain` and `name`. */
  readonly manifests: Effect.Effect<ReadonlyArray<JsonObject>, HomeUnavailable>
  /** The loaded components: domains, and `platform.domain` if a plugin has entities of a domain. */
  readonly components: Effect.Effect<ReadonlyArray<string>, HomeUnavailable>
}>()("wavepose/protocols/HomePlugins") {}
