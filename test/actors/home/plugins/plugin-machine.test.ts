import { describe, expect, it } from "vitest"
import { transition } from "xstate"
import { pluginMachine, retryDelayMs } from "../../../../actors/home/plugins/plugin-machine.ts"
import type { PluginStatus } from "../../../../protocols/domain/plugin.ts"
import { checkTable } from "../../../harness/machine-table.ts"

const at = (tries: number) => (value: PluginStatus) =>
  pluginMachine.resolveState({ value, context: { tries, reason: "before" } })

const events = {
  LOAD: { type: "LOAD" },
  SUCCEEDED: { type: "SUCCEEDED" },
  FAILED: { type: "FAILED", reason: "r" },
  NOT_READY: { type: "NOT_READY", reason: "r" },
  CRASHED: { type: "CRASHED", reason: "r" },
  UNLOAD: { type: "UNLOAD" },
  UNLOADED: { type: "UNLOADED" },
  UNLOAD_FAILED: { type: "UNLOAD_FAILED", reason: "r" },
  retry: { type: "xstate.after.retry.plugin.setup_retry" },
  steady: { type: "xstate.after.steady.plugin.loaded" },
} as const

const stays = (state: PluginStatus) =>
  Object.fromEntries(Object.keys(events).map((event) => [event, state])) as Record<keyof typeof events, PluginStatus>

describe("plugin machine", () => {
  it("has the transitions of its table", () => {
    checkTable<typeof pluginMachine, PluginStatus, keyof typeof events>(pluginMachine, {
      at: at(0),
      events,
      table: {
        not_loaded: { ...stays("not_loaded"), LOAD: "setup_in_progress" },
        setup_in_progress: {
          ...stays("setup_in_progress"),
          SUCCEEDED: "loaded",
          FAILED: "setup_error",
          NOT_READY: "setup_retry",
        },
        loaded: { ...stays("loaded"), CRASHED: "setup_retry", UNLOAD: "unload_in_progress" },
        setup_error: { ...stays("setup_error"), LOAD: "setup_in_progress", UNLOAD: "not_loaded" },
        setup_retry: {
          ...stays("setup_retry"),
          LOAD: "setup_in_progress",
          UNLOAD: "not_loaded",
          retry: "setup_in_progress",
        },
        unload_in_progress: {
          ...stays("unload_in_progress"),
          UNLOADED: "not_loaded",
          UNLOAD_FAILED: "failed_unload",
        },
        failed_unload: stays("failed_unload"),
      },
    })
  })

  it("retries after 5, 10, 20, 40 and then every 80 s, and resets the count after a long run", () => {
    expect([1, 2, 3, 4, 5, 6, 60].map(retryDelayMs)).toEqual([5, 10, 20, 40, 80, 80, 80].map((s) => 1000 * s))
    const [crashed] = transition(pluginMachine, at(2)("loaded"), events.CRASHED)
    expect(crashed.context).toEqual({ tries: 3, reason: "r" })
    const [again] = transition(pluginMachine, at(3)("setup_in_progress"), events.SUCCEEDED)
    expect(again.context).toEqual({ tries: 3, reason: null })
    const [steady] = transition(pluginMachine, at(3)("loaded"), events.steady as never)
    expect(steady.context.tries).toBe(0)
  })
})
