/**
 * The plots of a scoreboard as data for Vega-Lite: errors against predicted sigma, by joint, by activity, and the confusion of counts.
 *
 * Boundary: a description and nothing else; `svg.ts` draws it.
 */
import type { TopLevelSpec } from "vega-lite"
import { keypointNames } from "../../core/pose/skeleton.ts"
import { sigmaCurve } from "../../sim/evaluation/calibration.ts"
import { countsMax } from "../../sim/evaluation/occupancy.ts"
import { meanErrorMm } from "../../sim/evaluation/pose-accuracy.ts"
import { activities } from "../../sim/evaluation/record.ts"
import type { Scoreboard } from "../../sim/evaluation/scoreboard.ts"
import type { Tally } from "../../sim/evaluation/tally.ts"

type Panel = Extract<TopLevelSpec, { readonly hconcat: unknown }>["hconcat"][number]

const size = { width: 420, height: 280 }

/** A panel without values: its title, and the reason. */
const emptyPanel = (title: string, reason: string): Panel => ({
  ...size,
  title,
  data: { values: [{ reason }] },
  mark: { type: "text", fontSize: 13 },
  encoding: { text: { field: "reason", type: "nominal" } },
})

/** A point for each bin of sigma, and the line on which errors are as large as predicted. */
const sigmaPanel = (tally: Tally): Panel => {
  const title = "RMS error against predicted sigma"
  const curve = sigmaCurve(tally)
  if (curve.length === 0) return emptyPanel(title, "No keypoint has a sigma.")
  const highM = 1.1 * Math.max(...curve.flatMap(({ errorM, predictedM }) => [errorM, predictedM]))
  const scale = { domain: [0, highM], nice: false }
  const encoding = {
    x: { field: "predictedM", type: "quantitative", title: "predicted sigma (m)", scale },
    y: { field: "errorM", type: "quantitative", title: "RMS error (m)", scale },
  } as const
  return {
    ...size,
    title,
    layer: [
      {
        data: { values: [{ predictedM: 0, errorM: 0 }, { predictedM: highM, errorM: highM }] },
        mark: { type: "line", color: "#999", strokeDash: [4, 4] },
        encoding,
      },
      { data: { values: [...curve] }, mark: { type: "point", filled: true, size: 50 }, encoding },
    ],
  }
}

/** A bar for each name; a value of null has none. */
const barPanel = (
  by: string,
  bars: ReadonlyArray<{ readonly name: string; readonly errorMm: number | null }>,
): Panel => {
  const title = `Mean error by ${by}`
  if (bars.every(({ errorMm }) => errorMm === null)) return emptyPanel(title, "No person was matched.")
  return {
    ...size,
    title,
    data: { values: bars.filter(({ errorMm }) => errorMm !== null) },
    mark: { type: "bar" },
    encoding: {
      x: {
        field: "name",
        type: "nominal",
        title: null,
        scale: { domain: bars.map(({ name }) => name) },
        axis: { labelAngle: -45 },
      },
      y: { field: "errorMm", type: "quantitative", title: "mean error (mm)" },
    },
  }
}

/** The share of each true count that was estimated as each count. */
const countsPanel = ({ counts }: Tally): Panel => {
  const side = countsMax + 1
  const nameOf = (count: number): string => count === countsMax ? `${count}+` : String(count)
  const names = Array.from({ length: side }, (_, count) => nameOf(count))
  const cells = names.flatMap((actual, row) => {
    const hops = counts.subarray(row * side, (row + 1) * side)
    const total = hops.reduce((sum, n) => sum + n, 0)
    return total === 0 ? [] : names.map((estimated, column) => ({ actual, estimated, share: hops[column]! / total }))
  })
  return {
    width: size.height,
    height: size.height,
    title: "Share of estimated counts, by actual count",
    data: { values: cells },
    encoding: {
      x: {
        field: "estimated",
        type: "ordinal",
        title: "estimated persons",
        scale: { domain: names },
        axis: { labelAngle: 0 },
      },
      y: { field: "actual", type: "ordinal", title: "actual persons", scale: { domain: [...names].reverse() } },
    },
    layer: [
      {
        mark: { type: "rect" },
        encoding: {
          color: {
            field: "share",
            type: "quantitative",
            scale: { domain: [0, 1], scheme: "blues" },
            legend: null,
          },
        },
      },
      {
        mark: { type: "text" },
        encoding: {
          text: { field: "share", type: "quantitative", format: ".0%" },
          // Dark text is not readable on a dark ground.
          color: { condition: { test: "datum.share > 0.5", value: "white" }, value: "black" },
        },
      },
    ],
  }
}

/** The four panels of a scoreboard. */
export const scoreboardPlot = ({ range, seeds, sequences, suite, total }: Scoreboard): TopLevelSpec => ({
  title: {
    text: `${suite}: simulated, seeds ${seeds.first}-${seeds.last} (${range})`,
    subtitle: `${sequences} sequences; errors of matched persons, pelvis-aligned`,
    anchor: "start",
    fontSize: 18,
    offset: 16,
  },
  background: "white",
  padding: 16,
  spacing: 32,
  vconcat: [
    {
      hconcat: [
        sigmaPanel(total),
        barPanel(
          "joint",
          keypointNames.map((name, joint) => ({
            name: name.replace("_", " "),
            errorMm: meanErrorMm(total, "aligned", { joint }),
          })),
        ),
      ],
    },
    {
      hconcat: [
        barPanel(
          "activity",
          activities.map((name, activity) => ({ name, errorMm: meanErrorMm(total, "aligned", { activity }) })),
        ),
        countsPanel(total),
      ],
    },
  ],
})
