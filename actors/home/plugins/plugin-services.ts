/**
 * The host's own service for the owner of the home: `homeassistant.reload_plugin`, and what there is to reload.
 */
import { Effect } from "effect"
import type { PluginError } from "../../../protocols/domain/plugin.ts"
import type { PluginHost } from "./plugin-host.ts"
import { defineService, failed, refused, type Service } from "../services/service.ts"

const field = { plugin: { required: true, selector: { text: {} }, description: "The domain of a plugin." } } as const

const inWords = (error: PluginError) =>
  error._tag === "NotFound" || error._tag === "AlreadyLoaded" ? refused(error.message) : failed(error.message)

/** The services by which plugins are managed. */
export const pluginServices = (host: PluginHost): ReadonlyArray<Service> => {
  const manage = (name: "load" | "unload" | "reload", text: string) =>
    defineService({
      domain: "homeassistant",
      name: `${name}_plugin`,
      text,
      fields: field,
      run: ({ data }) => Effect.as(Effect.mapError(host[name](data.plugin), inWords), null),
    })
  return [
    manage("load", "Loads a plugin."),
    manage("unload", "Unloads a plugin."),
    manage("reload", "Reads a plugin's files again and reloads it."),
    defineService({
      domain: "homeassistant",
      name: "plugins",
      text: "Lists the plugins and their states.",
      fields: {},
      response: "only",
      run: () => Effect.succeed({ plugins: host.views().map((view) => ({ ...view })) }),
    }),
  ]
}
