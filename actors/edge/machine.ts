/**
 * The state of an edge node as a pure machine: is it heard?
 *
 * Boundary: silence is measured on the actor's clock; what the node says is `core/semantics` and `record.ts`.
 */
import { setup } from "xstate"
import { staleAfterMs } from "../../protocols/domain/sensing.ts"

type EdgeNodeEvent = { readonly type: "REPORTED" }

export const edgeNodeMachine = setup({
  types: { events: {} as EdgeNodeEvent },
  actions: {
    /** Asks the shell to tell its subscribers that the node fell silent. */
    tellSilence: () => {},
  },
}).createMachine({
  id: "edge-node",
  initial: "unheard",
  states: {
    /** Nothing was heard since the actor was built. */
    unheard: { on: { REPORTED: "online" } },
    online: {
      after: { [staleAfterMs]: "offline" },
      on: { REPORTED: { target: "online", reenter: true } },
    },
    offline: { entry: "tellSilence", on: { REPORTED: "online" } },
  },
})
