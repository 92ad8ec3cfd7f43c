import { describe, expect, it } from "vitest"
import { transition } from "xstate"
import { entityMachine, restoredEntity, type WriteEvent } from "../../../../actors/home/entity/machine.ts"
import type { EntityState } from "../../../../protocols/domain/home.ts"
import { checkTable } from "../../../harness/machine-table.ts"

const entityId = "sensor.a"
const context = (id: string) => ({ id, parentId: null, userId: null })
const state: EntityState = {
  entityId,
  state: "1",
  attributes: { a: 1, b: [2] },
  lastChangedUs: 100,
  lastUpdatedUs: 200,
  lastReportedUs: 300,
  context: context("old"),
}
const write = (over: Partial<WriteEvent> = {}): WriteEvent => ({
  type: "WRITE",
  state: "1",
  attributes: { b: [2], a: 1.0 },
  forceUpdate: false,
  context: context("new"),
  nowUs: 1_000,
  ...over,
})
const remove = { type: "REMOVE" as const, context: context("new"), nowUs: 1_000 }

const present = restoredEntity(entityId, state)
const absent = restoredEntity(entityId, null)
/** The state and the entry after an event. */
const after = (from: typeof present, event: WriteEvent | typeof remove) =>
  transition(entityMachine, from, event)[0].context

describe("entity machine", () => {
  it("has the transitions of its table", () => {
    checkTable<typeof entityMachine, "absent" | "present", "same" | "other" | "remove">(entityMachine, {
      at: (value) => value === "absent" ? absent : present,
      events: { same: write(), other: write({ state: "2" }), remove },
      table: {
        absent: { same: "present", other: "present", remove: "absent" },
        present: { same: "present", other: "present", remove: "absent" },
      },
    })
  })

  it("creates a new entity with one time", () => {
    const { entry, state: made } = after(absent, write())
    expect(made).toEqual({
      entityId,
      state: "1",
      attributes: { a: 1, b: [2] },
      lastChangedUs: 1_000,
      lastUpdatedUs: 1_000,
      lastReportedUs: 1_000,
      context: context("new"),
    })
    expect(entry).toEqual({
      kind: "changed",
      entityId,
      oldState: null,
      newState: made,
      timeFiredUs: 1_000,
      context: context("new"),
    })
  })

  it("only reports an unchanged state", () => {
    const { entry, state: reported } = after(present, write())
    expect(reported).toEqual({ ...state, lastReportedUs: 1_000 })
    expect(entry).toEqual({ kind: "reported", entityId, newState: reported, oldReportedUs: 300 })
  })

  it.each([
    ["another state", { state: "2" }, { lastChangedUs: 1_000, lastUpdatedUs: 1_000 }],
    ["another attribute", { attributes: { a: 1, b: [3] } }, { lastChangedUs: 100, lastUpdatedUs: 1_000 }],
    ["fewer attributes", { attributes: { a: 1 } }, { lastChangedUs: 100, lastUpdatedUs: 1_000 }],
    ["a forced write", { forceUpdate: true }, { lastChangedUs: 1_000, lastUpdatedUs: 1_000 }],
  ])("treats %s as a change", (_, over, times) => {
    const { entry, state: made } = after(present, write(over))
    expect(made).toMatchObject({ ...times, lastReportedUs: 1_000, context: context("new") })
    expect(entry).toMatchObject({ kind: "changed", oldState: state, newState: made, timeFiredUs: 1_000 })
  })

  it("removes, and publishes nothing if there is no entity", () => {
    expect(after(present, remove)).toMatchObject({
      state: null,
      entry: { kind: "changed", oldState: state, newState: null, timeFiredUs: 1_000, context: context("new") },
    })
    const removed = transition(entityMachine, present, remove)[0]
    expect(after(removed, remove)).toMatchObject({ state: null, entry: null })
  })

  it("never moves its times back", () => {
    expect(after(present, write({ state: "2", nowUs: 7 })).state).toMatchObject({
      lastChangedUs: 300,
      lastUpdatedUs: 300,
      lastReportedUs: 300,
    })
    expect(after(present, write({ nowUs: 7 })).state?.lastReportedUs).toBe(300)
    expect(after(present, { ...remove, nowUs: 7 }).entry).toMatchObject({ timeFiredUs: 300 })
  })
})
