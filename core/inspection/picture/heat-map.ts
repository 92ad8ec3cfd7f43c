/**
 * The heat map: a table of numbers as a coloured rectangle with its axes and the scale of its colours.
 */
import { blank, type Canvas, capHeight, drawText, fillRectangle, ink, outline, setPixel, textLength } from "./canvas.ts"
import { colourOf } from "./colour-map.ts"
import { type Tick, ticksBetween } from "./ticks.ts"

/** A table of numbers; NaN where there is no value. Row 0 is at the top. */
export interface Table {
  readonly columns: number
  readonly rows: number
  readonly at: (column: number, row: number) => number
}

/** A rectangle of a canvas. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The values of the ends of the colour map. */
interface ColourRange {
  readonly low: number
  readonly high: number
}

export const textScale = 2
const tickLength = 5
const gap = 6
const scaleWidth = 16

/** Maximum number of values that determine a range of colours; of larger tables, every n-th value is used. */
const sampleMax = 1e6

/** The range between these two quantiles of the table, at least `widthMin` wide. */
export const colourRangeOf = (
  { at, columns, rows }: Table,
  shares: { readonly low: number; readonly high: number },
  widthMin: number,
): ColourRange => {
  const stride = Math.ceil(columns * rows / sampleMax)
  const sample = new Float64Array(Math.ceil(columns * rows / stride))
  let count = 0
  for (let cell = 0; cell < columns * rows; cell += stride) {
    const value = at(Math.floor(cell / rows), cell % rows)
    if (Number.isFinite(value)) sample[count++] = value
  }
  const sorted = sample.subarray(0, count).sort()
  if (sorted.length === 0) return { low: 0, high: widthMin }
  const low = sorted[Math.floor(shares.low * (sorted.length - 1))]!
  const high = sorted[Math.ceil(shares.high * (sorted.length - 1))]!
  return { low, high: Math.max(high, low + widthMin) }
}

/** Draws the table; a pixel has the mean of the values that it covers, or stays blank without any. */
export const drawTable = (canvas: Canvas, table: Table, range: ColourRange, { height, width, x, y }: Place): void => {
  for (let py = 0; py < height; py++) {
    const fromRow = Math.floor(py * table.rows / height)
    const toRow = Math.max(fromRow + 1, Math.floor((py + 1) * table.rows / height))
    for (let px = 0; px < width; px++) {
      const fromColumn = Math.floor(px * table.columns / width)
      const toColumn = Math.max(fromColumn + 1, Math.floor((px + 1) * table.columns / width))
      let sum = 0
      let count = 0
      for (let column = fromColumn; column < toColumn; column++) {
        for (let row = fromRow; row < toRow; row++) {
          const value = table.at(column, row)
          if (!Number.isFinite(value)) continue
          sum += value
          count++
        }
      }
      const colour = count === 0 ? blank : colourOf((sum / count - range.low) / (range.high - range.low))
      setPixel(canvas, x + px, y + py, colour)
    }
  }
}

/** Draws the axis below a place: ticks of `low` to `high` from left to right, and what they count. */
export const drawAxisBelow = (
  canvas: Canvas,
  { height, width, x, y }: Place,
  low: number,
  high: number,
  title: string,
): void => {
  const base = y + height
  for (const { label, value } of ticksBetween(low, high, width / 100)) {
    const at = x + Math.round((value - low) / (high - low) * (width - 1))
    fillRectangle(canvas, at, base + 1, 1, tickLength, ink)
    drawText(canvas, label, at - Math.floor(textLength(label, textScale) / 2), base + tickLength + gap, textScale)
  }
  const titleY = base + tickLength + 2 * gap + capHeight(textScale)
  drawText(canvas, title, x + Math.floor((width - textLength(title, textScale)) / 2), titleY, textScale)
}

/** Draws ticks at the left of a place; `share` is where each stands, from 0 at the bottom to 1 at the top. */
export const drawTicksLeft = (
  canvas: Canvas,
  { height, x, y }: Place,
  ticks: ReadonlyArray<{ readonly share: number; readonly label: string }>,
): void => {
  for (const { label, share } of ticks) {
    const at = y + Math.round((1 - share) * (height - 1))
    fillRectangle(canvas, x - 1 - tickLength, at, tickLength, 1, ink)
    const left = x - 1 - tickLength - gap - textLength(label, textScale)
    drawText(canvas, label, left, at - Math.floor(capHeight(textScale) / 2), textScale)
  }
}

/** Writes what the left axis counts, upwards, around the middle of a place and `distance` left of it. */
export const drawTitleLeft = (canvas: Canvas, { height, x, y }: Place, title: string, distance: number): void => {
  const bottom = y + Math.floor((height + textLength(title, textScale)) / 2)
  drawText(canvas, title, x - distance, bottom, textScale, "upwards")
}

/** Draws the scale of the colours at the right of a place. */
export const drawColourScale = (
  canvas: Canvas,
  { height, width, x, y }: Place,
  range: ColourRange,
  title: string,
): void => {
  const scale = { x: x + width + 3 * gap, y, width: scaleWidth, height }
  drawTable(canvas, { columns: 1, rows: height, at: (_, row) => 1 - row / (height - 1) }, { low: 0, high: 1 }, scale)
  outline(canvas, scale.x, y, scaleWidth, height)
  const share = ({ value }: Tick): number => (value - range.low) / (range.high - range.low)
  for (const tick of ticksBetween(range.low, range.high, height / 60)) {
    const at = y + Math.round((1 - share(tick)) * (height - 1))
    fillRectangle(canvas, scale.x + scaleWidth + 1, at, tickLength, 1, ink)
    const left = scale.x + scaleWidth + tickLength + gap
    drawText(canvas, tick.label, left, at - Math.floor(capHeight(textScale) / 2), textScale)
  }
  const titleX = Math.min(scale.x, canvas.width - gap - textLength(title, textScale))
  drawText(canvas, title, titleX, y - 2 * gap - capHeight(textScale), textScale)
}
