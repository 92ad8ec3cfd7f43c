import { describe, it } from "vitest"
import { archiveMachine, recoveryMs } from "../../../actors/archive/machine.ts"
import { afterEvent, checkTable } from "../../harness/machine-table.ts"

type State = "ready" | "failing" | "probing"

const events = {
  WRITTEN: { type: "WRITTEN" },
  FAILED: { type: "FAILED" },
  recovery: afterEvent("archive", "failing", recoveryMs),
} as const

describe("archive machine", () => {
  it("makes the transitions of the table", () => {
    checkTable<typeof archiveMachine, State, keyof typeof events>(archiveMachine, {
      at: (state) => archiveMachine.resolveState({ value: state }),
      events,
      table: {
        ready: { WRITTEN: "ready", FAILED: "failing", recovery: "ready" },
        failing: { WRITTEN: "ready", FAILED: "failing", recovery: "probing" },
        probing: { WRITTEN: "ready", FAILED: "failing", recovery: "probing" },
      },
    })
  })
})
