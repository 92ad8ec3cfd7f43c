/** The states of this node's egresses, in memory: each egress reports its state, and health reads them. */
import { Effect, Layer } from "effect"
import { destinations } from "../../core/privacy/privacy-class.ts"
import { type EgressState, EgressStates } from "../../protocols/ports/egress.ts"

export const layerEgressStates: Layer.Layer<EgressStates> = Layer.sync(EgressStates, () => {
  const known = new Map<string, EgressState>()
  return {
    report: (state) => Effect.sync(() => void known.set(state.destination, state)),
    current: Effect.sync(() => destinations.flatMap((destination) => known.get(destination) ?? [])),
  }
})
