import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { blank, createCanvas, drawText, textLength } from "../../../../core/inspection/picture/canvas.ts"
import { colourOf } from "../../../../core/inspection/picture/colour-map.ts"
import { glyphHeight, glyphRows, glyphWidth } from "../../../../core/inspection/picture/font.ts"
import { colourRangeOf, drawTable } from "../../../../core/inspection/picture/heat-map.ts"
import { ticksBetween } from "../../../../core/inspection/picture/ticks.ts"

const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))

describe("the font", () => {
  it("has a glyph of its own for every printable character", () => {
    const glyphs = printable.map((character) => glyphRows(character))
    for (const rows of glyphs) {
      expect(rows).toHaveLength(glyphHeight)
      expect(rows.every((row) => row >= 0 && row < 2 ** glyphWidth)).toBe(true)
    }
    expect(new Set(glyphs.map(String)).size).toBe(95)
  })

  it("shows a question mark for what it lacks", () => {
    expect(glyphRows("é")).toEqual(glyphRows("?"))
  })
})

describe("the canvas", () => {
  it("writes within the length it says, and turned by a quarter the same pixels", () => {
    const inked = (turned: boolean) => {
      const canvas = createCanvas(60, 60)
      if (turned) drawText(canvas, "Lp7", 0, 59, 2, "upwards")
      else drawText(canvas, "Lp7", 0, 0, 2)
      const dark: Array<string> = []
      for (let y = 0; y < 60; y++) {
        for (let x = 0; x < 60; x++) {
          if (canvas.pixels[3 * (60 * y + x)]! < 128) dark.push(turned ? `${59 - y},${x}` : `${x},${y}`)
        }
      }
      return dark.sort()
    }
    const across = inked(false)
    expect(across.length).toBeGreaterThan(0)
    expect(Math.max(...across.map((place) => Number(place.split(",")[0])))).toBeLessThan(textLength("Lp7", 2))
    expect(inked(true)).toEqual(across)
  })

  it("leaves out what lies outside", () => {
    const canvas = createCanvas(4, 4)
    drawText(canvas, "W", -3, -3, 3)
    expect(canvas.pixels).toHaveLength(48)
  })
})

describe("the colour map", () => {
  it("gets lighter all the way, and ends at its ends", () => {
    const lightness = Array.from({ length: 65 }, (_, i) => {
      const [red, green, blue] = colourOf(i / 64)
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    })
    expect(lightness.every((value, i) => i === 0 || value > lightness[i - 1]!)).toBe(true)
    expect(colourOf(-3)).toEqual(colourOf(0))
    expect(colourOf(7)).toEqual(colourOf(1))
  })
})

describe("ticks", () => {
  it.each<[number, number, number, ReadonlyArray<string>]>([
    [0, 60, 6, ["0", "10", "20", "30", "40", "50", "60"]],
    [-0.4, 0.4, 4, ["-0.4", "-0.2", "0", "0.2", "0.4"]],
    [-28, 28, 3, ["-20", "0", "20"]],
    [1970, 2010, 2, ["1980", "2000"]],
    [5, 5, 3, []],
  ])("from %f to %f", (low, high, wanted, labels) => {
    expect(ticksBetween(low, high, wanted).map(({ label }) => label)).toEqual(labels)
  })

  it("are within the range, ascend, and say what they are", () => {
    const range = fc.tuple(
      fc.double({ min: -1e6, max: 1e6 }),
      fc.double({ min: 1e-3, max: 1e6 }),
      fc.integer({ min: 1, max: 12 }),
    )
    fc.assert(fc.property(range, ([low, length, wanted]) => {
      const ticks = ticksBetween(low, low + length, wanted)
      expect(ticks.length).toBeLessThanOrEqual(wanted + 1)
      for (const [i, { label, value }] of ticks.entries()) {
        expect(value).toBeGreaterThanOrEqual(low - 1e-6 * length)
        expect(value).toBeLessThanOrEqual(low + length * (1 + 1e-6))
        expect(Math.abs(Number(label) - value)).toBeLessThan(length / 100)
        if (i > 0) expect(value).toBeGreaterThan(ticks[i - 1]!.value)
      }
    }))
  })
})

describe("the heat map", () => {
  const table = (values: ReadonlyArray<ReadonlyArray<number>>) => ({
    columns: values[0]!.length,
    rows: values.length,
    at: (column: number, row: number) => values[row]![column]!,
  })
  const pixelsOf = (values: ReadonlyArray<ReadonlyArray<number>>, width: number, height: number) => {
    const canvas = createCanvas(width, height)
    drawTable(canvas, table(values), { low: 0, high: 1 }, { x: 0, y: 0, width, height })
    return (x: number, y: number) => [...canvas.pixels.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)]
  }

  it("shows each value where it belongs, and none as blank", () => {
    const pixel = pixelsOf([[0, 1], [NaN, 0.5]], 20, 20)
    expect([pixel(2, 2), pixel(17, 2), pixel(2, 17), pixel(17, 17)]).toEqual([
      colourOf(0),
      colourOf(1),
      blank,
      colourOf(0.5),
    ])
  })

  it("shows the mean of what one pixel covers", () => {
    expect(pixelsOf([[0, 1, NaN, NaN]], 2, 1)(0, 0)).toEqual(colourOf(0.5))
    expect(pixelsOf([[0, 1, NaN, NaN]], 2, 1)(1, 0)).toEqual(blank)
  })

  it("spreads its colours over most of the values, and not over nothing", () => {
    const values = [Array.from({ length: 101 }, (_, i) => i === 100 ? 1e6 : i)]
    expect(colourRangeOf(table(values), { low: 0, high: 0.98 }, 3)).toEqual({ low: 0, high: 98 })
    expect(colourRangeOf(table([[5, 5, NaN]]), { low: 0, high: 1 }, 3)).toEqual({ low: 5, high: 8 })
    expect(colourRangeOf(table([[NaN]]), { low: 0, high: 1 }, 3)).toEqual({ low: 0, high: 3 })
  })
})
