/**
 * The configuration that the home API reports. Clients choose their commands by `haVersion`, so it is the version whose API is implemented.
 */
import { Context, Effect } from "effect"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"

export const haVersion = "2026.11.0"

interface SiteFields {
  readonly locationName: string
  /** Identifies the service as a whole: the same on all nodes and after a restart. */
  readonly instanceId: string
}

/** The site of this API. */
export class HomeSite extends Context.Service<HomeSite, SiteFields>()("wavepose/gateways/HomeSite") {}

const metric = {
  length: "km",
  accumulated_precipitation: "mm",
  area: "m²",
  mass: "g",
  pressure: "Pa",
  temperature: "°C",
  volume: "L",
  wind_speed: "m/s",
}

/** The configuration object of the home API. The location is private: latitude and longitude are 0. */
export const homeConfiguration = Effect.gen(function* () {
  const { locationName } = yield* HomeSite
  return {
    allowlist_external_dirs: [],
    allowlist_external_urls: [],
    components: yield* (yield* HomePlugins).components,
    config_dir: "/config",
    config_source: "default",
    country: null,
    currency: "EUR",
    debug: false,
    elevation: 0,
    external_url: null,
    internal_url: null,
    language: "en",
    latitude: 0,
    location_name: locationName,
    longitude: 0,
    radius: 100,
    recovery_mode: false,
    safe_mode: false,
    state: "RUNNING",
    time_zone: "UTC",
    unit_system: metric,
    version: haVersion,
    whitelist_external_dirs: [],
  }
})
