/**
 * The colour map: a value between 0 and 1 as a colour whose lightness rises evenly, readable without colour vision.
 *
 * The anchors are those of viridis, at equal distances; between them colours are interpolated.
 */
import type { Colour } from "./canvas.ts"

const anchors: ReadonlyArray<Colour> = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
]

const steps = 256

const table: ReadonlyArray<Colour> = Array.from({ length: steps }, (_, step) => {
  const place = step / (steps - 1) * (anchors.length - 1)
  const below = Math.min(Math.floor(place), anchors.length - 2)
  const [from, to] = [anchors[below]!, anchors[below + 1]!]
  const mix = (channel: 0 | 1 | 2): number =>
    Math.round(from[channel] + (place - below) * (to[channel] - from[channel]))
  return [mix(0), mix(1), mix(2)]
})

/** The colour of a value; values below 0 or above 1 have the colour of the end. */
export const colourOf = (value: number): Colour =>
  table[Math.max(0, Math.min(steps - 1, Math.round(value * (steps - 1))))]!
