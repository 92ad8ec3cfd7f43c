/**
 * The plots of a scoreboard: errors against predicted sigma, by joint, by activity, and how counts are confused.
 */
import {
  type Canvas,
  capHeight,
  createCanvas,
  drawText,
  fillRectangle,
  ink,
  outline,
  textLength,
  white,
} from "../../core/inspection/picture/canvas.ts"
import {
  drawAxisBelow,
  drawTable,
  drawTicksLeft,
  drawTitleLeft,
  type Place,
  textScale,
} from "../../core/inspection/picture/heat-map.ts"
import { colourOf } from "../../core/inspection/picture/colour-map.ts"
import { ticksBetween } from "../../core/inspection/picture/ticks.ts"
import { keypointNames } from "../../core/pose/skeleton.ts"
import { sigmaCurve } from "../../sim/evaluation/calibration.ts"
import { countsMax } from "../../sim/evaluation/occupancy.ts"
import { meanErrorMm } from "../../sim/evaluation/pose-accuracy.ts"
import { activities } from "../../sim/evaluation/record.ts"
import type { Scoreboard } from "../../sim/evaluation/scoreboard.ts"
import type { Tally } from "../../sim/evaluation/tally.ts"

const width = 1400
const height = 1150
const panel = { width: 520, height: 340 }
const places = {
  sigma: { x: 130, y: 130, ...panel },
  joints: { x: 820, y: 130, ...panel },
  activities: { x: 130, y: 670, ...panel },
  counts: { x: 820, y: 670, width: panel.height, height: panel.height },
} as const satisfies Readonly<Record<string, Place>>

const titleScale = 3
const axisDistance = 100
const marker = 7
const barColour = colourOf(0.35)
const lineColour = colourOf(0.65)

const titleAbove = (canvas: Canvas, { x, y }: Place, title: string): void =>
  drawText(canvas, title, x, y - 2 * capHeight(textScale), textScale)

/** Ticks of 0 to `high` at the left of a place. */
const ticksUpTo = (canvas: Canvas, place: Place, high: number): void =>
  drawTicksLeft(
    canvas,
    place,
    ticksBetween(0, high, 5).map(({ label, value }) => ({ label, share: value / high })),
  )

const nothing = (canvas: Canvas, { x, y }: Place, text: string): void =>
  drawText(canvas, text, x + 20, y + 20, textScale)

/** A mark for each bin of sigma, and the line on which errors are as large as predicted. */
const drawSigma = (canvas: Canvas, tally: Tally, place: Place): void => {
  titleAbove(canvas, place, "rms error against what sigma predicts")
  outline(canvas, place.x, place.y, place.width, place.height)
  const curve = sigmaCurve(tally)
  if (curve.length === 0) return nothing(canvas, place, "No keypoint has a sigma.")
  const high = 1.1 * Math.max(...curve.flatMap(({ errorM, predictedM }) => [errorM, predictedM]))
  const at = (x: number, y: number): readonly [number, number] => [
    place.x + Math.round(x / high * (place.width - 1)),
    place.y + Math.round((1 - y / high) * (place.height - 1)),
  ]
  for (let step = 0; step < place.width; step++) {
    const [x, y] = at(step / place.width * high, step / place.width * high)
    fillRectangle(canvas, x, y, 2, 2, lineColour)
  }
  for (const { errorM, predictedM } of curve) {
    const [x, y] = at(predictedM, errorM)
    fillRectangle(canvas, x - (marker >> 1), y - (marker >> 1), marker, marker, ink)
  }
  ticksUpTo(canvas, place, high)
  drawTitleLeft(canvas, place, "error in m", axisDistance)
  drawAxisBelow(canvas, place, 0, high, "predicted in m")
}

/** A bar for each name; a value of null has none. */
const drawBars = (
  canvas: Canvas,
  place: Place,
  title: string,
  bars: ReadonlyArray<{ readonly name: string; readonly valueMm: number | null }>,
): void => {
  titleAbove(canvas, place, title)
  outline(canvas, place.x, place.y, place.width, place.height)
  const high = 1.1 * Math.max(...bars.map(({ valueMm }) => valueMm ?? 0))
  if (!(high > 0)) return nothing(canvas, place, "Nobody was matched.")
  const step = place.width / bars.length
  for (const [i, { name, valueMm }] of bars.entries()) {
    const from = place.x + Math.round((i + 0.15) * step)
    const tall = Math.round((valueMm ?? 0) / high * (place.height - 1))
    fillRectangle(canvas, from, place.y + place.height - tall, Math.round(0.7 * step), tall, barColour)
    const below = place.y + place.height + 10 + textLength(name, textScale)
    drawText(canvas, name, from + Math.round(0.35 * step) - capHeight(textScale) / 2, below, textScale, "upwards")
  }
  ticksUpTo(canvas, place, high)
  drawTitleLeft(canvas, place, "error in mm", axisDistance)
}

/** Shares of each true count that were estimated as each count: rows are true, from below, columns estimated. */
const drawCounts = (canvas: Canvas, { counts }: Tally, place: Place): void => {
  titleAbove(canvas, place, "persons: true (up), estimated (right)")
  const side = countsMax + 1
  const total = (row: number): number => counts.subarray(row * side, (row + 1) * side).reduce((sum, n) => sum + n, 0)
  const share = (row: number, column: number): number => counts[row * side + column]! / total(row)
  const table = { columns: side, rows: side, at: (column: number, row: number) => share(side - 1 - row, column) }
  drawTable(canvas, table, { low: 0, high: 1 }, place)
  outline(canvas, place.x, place.y, place.width, place.height)
  const names = Array.from({ length: side }, (_, n) => n === countsMax ? `${n}+` : String(n))
  const cell = place.width / side
  drawTicksLeft(canvas, place, names.map((label, n) => ({ label, share: (n + 0.5) / side })))
  for (const [n, name] of names.entries()) {
    const x = place.x + Math.round((n + 0.5) * cell - textLength(name, textScale) / 2)
    drawText(canvas, name, x, place.y + place.height + 12, textScale)
  }
  for (let row = 0; row < side; row++) {
    for (let column = 0; total(row) > 0 && column < side; column++) {
      const label = `${Math.round(100 * share(row, column))}%`
      const x = place.x + Math.round((column + 0.5) * cell - textLength(label, textScale) / 2)
      const y = place.y + place.height - Math.round((row + 0.5) * cell + capHeight(textScale) / 2)
      // A light ground, because ink does not show on the darker colours.
      fillRectangle(canvas, x - 3, y - 3, textLength(label, textScale) + 6, capHeight(textScale) + 6, white)
      drawText(canvas, label, x, y, textScale)
    }
  }
}

export const drawScoreboard = ({ range, seeds, sequences, suite, total }: Scoreboard): Canvas => {
  const canvas = createCanvas(width, height)
  drawText(canvas, `${suite}: simulated, seeds ${seeds.first}-${seeds.last} (${range})`, 130, 20, titleScale)
  drawText(canvas, `${sequences} sequences; errors of matched persons, pelvis-aligned`, 130, 58, textScale)
  drawSigma(canvas, total, places.sigma)
  drawBars(
    canvas,
    places.joints,
    "error by joint",
    keypointNames.map((name, joint) => ({
      name: name.replace("left_", "l ").replace("right_", "r "),
      valueMm: meanErrorMm(total, "aligned", { joint }),
    })),
  )
  drawBars(
    canvas,
    places.activities,
    "error by activity",
    activities.map((name, activity) => ({ name, valueMm: meanErrorMm(total, "aligned", { activity }) })),
  )
  drawCounts(canvas, total, places.counts)
  return canvas
}
