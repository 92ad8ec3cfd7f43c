import { describe, expect, it } from "vitest"
import { transition } from "xstate"
import { incidentMachine } from "../../../actors/environment/incident-machine.ts"
import { checkTable } from "../../harness/machine-table.ts"

type State = "waiting" | "open" | "acknowledged" | "cooling" | "forgotten"

const at = (state: State) => incidentMachine.resolveState({ value: state })

const events = {
  DUE: { type: "DUE" },
  ESCALATED: { type: "ESCALATED" },
  ACKNOWLEDGED: { type: "ACKNOWLEDGED" },
  ENDED: { type: "ENDED" },
  COOLED: { type: "COOLED" },
} as const

type Event = keyof typeof events

/** The published changes of each cell; empty: none. */
const reported: Record<State, Record<Event, string>> = {
  waiting: { DUE: "raise", ESCALATED: "escalate", ACKNOWLEDGED: "", ENDED: "withdraw", COOLED: "" },
  open: { DUE: "", ESCALATED: "escalate", ACKNOWLEDGED: "acknowledge", ENDED: "clear", COOLED: "" },
  acknowledged: { DUE: "", ESCALATED: "escalate", ACKNOWLEDGED: "", ENDED: "clear", COOLED: "" },
  cooling: { DUE: "", ESCALATED: "", ACKNOWLEDGED: "", ENDED: "", COOLED: "" },
  forgotten: { DUE: "", ESCALATED: "", ACKNOWLEDGED: "", ENDED: "", COOLED: "" },
}

describe("incident machine", () => {
  it("makes the transitions of the table", () => {
    checkTable<typeof incidentMachine, State, Event>(incidentMachine, {
      at,
      events,
      table: {
        waiting: { DUE: "open", ESCALATED: "waiting", ACKNOWLEDGED: "waiting", ENDED: "cooling", COOLED: "waiting" },
        open: { DUE: "open", ESCALATED: "open", ACKNOWLEDGED: "acknowledged", ENDED: "cooling", COOLED: "open" },
        acknowledged: {
          DUE: "acknowledged",
          ESCALATED: "acknowledged",
          ACKNOWLEDGED: "acknowledged",
          ENDED: "cooling",
          COOLED: "acknowledged",
        },
        cooling: {
          DUE: "cooling",
          ESCALATED: "cooling",
          ACKNOWLEDGED: "cooling",
          ENDED: "cooling",
          COOLED: "forgotten",
        },
        forgotten: {
          DUE: "forgotten",
          ESCALATED: "forgotten",
          ACKNOWLEDGED: "forgotten",
          ENDED: "forgotten",
          COOLED: "forgotten",
        },
      },
    })
  })

  it("performs the actions of the table, none twice", () => {
    for (const [state, row] of Object.entries(reported) as Array<[State, Record<Event, string>]>) {
      for (const [name, action] of Object.entries(row) as Array<[Event, string]>) {
        const [, actions] = transition(incidentMachine, at(state), events[name])
        expect(actions.map(({ type }) => type), `${state} x ${name}`).toEqual(action === "" ? [] : [action])
      }
    }
  })
})
