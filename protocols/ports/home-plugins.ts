/**
 * Plugins of the home-automation runtime: the port through which edges learn what is loaded.
 */
import { Context, type Effect } from "effect"
import type { JsonObject } from "../domain/home.ts"
import type { HomeUnavailable } from "./home-runtime.ts"

export class HomePlugins extends Context.Service<HomePlugins, {
  /** The manifests of all plugins that are there, as clients are shown them; each has `domain` and `name`. */
  readonly manifests: Effect.Effect<ReadonlyArray<JsonObject>, HomeUnavailable>
  /** What is set up: domains, and `platform.domain` where a plugin has entities of a domain. */
  readonly components: Effect.Effect<ReadonlyArray<string>, HomeUnavailable>
}>()("wavepose/protocols/HomePlugins") {}
