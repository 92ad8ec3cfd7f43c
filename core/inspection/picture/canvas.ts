/**
 * The canvas: a picture as an array of pixels, with rectangles and text.
 *
 * Coordinates are pixels from the upper left corner; parts outside the canvas are not drawn.
 */
import { glyphHeight, glyphRows, glyphWidth } from "./font.ts"

export type Colour = readonly [red: number, green: number, blue: number]

export const white: Colour = [255, 255, 255]
export const ink: Colour = [32, 32, 32]
/** No packets, or no value. */
export const blank: Colour = [225, 225, 225]

export interface Canvas {
  readonly width: number
  readonly height: number
  /** Red, green and blue of each pixel, row by row. */
  readonly pixels: Uint8Array
}

export const createCanvas = (width: number, height: number): Canvas => ({
  width,
  height,
  pixels: new Uint8Array(3 * width * height).fill(255),
})

export const setPixel = ({ height, pixels, width }: Canvas, x: number, y: number, colour: Colour): void => {
  if (x < 0 || y < 0 || x >= width || y >= height) return
  const at = 3 * (y * width + x)
  pixels[at] = colour[0]
  pixels[at + 1] = colour[1]
  pixels[at + 2] = colour[2]
}

export const fillRectangle = (
  canvas: Canvas,
  x: number,
  y: number,
  width: number,
  height: number,
  colour: Colour,
): void => {
  for (let row = y; row < y + height; row++) {
    for (let column = x; column < x + width; column++) setPixel(canvas, column, row, colour)
  }
}

/** The outline just outside of a rectangle. */
export const outline = (canvas: Canvas, x: number, y: number, width: number, height: number): void => {
  fillRectangle(canvas, x - 1, y - 1, width + 2, 1, ink)
  fillRectangle(canvas, x - 1, y + height, width + 2, 1, ink)
  fillRectangle(canvas, x - 1, y, 1, height, ink)
  fillRectangle(canvas, x + width, y, 1, height, ink)
}

/** Pixels of a text's line from its top to its base, and from one character to the next, at a scale. */
export const capHeight = (scale: number): number => scale * (glyphHeight - 2)
const advance = (scale: number): number => scale * (glyphWidth + 1)

/** Length of a text along its line, pixels. */
export const textLength = (text: string, scale: number): number => text.length * advance(scale) - scale

/** Writes a text. `x`, `y` is the upper left corner of its first character; `upwards` turns the line by a quarter to the left. */
export const drawText = (
  canvas: Canvas,
  text: string,
  x: number,
  y: number,
  scale: number,
  direction: "rightwards" | "upwards" = "rightwards",
): void => {
  for (const [n, character] of [...text].entries()) {
    for (const [row, bits] of glyphRows(character).entries()) {
      for (let column = 0; column < glyphWidth; column++) {
        if ((bits >> (glyphWidth - 1 - column) & 1) === 0) continue
        const along = n * advance(scale) + column * scale
        const across = row * scale
        if (direction === "rightwards") fillRectangle(canvas, x + along, y + across, scale, scale, ink)
        else fillRectangle(canvas, x + across, y - along - scale + 1, scale, scale, ink)
      }
    }
  }
}
