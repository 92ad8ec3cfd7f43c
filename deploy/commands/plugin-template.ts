/**
 * The files of a new plugin: a working example to start from.
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
 * ${title}: counts arrivals by the presence sensors of the home.
 */
import type { Home, State } from "${apiModule}"

const entityId = "sensor.${domain}_arrivals"

const isPresence = (state: State | null): state is State => state?.attributes.device_class === "occupancy"

/** Runs once; true is success. */
export const setup = async (home: Home): Promise<boolean> => {
  const before = await home.states.get(entityId)
  // While the plugin does not run, its entities are unavailable, with their last state as an attribute.
  let arrivals = Number(before?.state === "unavailable" ? before.attributes.last_state : before?.state) || 0
  // Presence that is unknown for a while, or unavailable, is no departure.
  const occupied = new Set<string>()
  for (const state of await home.states.all()) {
    if (isPresence(state) && state.state === "on") occupied.add(state.entity_id)
  }

  await home.registerDevice({ deviceId: "${domain}-counter", identifiers: [["${domain}", "counter"]], name: "${title}" })
  await home.registerEntity({ entityId, uniqueId: "arrivals", deviceId: "${domain}-counter", name: "Arrivals" })
  const show = (options = {}) =>
    home.states.set(entityId, String(arrivals), { friendly_name: "${title} arrivals", state_class: "total" }, options)
  await show()

  await home.events.on("state_changed", async ({ data }) => {
    const { entity_id, new_state } = data as unknown as { entity_id: string; new_state: State | null }
    if (new_state === null || new_state.state === "off") occupied.delete(entity_id)
    if (!isPresence(new_state) || new_state.state !== "on" || occupied.has(entity_id)) return
    occupied.add(entity_id)
    arrivals += 1
    await show()
  })

  await home.services.register({
    name: "reset",
    description: "Sets the count.",
    fields: { to: { description: "The new count; default 0.", selector: { number: { min: 0 } } } },
    response: "optional",
  }, async ({ context, data }) => {
    arrivals = Number(data.to ?? 0)
    await show({ context })
    return { arrivals }
  })

  home.log("info", "counting arrivals")
  return true
}

/** Releases what setup has opened. The host itself removes entities, services and listeners. */
export const unload = (): boolean => true
`

const readmeOf = (domain: string, title: string): string =>
  `# ${title}

A plugin of wavepose. It is in the service's folder of plugins, in a folder named after its domain, and is set up when the service starts.

- \`manifest.json\`: its description and its permissions. Everything else is rejected: by the runtime on the machine
  (\`permissions.machine\`: \`read\`, \`write\`, \`net\`, \`env\`, \`sys\`), by the host in the home (\`states\`, \`services\`, \`events\`).
- \`plugin.ts\`: its code. \`setup\` receives the home, whose functions are in \`api.ts\`.
- \`api.ts\`: the types. Do not change this file: it is a copy of the service's own.

After a change, call the service \`homeassistant.reload_plugin\`:

    curl -X POST http://127.0.0.1:8123/api/services/homeassistant/reload_plugin \\
      -H "Authorization: Bearer $TOKEN" -d '{"plugin": "${domain}"}'

To call this plugin's own service:

    curl -X POST "http://127.0.0.1:8123/api/services/${domain}/reset?return_response" \\
      -H "Authorization: Bearer $TOKEN" -d '{"to": 3}'

\`homeassistant.plugins\` returns the state of all plugins. \`wavepose plugin check\` validates manifests.
`

/** The title of a domain: its words with capitals. */
const titleOf = (domain: string): string =>
  domain.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ")

/** The files of a new plugin of this domain; `api` is the text of the API's types. */
export const pluginTemplate = (domain: string, api: string): ReadonlyArray<PluginTemplate> => {
  const title = titleOf(domain)
  return [
    { file: "manifest.json", text: `${JSON.stringify(manifestOf(domain, title), null, 2)}\n` },
    { file: "plugin.ts", text: sourceOf(domain, title) },
    { file: "README.md", text: readmeOf(domain, title) },
    { file: apiModule, text: api },
  ]
}
