import { describe, expect, it } from "vitest"
import { transition } from "xstate"
import { lostAfterMs, routerMachine, staleAfterMs } from "../../../actors/router/machine.ts"
import type { RouterState } from "../../../protocols/messages/router.ts"
import { afterEvent, checkTable } from "../../harness/machine-table.ts"

const at = (calibrating: boolean) => (state: RouterState) =>
  routerMachine.resolveState({ value: state, context: { calibrating } })

const events = {
  PACKETS: { type: "PACKETS" },
  CALIBRATE: { type: "CALIBRATE" },
  CALIBRATED: { type: "CALIBRATED" },
  silentInCalibrating: afterEvent("router", "calibrating", staleAfterMs),
  silentInStreaming: afterEvent("router", "streaming", staleAfterMs),
  silentInStale: afterEvent("router", "stale", lostAfterMs - staleAfterMs),
} as const

describe("router machine", () => {
  it("makes the transitions of the table without a calibration", () => {
    checkTable<typeof routerMachine, RouterState, keyof typeof events>(routerMachine, {
      at: at(false),
      events,
      table: {
        idle: {
          PACKETS: "streaming",
          CALIBRATE: "idle",
          CALIBRATED: "idle",
          silentInCalibrating: "idle",
          silentInStreaming: "idle",
          silentInStale: "idle",
        },
        calibrating: {
          PACKETS: "calibrating",
          CALIBRATE: "calibrating",
          CALIBRATED: "streaming",
          silentInCalibrating: "stale",
          silentInStreaming: "calibrating",
          silentInStale: "calibrating",
        },
        streaming: {
          PACKETS: "streaming",
          CALIBRATE: "calibrating",
          CALIBRATED: "streaming",
          silentInCalibrating: "streaming",
          silentInStreaming: "stale",
          silentInStale: "streaming",
        },
        stale: {
          PACKETS: "streaming",
          CALIBRATE: "stale",
          CALIBRATED: "stale",
          silentInCalibrating: "stale",
          silentInStreaming: "stale",
          silentInStale: "lost",
        },
        lost: {
          PACKETS: "streaming",
          CALIBRATE: "lost",
          CALIBRATED: "lost",
          silentInCalibrating: "lost",
          silentInStreaming: "lost",
          silentInStale: "lost",
        },
      },
    })
  })

  it("continues a calibration when packets return", () => {
    for (const state of ["idle", "stale", "lost"] as const) {
      expect(transition(routerMachine, at(true)(state), { type: "PACKETS" })[0].value, state).toBe("calibrating")
    }
  })

  it("remembers a calibration that starts during silence", () => {
    const [asked] = transition(routerMachine, at(false)("idle"), { type: "CALIBRATE" })
    expect(transition(routerMachine, asked, { type: "PACKETS" })[0].value).toBe("calibrating")
  })
})
