import { describe, expect, it } from "vitest"
import { transition } from "xstate"
import { environmentMachine, silentAfterMs } from "../../../actors/environment/machine.ts"
import { afterEvent, checkTable } from "../../harness/machine-table.ts"

type State = "inactive" | "waiting" | "streaming" | "silent"

const at = (state: State) =>
  environmentMachine.resolveState({ value: state, context: { sessionId: state === "inactive" ? null : "one" } })

const events = {
  SAME_SESSION: { type: "ACTIVATE", sessionId: "one" },
  OTHER_SESSION: { type: "ACTIVATE", sessionId: "two" },
  DEACTIVATE: { type: "DEACTIVATE" },
  FRAME: { type: "FRAME" },
  silence: afterEvent("environment", "streaming", silentAfterMs),
} as const

describe("environment machine", () => {
  it("makes the transitions of the table", () => {
    checkTable<typeof environmentMachine, State, keyof typeof events>(environmentMachine, {
      at,
      events,
      table: {
        inactive: {
          SAME_SESSION: "waiting",
          OTHER_SESSION: "waiting",
          DEACTIVATE: "inactive",
          FRAME: "inactive",
          silence: "inactive",
        },
        waiting: {
          SAME_SESSION: "waiting",
          OTHER_SESSION: "waiting",
          DEACTIVATE: "inactive",
          FRAME: "streaming",
          silence: "waiting",
        },
        streaming: {
          SAME_SESSION: "streaming",
          OTHER_SESSION: "waiting",
          DEACTIVATE: "inactive",
          FRAME: "streaming",
          silence: "silent",
        },
        silent: {
          SAME_SESSION: "silent",
          OTHER_SESSION: "waiting",
          DEACTIVATE: "inactive",
          FRAME: "streaming",
          silence: "silent",
        },
      },
    })
  })

  it("raises waiting alerts when frames cease, and only then", () => {
    const reported = (state: State, event: { readonly type: string }) =>
      transition(environmentMachine, at(state), event as never)[1].map((action) => action.type)
    expect(reported("streaming", events.silence)).toContain("raiseWaitingAlerts")
    expect(reported("streaming", events.FRAME)).not.toContain("raiseWaitingAlerts")
    expect(reported("silent", events.FRAME)).not.toContain("raiseWaitingAlerts")
  })

  it("resets the tracks of an earlier session, and only then", () => {
    const resets = (event: (typeof events)[keyof typeof events]) =>
      transition(environmentMachine, at("streaming"), event as never)[1].map((action) => action.type)
    expect(resets(events.OTHER_SESSION)).toContain("resetEstimation")
    expect(resets(events.DEACTIVATE)).toContain("resetEstimation")
    expect(resets(events.SAME_SESSION)).not.toContain("resetEstimation")
  })
})
