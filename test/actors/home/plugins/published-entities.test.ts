/** What the MQTT mirror withdraws of the announcements of an earlier run. */
import { beforeEach, expect, it } from "vitest"
import { entityMessages } from "../../../../actors/home/plugins/built-in/mqtt_mirror/entity-messages.ts"
import { PublishedEntities } from "../../../../actors/home/plugins/built-in/mqtt_mirror/published-entities.ts"
import { entityDefaults } from "../../../../actors/home/plugins/registry-entries.ts"
import { homeState } from "../../../harness/home-states.ts"

const names = { base: "wavepose", discoveryPrefix: "homeassistant" }
const entityId = "sensor.attic"
const state = homeState(entityId, "5")
let registered: boolean
let entities: PublishedEntities
const registrationOf = () => ({
  entity: registered ? { ...entityDefaults, entityId, uniqueId: "attic", platform: "test" } : null,
  device: null,
})
beforeEach(() => {
  registered = true
  entities = new PublishedEntities({ names, version: "1.0", registrationOf, switchable: () => false })
})
const config = entityMessages(names, state, { entity: null, device: null }, () => false, "1.0")[0]!
const availability = "wavepose/home/sensor/attic/availability"

it("an entity that an earlier run announced is offline while it is registered, and is withdrawn with its registration", () => {
  expect(entities.keep(entityId, config)).toContainEqual(
    expect.objectContaining({ topic: availability, payload: "offline" }),
  )
  expect(entities.prune(() => false)).toEqual([])
  registered = false
  expect(entities.prune(() => false)).toEqual([
    { ...config, payload: "" },
    expect.objectContaining({ topic: availability, payload: "" }),
  ])
  expect(entities.all()).toEqual([])
})

it("only the old config of an entity that is published as another component is withdrawn", () => {
  entities.update(state)
  const old = { ...config, topic: config.topic.replace("/sensor/", "/switch/") }
  expect(entities.keep(entityId, old)).toEqual([{ ...old, payload: "" }])
})
