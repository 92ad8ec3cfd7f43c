/**
 * The composition of the home's services and plugins: the file of helpers, the folder of plugins, and the built-in plugins.
 */
import { Effect, Layer, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { mqttMirror } from "../../actors/home/plugins/built-in/mqtt_mirror/plugin.ts"
import { layerHomeHost } from "../../actors/home/host/home-host-entity.ts"
import { sensingPlugin } from "../../actors/home/plugins/built-in/wavepose/plugin.ts"
import { sensingDomain } from "../../actors/home/services/sensing.ts"
import { HelperFile } from "../../actors/home/services/helper-entities.ts"
import { layerMqttLink } from "../../gateways/mqtt/link.ts"
import { Configurations } from "../../protocols/ports/configuration.ts"
import { MqttLink } from "../../protocols/ports/mqtt-link.ts"
import { pluginFolder } from "../settings/home-settings.ts"
import { InvalidSettings, type Settings } from "../settings/settings.ts"
import { version } from "./version.ts"

/** The helpers of the owner's file; none without a file. */
const readHelpers = Effect.fnUntraced(function* (
  file: string | null,
): Effect.fn.Return<HelperFile, InvalidSettings> {
  if (file === null) return {}
  const invalid = (cause: unknown) =>
    new InvalidSettings({ message: `The file of WAVEPOSE_HOME_CONFIG, ${file}, cannot be read: ${cause}` })
  const json = yield* Effect.tryPromise({ try: async () => JSON.parse(await readFile(file, "utf8")), catch: invalid })
  return yield* Schema.decodeUnknownEffect(HelperFile)(json, { onExcessProperty: "error", errors: "all" }).pipe(
    Effect.mapError(invalid),
  )
})

/** The link without a broker. It is never opened. */
const layerNoLink = Layer.succeed(MqttLink, { base: "", discoveryPrefix: "", open: () => Effect.never })

/** The link to the broker of these settings. Operators switch it with `streaming.mqtt_enabled`. */
const layerLink = (mqtt: NonNullable<Settings["mqtt"]>) =>
  Layer.unwrap(Effect.gen(function* () {
    const { caFile } = mqtt
    const caPem = caFile === null ? null : yield* Effect.tryPromise({
      try: () => readFile(caFile, "utf8"),
      catch: (cause) => new InvalidSettings({ message: `The file of WAVEPOSE_MQTT_CA cannot be read: ${cause}` }),
    })
    const { current } = yield* Configurations
    const enabled = current.pipe(
      Effect.map(({ streaming }) => streaming.mqttEnabled),
      Effect.catch(() => Effect.succeed(false)),
    )
    return layerMqttLink({ ...mqtt, caPem, enabled })
  }))

/** The built-in plugins that the settings switch on. */
const builtInsOf = Effect.fnUntraced(function* ({ mqtt }: Settings) {
  const sensing = yield* sensingPlugin
  if (mqtt === null) return new Map([[sensingDomain, sensing]])
  return new Map([[sensingDomain, sensing], ["mqtt_mirror", yield* mqttMirror(version)]])
})

/** The host of services and plugins, on a node of role `home`. */
export const layerHomeServices = (settings: Settings) =>
  Layer.unwrap(Effect.map(readHelpers(settings.home.config), (helpers) =>
    layerHomeHost(
      {
        helpers,
        pluginFolder: pluginFolder(settings),
        secret: [resolve(settings.dataDirectory)],
        processes: { budget: settings.home.pluginBudget, variables: process.env },
      },
      builtInsOf(settings),
    ).pipe(Layer.provide(settings.mqtt === null ? layerNoLink : layerLink(settings.mqtt)))))
