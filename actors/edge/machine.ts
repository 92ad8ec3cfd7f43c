/**
 * The state of an edge node as a pure machine: whether its router reports.
 *
 * Boundary: silence is measured on the actor's clock; the content of reports is `record.ts`.
 */
import { setup } from "xstate"
import { staleAfterMs } from "../../protocols/domain/sensing.ts"

type EdgeNodeEvent = { readonly type: "REPORTED" }

export const edgeNodeMachine = setup({
  types: { events: {} as EdgeNodeEvent },
  actions: {
    /** Requests a record for the subscribers: the node is offline. */
    publishSilence: () => {},
  },
}).createMachine({
  id: "edge-node",
  initial: "unheard",
  states: {
    /** No report since the actor was built. */
    unheard: { on: { REPORTED: "online" } },
    online: {
      after: { [staleAfterMs]: "offline" },
      on: { REPORTED: { target: "online", reenter: true } },
    },
    offline: { entry: "publishSilence", on: { REPORTED: "online" } },
  },
})
