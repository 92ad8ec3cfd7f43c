/**
 * The files of a new plugin: one that works, to be changed into another.
 */

interface PluginTemplate {
  readonly file: string
  readonly text: string
}

/** The types, as the plugin imports them. */
const apiModule = "./api.ts"

const manifestOf = (domain: string, title: string) => ({
  domain,
  name: title,
  version: "0.1.0",
  documentation: "README.md",
  codeowners: [],
  dependencies: [],
  iot_class: "calculated",
  integration_type: "service",
  permissions: {
    machine: {},
    states: { read: ["binary_sensor"], write: ["sensor"] },
    services: [],
    events: {},
  },
})

const sourceOf = (domain: string, title: string): string =>
  `/**
 * ${title}: counts how often somebody came, by the presence sensors of the home.
 */
import type { Home, State } from "${apiModule}"

const entityId = "sensor.${domain}_arrivals"

const isPresence = (state: State | null): boolean => state?.attributes.device_class === "occupancy"

/** Runs once; true is success. */
export const setup = async (home: Home): Promise<boolean> => {
  const before = await home.states.get(entityId)
  let arrivals = Number(before?.state) || 0

  await home.registerDevice({ deviceId: "${domain}-counter", identifiers: [["${domain}", "counter"]], name: "${title}" })
  await home.registerEntity({ entityId, uniqueId: "arrivals", deviceId: "${domain}-counter", name: "Arrivals" })
  const show = (options = {}) =>
    home.states.set(entityId, String(arrivals), { friendly_name: "${title} arrivals", state_class: "total" }, options)
  await show()

  await home.events.on("state_changed", async ({ data }) => {
    const { old_state, new_state } = data as unknown as { old_state: State | null; new_state: State | null }
    if (!isPresence(new_state) || new_state?.state !== "on" || old_state?.state === "on") return
    arrivals += 1
    await show()
  })

  await home.services.register({
    name: "reset",
    description: "Counts from a number on.",
    fields: { to: { description: "The number; 0 without it.", selector: { number: { min: 0 } } } },
    response: "optional",
  }, async ({ context, data }) => {
    arrivals = Number(data.to ?? 0)
    await show({ context })
    return { arrivals }
  })

  home.log("info", "it counts")
  return true
}

/** Ends what setup has opened beside entities, services and listeners, which the host takes away. */
export const unload = (): boolean => true
`

const readmeOf = (domain: string, title: string): string =>
  `# ${title}

A plugin of wavepose. It lies in the service's folder of plugins, under the name of its domain, and is set up when the service starts.

- \`manifest.json\`: what it is, and everything that it may do. What is not named there is refused: by the runtime what is of the machine
  (\`permissions.machine\`: \`read\`, \`write\`, \`net\`, \`env\`, \`sys\`), by the host what is of the home (\`states\`, \`services\`, \`events\`).
- \`plugin.ts\`: what it does. \`setup\` is given the home; \`api.ts\` says what that can do.
- \`api.ts\`: the types. Do not change it: it is a copy of the service's own.

After a change, call the service \`homeassistant.reload_plugin\`:

    curl -X POST http://127.0.0.1:8123/api/services/homeassistant/reload_plugin \\
      -H "Authorization: Bearer $TOKEN" -d '{"plugin": "${domain}"}'

and what this plugin does by itself:

    curl -X POST "http://127.0.0.1:8123/api/services/${domain}/reset?return_response" \\
      -H "Authorization: Bearer $TOKEN" -d '{"to": 3}'

\`homeassistant.plugins\` says how all plugins fare, and \`wavepose plugin check\` whether a manifest is right.
`

/** The words of a domain as a title. */
const titleOf = (domain: string): string =>
  domain.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ")

/** The files of a new plugin of this domain; \`api\` is the text of the API's types. */
export const pluginTemplate = (domain: string, api: string): ReadonlyArray<PluginTemplate> => {
  const title = titleOf(domain)
  return [
    { file: "manifest.json", text: `${JSON.stringify(manifestOf(domain, title), null, 2)}\n` },
    { file: "plugin.ts", text: sourceOf(domain, title) },
    { file: "README.md", text: readmeOf(domain, title) },
    { file: apiModule, text: api },
  ]
}
