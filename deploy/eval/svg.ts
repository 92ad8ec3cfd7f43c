/**
 * The plots as SVG, drawn by Vega.
 *
 * Vega is a development package, and only this command draws. So it is loaded when a plot is wanted, and an installation without it
 * gets a message that says how to install it.
 */
import { Effect } from "effect"
import type { TopLevelSpec } from "vega-lite"
import { EvaluationFailed } from "./options.ts"

/** Draws a plot as the text of an SVG file. */
type DrawSvg = (plot: TopLevelSpec) => Effect.Effect<string>

/** Loads Vega. Fails if it is not installed, so call it before a long run. */
export const loadDrawSvg: Effect.Effect<DrawSvg, EvaluationFailed> = Effect.tryPromise({
  try: async () => {
    const [{ compile }, { parse, View }] = await Promise.all([import("vega-lite"), import("vega")])
    return (plot: TopLevelSpec) =>
      Effect.promise(() => new View(parse(compile(plot).spec), { renderer: "none" }).toSVG())
  },
  catch: () =>
    new EvaluationFailed({
      message: "The plots need the development packages vega and vega-lite, which are not installed: run " +
        "`npm ci --include=dev`, or use --json, which draws no plot.",
    }),
})
