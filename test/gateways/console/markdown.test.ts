/** The Markdown of model cards as blocks. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { blocksOf } from "../../../gateways/console/web/settings/markdown.ts"

describe("the blocks of a text", () => {
  it("are headings, paragraphs of joined lines, and tables, without marks", () => {
    const text =
      "# net-1\nA `net`, *small*,\nsee [its data](data.md).\n\n| | a \\| b |\n|---|---|\n| x | 1 |\n| y | 2, **3** |\n\n\n## Limits"
    expect(blocksOf(text)).toEqual([
      { kind: "heading", level: 1, text: "net-1" },
      { kind: "paragraph", text: "A net, small, see its data." },
      { kind: "table", head: ["", "a | b"], rows: [["x", "1"], ["y", "2, 3"]] },
      { kind: "heading", level: 2, text: "Limits" },
    ])
  })

  it("of the service's own card leave no mark, and its tables are whole", () => {
    const card = readFileSync(new URL("../../../deploy/models/README.md", import.meta.url), "utf8")
    const blocks = blocksOf(card)
    expect(blocks[0]).toMatchObject({ kind: "heading", level: 1 })
    const tables = blocks.flatMap((block) => block.kind === "table" ? [block] : [])
    expect(tables.length).toBeGreaterThan(2)
    for (const { head, rows } of tables) {
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) expect(row, row[0]!).toHaveLength(head.length)
    }
    const texts = blocks.flatMap((block) => block.kind === "table" ? block.rows.flat() : [block.text])
    expect(texts.filter((text) => /\]\(|^#|`/.test(text))).toEqual([])
  })
})
