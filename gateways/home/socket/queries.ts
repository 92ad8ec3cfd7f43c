/**
 * Commands that read: states, registries, services, configuration and features.
 */
import { Effect, Schema } from "effect"
import { registryNames } from "../../../protocols/domain/home-registry.ts"
import { statesText } from "../../../protocols/home-api/home-json.ts"
import { entitiesForDisplay, registryJson } from "../../../protocols/home-api/home-registry-json.ts"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { HomeServices } from "../../../protocols/ports/home-services.ts"
import { homeConfiguration } from "../server/configuration.ts"
import { command, done, jsonReply, refusal } from "./command.ts"

const features = Schema.Record(Schema.String, Schema.Json)

const registryCommands = registryNames.map((name) =>
  command(`config/${name}_registry/list`, {}, () =>
    Effect.gen(function* () {
      const list = yield* (yield* HomeRegistries).list(name)
      const shown = registryJson[name] as (registered: (typeof list)[number]) => object
      return jsonReply(list.map(shown))
    }))
)

export const queryCommands = [
  command("ping", {}, () => Effect.succeed({ result: null })),

  command("supported_features", { features }, ({ client, message: { features } }) =>
    Effect.sync(() => {
      client.coalesce(Boolean(features["coalesce_messages"]))
      return done
    })),

  command("get_states", {}, () =>
    Effect.gen(function* () {
      const { replica } = yield* HomeRuntime
      return { result: statesText((yield* replica).all()) }
    })),

  command("get_config", {}, () => Effect.map(homeConfiguration, jsonReply)),

  command("get_services", {}, () => Effect.map(Effect.flatMap(HomeServices, ({ all }) => all), jsonReply)),

  command("get_panels", {}, () => Effect.succeed(jsonReply({}))),

  command(
    "auth/current_user",
    {},
    ({ client: { user: { id, name } } }) =>
      Effect.succeed(jsonReply({ id, name, is_owner: true, is_admin: true, credentials: [], mfa_modules: [] })),
  ),

  command(
    "manifest/list",
    { integrations: Schema.optionalKey(Schema.Array(Schema.String)) },
    ({ message: { integrations } }) =>
      Effect.gen(function* () {
        const manifests = yield* (yield* HomePlugins).manifests
        return jsonReply(
          integrations === undefined
            ? manifests
            : manifests.filter(({ domain }) => integrations.includes(String(domain))),
        )
      }),
  ),

  command("manifest/get", { integration: Schema.String }, ({ message: { integration } }) =>
    Effect.gen(function* () {
      const manifests = yield* (yield* HomePlugins).manifests
      const found = manifests.find(({ domain }) => domain === integration)
      return found === undefined ? yield* Effect.fail(refusal("not_found", "Integration not found")) : jsonReply(found)
    })),

  ...registryCommands,

  command("config/entity_registry/list_for_display", {}, () =>
    Effect.gen(function* () {
      return jsonReply(entitiesForDisplay(yield* (yield* HomeRegistries).list("entity")))
    })),
]
