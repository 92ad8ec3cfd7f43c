/** The triggers of the blueprints, on the trigger watch of the home API, which `contract.test.ts` compares with Home Assistant. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { watchTriggers } from "../../../gateways/home/socket/trigger-watch.ts"
import type { EntityState } from "../../../protocols/domain/home.ts"
import { homeChange, homeState } from "../../harness/home-states.ts"

const entityId = "binary_sensor.hall_presence"

/** How often each trigger of a blueprint fires while its entity takes these states. */
const firedBy = (name: string, ...states: ReadonlyArray<string>): ReadonlyArray<number> => {
  const path = new URL(`../../../deploy/home-assistant/blueprints/${name}.yaml`, import.meta.url)
  const input = { tag: "!input", resolve: (text: string) => text }
  const { triggers } = parse(readFileSync(path, "utf8"), { customTags: [input] })
  const fired: Array<number> = triggers.map(() => 0)
  const watched = triggers.map(({ from, not_from, to }: Record<string, string>) => ({
    platform: "state" as const,
    entity_id: entityId,
    ...(from === undefined ? {} : { from }),
    ...(not_from === undefined ? {} : { not_from }),
    ...(to === undefined ? {} : { to }),
  }))
  const watch = watchTriggers(watched, () => () => {}, (_, index) => void (fired[index]! += 1))
  let before: EntityState | null = null
  for (const state of states) {
    const now = homeState(entityId, state)
    watch.take(homeChange(before, now))
    before = now
  }
  return fired
}

describe("the blueprints", () => {
  it("turn the light off where presence is unknown before it is off, and not for an unknown or late source", () => {
    expect(firedBy("light_while_occupied", "on", "unknown", "off")).toEqual([1, 1])
    expect(firedBy("light_while_occupied", "on", "off")).toEqual([1, 1])
    expect(firedBy("light_while_occupied", "on", "unknown", "unavailable", "unknown")).toEqual([1, 0])
  })

  it("notify about an alert that opens, also after the source was late, and again about one that was unavailable", () => {
    expect(firedBy("alert_notification", "off", "on", "off", "on")).toEqual([2])
    expect(firedBy("alert_notification", "off", "unavailable", "on")).toEqual([1])
    expect(firedBy("alert_notification", "off", "on", "unavailable", "on")).toEqual([2])
    expect(firedBy("alert_notification", "off", "unknown", "unavailable", "off")).toEqual([0])
  })
})
