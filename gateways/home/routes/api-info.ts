/**
 * Handlers of information about the home API, and of templates, which it does not render.
 */
import { Effect } from "effect"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { jsonAnswer, messageAnswer } from "../server/answer.ts"
import { haVersion, homeConfiguration, HomeSite } from "../server/configuration.ts"
import { isObject, readJson } from "../server/json.ts"
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

  route("POST", "/api/template", ({ body }) =>
    Effect.map(body, (text) => {
      const data = readJson(text)
      if (data === undefined) return messageAnswer(400, "Invalid JSON specified.")
      if (!isObject(data)) return messageAnswer(400, "Template data should be a JSON object.")
      return messageAnswer(400, "Error rendering template: this server does not render templates. Read /api/states.")
    })),
]
