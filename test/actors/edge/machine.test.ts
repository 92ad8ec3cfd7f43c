/** The machine of an edge node: every state and event. */
import { expect, it } from "vitest"
import { transition } from "xstate"
import { edgeNodeMachine } from "../../../actors/edge/machine.ts"
import { staleAfterMs } from "../../../protocols/domain/sensing.ts"
import { afterEvent, checkTable } from "../../harness/machine-table.ts"

type State = "unheard" | "online" | "offline"

const events = {
  REPORTED: { type: "REPORTED" },
  silent: afterEvent("edge-node", "online", staleAfterMs),
} as const

const at = (state: State) => edgeNodeMachine.resolveState({ value: state })

it("makes the transitions of the table", () => {
  checkTable<typeof edgeNodeMachine, State, keyof typeof events>(edgeNodeMachine, {
    at,
    events,
    table: {
      unheard: { REPORTED: "online", silent: "unheard" },
      online: { REPORTED: "online", silent: "offline" },
      offline: { REPORTED: "online", silent: "offline" },
    },
  })
})

it("publishes the silence once, when it begins", () => {
  const [, actions] = transition(edgeNodeMachine, at("online"), events.silent as never)
  expect(actions.map(({ type }) => type)).toContain("publishSilence")
  const [, again] = transition(edgeNodeMachine, at("offline"), events.silent as never)
  expect(again).toEqual([])
})
