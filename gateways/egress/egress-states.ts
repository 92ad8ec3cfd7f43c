/** How the ways out of this node do, in its memory: each tells, health asks. */
import { Effect, Layer } from "effect"
import { destinations } from "../../core/privacy/privacy-class.ts"
import { type WayOut, WaysOut } from "../../protocols/ports/egress.ts"

export const layerWaysOut: Layer.Layer<WaysOut> = Layer.sync(WaysOut, () => {
  const known = new Map<string, WayOut>()
  return {
    tell: (way) => Effect.sync(() => void known.set(way.destination, way)),
    current: Effect.sync(() => destinations.flatMap((destination) => known.get(destination) ?? [])),
  }
})
