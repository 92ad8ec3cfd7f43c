/** The discovery document by the rules of Home Assistant's MQTT integration, for every class of node and any id. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { gate, type Released } from "../../../core/privacy/gate.ts"
import { discoveryOf, withoutFormer } from "../../../gateways/mqtt/discovery.ts"
import { contentOf, eventsOf } from "../../../gateways/mqtt/state.ts"
import { announcedWord, announcements, topicsOf, wordOf } from "../../../gateways/mqtt/topics.ts"
import type { EdgeRecord } from "../../../protocols/domain/sensing.ts"
import { variedRecord } from "../../harness/edge-feed.ts"

const names = { base: "wavepose", discoveryPrefix: "homeassistant" }

const released = (record: EdgeRecord): Released<EdgeRecord, "mqtt"> => {
  const verdict = gate(record, record.privacyClass, "mqtt")
  if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
  return verdict.released
}

const documentOf = (record: EdgeRecord) => discoveryOf(released(record), names, "1.2.3")

/** Ids as routers have them. */
const nodeId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/)
const word = /^[a-zA-Z0-9_-]+$/

/** All keys that Home Assistant takes at the root of a device's document; with any other key it rejects the document. */
const rootKeys = [
  ..."device,origin,components,availability,availability_mode,availability_topic,availability_template".split(","),
  ..."payload_available,payload_not_available,state_topic,command_topic,qos,encoding,message_expiry_interval".split(
    ",",
  ),
]
const deviceKeys =
  "configuration_url,connections,identifiers,name,manufacturer,model,model_id,hw_version,sw_version,serial_number,suggested_area,via_device"
    .split(",")
/** Options of the two platforms that are used here. */
const componentKeys =
  "platform,unique_id,name,device_class,state_class,unit_of_measurement,suggested_display_precision,value_template,expire_after,entity_category,icon,state_topic,options"
    .split(",")

describe("the discovery document", () => {
  it.each([2, 3] as const)("of class %i follows Home Assistant's rules", (privacyClass) => {
    fc.assert(
      fc.property(nodeId, (id) => {
        const record = variedRecord(id, { privacyClass })
        const document = JSON.parse(JSON.stringify(documentOf(record)))
        expect(Object.keys(document).filter((key) => !rootKeys.includes(key))).toEqual([])
        expect(Object.keys(document.device).filter((key) => !deviceKeys.includes(key))).toEqual([])
        expect(document.device.identifiers).toHaveLength(1)
        expect(document.origin.name).toBe("wavepose")
        expect(document.availability_mode).toBe("all")
        expect(document.availability.map(({ topic }: { topic: string }) => topic)).toEqual([
          "wavepose/availability",
          `wavepose/${wordOf(id)}/availability`,
        ])
        const components = Object.values<Record<string, unknown>>(document.components)
        expect(components.length).toBeGreaterThan(4)
        expect(new Set(components.map(({ unique_id }) => unique_id)).size).toBe(components.length)
        for (const component of components) {
          expect(Object.keys(component).filter((key) => !componentKeys.includes(key))).toEqual([])
          expect(["sensor", "binary_sensor"]).toContain(component.platform)
          expect(component.unique_id).toMatch(word)
          expect(component.expire_after).toBe(60)
          // The device's name is put before an entity's by Home Assistant itself.
          expect(String(component.name ?? "")).not.toContain(document.device.name)
          expect(component.state_class === undefined || component.platform === "sensor").toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })

  it("refers only to values that are published at its topics", () => {
    for (const privacyClass of [2, 3] as const) {
      const given = released(variedRecord("node-1", { privacyClass }))
      const { components, state_topic } = discoveryOf(given, names, "1")
      const topics = topicsOf(names, "node-1")
      const payloads: Record<string, unknown> = {
        [topics.state]: JSON.parse(contentOf(given)!),
        [topics.events]: JSON.parse(eventsOf(given)!.payload()),
      }
      for (const [name, component] of Object.entries(components)) {
        const payload = payloads[String(component.state_topic ?? state_topic)]
        for (const [, path] of component.value_template.matchAll(/value_json\.([a-z_.]+)/g)) {
          const value = path!.split(".").reduce((at, key) => (at as Record<string, unknown>)?.[key], payload)
          expect(value, `${name} at ${path}`).not.toBe(undefined)
        }
      }
    }
  })

  it("has no entities for values that class Restricted removes, and no patterns in other classes", () => {
    const anonymous = Object.keys(documentOf(variedRecord("n")).components)
    const restricted = Object.keys(documentOf(variedRecord("n", { privacyClass: 3 })).components)
    const removed = ["breathing", "heart", "anomaly", "env_shift", "coherence"]
    expect(anonymous).toEqual(expect.arrayContaining(removed))
    expect(anonymous.filter((name) => !restricted.includes(name))).toEqual(removed)
    expect(restricted.filter((name) => !anonymous.includes(name))).toEqual(["unrecognized_activity_pattern"])
  })

  it("does not describe a person as a threat", () => {
    const said = JSON.stringify(documentOf(variedRecord("n", { privacyClass: 3 })))
    expect(said).not.toMatch(/intru|threat|burgl|attack|alarm|danger|suspic|secur|enemy|crim/i)
    expect(said).toContain("Unknown Presence")
  })

  it("names the entities of an earlier document for removal, and keeps the others", () => {
    const restricted = documentOf(variedRecord("n", { privacyClass: 3 }))
    const removal = withoutFormer(restricted, documentOf(variedRecord("n"))) as typeof restricted
    expect(removal.components.breathing).toEqual({ platform: "sensor" })
    expect(removal.components.presence).toEqual(restricted.components.presence)
    expect(withoutFormer(restricted, restricted)).toBe(null)
    for (const foreign of [null, 3, "x", {}, { components: null }, { components: { a: 1, b: {} } }]) {
      expect(withoutFormer(restricted, foreign)).toBe(null)
    }
  })
})

describe("topics", () => {
  it("belong to one node each, in characters that are valid in ids", () => {
    fc.assert(fc.property(nodeId, nodeId, (one, other) => {
      expect(wordOf(one)).toMatch(word)
      expect(wordOf(one) === wordOf(other)).toBe(one === other)
    }))
    expect(wordOf("nexmon-10.0.0.7")).toBe("nexmon-10_2e0_2e0_2e7")
    expect(wordOf("home")).toBe("home_00")
  })

  it("of announcements yield the node, and other topics do not", () => {
    const deep = { base: "wavepose", discoveryPrefix: "my/home" }
    expect(announcements(deep)).toBe("my/home/device/wavepose/+/config")
    expect(announcedWord(deep, topicsOf(deep, "node-1").discovery)).toBe("node-1")
    for (
      const other of ["my/home/status", "my/home/device/wavepose//config", "homeassistant/device/wavepose/a/config"]
    ) {
      expect(announcedWord(deep, other)).toBe(null)
    }
  })
})
