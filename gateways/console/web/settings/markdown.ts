/** The parts of Markdown that model cards use: headings, tables and paragraphs. Marks within a line are left out. */
type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | {
    readonly kind: "table"
    readonly head: ReadonlyArray<string>
    readonly rows: ReadonlyArray<ReadonlyArray<string>>
  }

/** The text of a line without its marks; a link is its text. */
const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "").trim()

const cells = (line: string): ReadonlyArray<string> =>
  line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => plain(cell.replaceAll("\\|", "|")))

const isRule = (line: string): boolean => /^\|?[\s:|-]+\|?$/.test(line)

const blockOf = (lines: ReadonlyArray<string>): Block => {
  const [first = "", second = "", ...rest] = lines
  const heading = /^(#{1,6})\s+(.*)$/.exec(first)
  if (heading !== null) return { kind: "heading", level: heading[1]!.length, text: plain(heading[2]!) }
  if (first.startsWith("|") && isRule(second)) {
    return { kind: "table", head: cells(first), rows: rest.filter((line) => line.startsWith("|")).map(cells) }
  }
  return { kind: "paragraph", text: plain(lines.join(" ")) }
}

/** The blocks of a text, which blank lines separate. */
export const blocksOf = (markdown: string): ReadonlyArray<Block> =>
  markdown.split(/\n\s*\n/)
    .map((block) => block.split("\n").filter((line) => line.trim() !== ""))
    .filter((lines) => lines.length > 0)
    .flatMap((lines) =>
      // A heading may be followed by text without a blank line.
      lines[0]!.startsWith("#") && lines.length > 1 ? [blockOf([lines[0]!]), blockOf(lines.slice(1))] : [blockOf(lines)]
    )
