import { describe, expect, it } from "vitest"
import { progressBar, type ProgressOptions } from "../../../deploy/commands/progress-bar.ts"

/** The output of a job, percent by percent. */
const written = (isTTY: boolean, options: ProgressOptions = {}): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const bar = progressBar("simulating", { ...options, screen: { isTTY, write: (text) => texts.push(text) } })
  for (let i = 0; i <= 1000; i++) bar.show(i / 1000)
  bar.clear()
  return texts
}

describe("progress", () => {
  it("is a bar on a terminal, drawn once per percent and removed", () => {
    const texts = written(true)
    expect(texts).toHaveLength(101)
    expect(texts[50]).toBe(`\rsimulating [${"#".repeat(15)}${" ".repeat(15)}] 50 %`)
    expect(texts.at(-1)).toBe("\r\x1b[K")
  })

  it("is a line for every tenth elsewhere, or nothing", () => {
    const tenths = Array.from({ length: 10 }, (_, i) => `simulating: ${10 * (i + 1)} %\n`)
    expect(written(false, { lines: true })).toEqual(tenths)
    expect(written(false)).toEqual([])
  })

  it("shows nothing while the length is unknown", () => {
    const texts: Array<string> = []
    const bar = progressBar("x", { lines: true, screen: { isTTY: true, write: (text) => texts.push(text) } })
    bar.show(null)
    bar.clear()
    expect(texts).toEqual([])
  })
})
