/** How the ways out of this node do, in its memory: each tells, health asks. */
import { Effect, Layer } from "effect"
import { destinations } from "../../core/privacy/privacy-class.ts"
import { type EgressState, EgressStates } from "../../protocols/ports/egress.ts"

export const layerEgressStates: Layer.Layer<EgressStates> = Layer.sync(EgressStates, () => {
  const known = new Map<string, EgressState>()
  return {
    report: (way) => Effect.sync(() => void known.set(way.destination, way)),
    current: Effect.sync(() => destinations.flatMap((destination) => known.get(destination) ?? [])),
  }
})
