/**
 * Handlers of information about the home API.
 */
import { Effect } from "effect"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { jsonAnswer, messageAnswer } from "../server/answer.ts"
import { haVersion, homeConfiguration, HomeSite } from "../server/configuration.ts"
import { route } from "../server/route.ts"

export const aboutRoutes = [
  route("GET", "/api/", () => Effect.succeed(messageAnswer(200, "API running."))),

  route("GET", "/api/config", () => Effect.map(homeConfiguration, (config) => jsonAnswer(JSON.stringify(config)))),

  route("GET", "/api/components", () =>
    Effect.gen(function* () {
      return jsonAnswer(JSON.stringify(yield* (yield* HomePlugins).components))
    })),

  route("GET", "/api/core/state", () =>
    Effect.succeed(jsonAnswer(JSON.stringify({
      state: "RUNNING",
      recorder_state: { migration_in_progress: false, migration_is_live: false },
    })))),

  route(
    "GET",
    "/api/remote_homeassistant/discovery",
    () =>
      Effect.map(HomeSite, ({ instanceId, locationName }) =>
        jsonAnswer(JSON.stringify({
          uuid: instanceId,
          location_name: locationName,
          ha_version: haVersion,
          installation_type: "wavepose",
        }))),
  ),
]
