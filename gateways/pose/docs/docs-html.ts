/**
 * HTML of the documentation page. Invariant: all text is escaped.
 */
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export const escaped = (text: unknown): string =>
  String(text ?? "").replace(/[&<>"']/g, (character) => escapes[character]!)

export const code = (text: unknown): string => `<code>${escaped(text)}</code>`

/** A table whose cells are HTML; empty without rows. */
export const table = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  rows.length === 0
    ? ""
    : `<h3>${escaped(caption)}</h3><div class="table"><table><thead><tr>${
      head.map((name) => `<th scope="col">${escaped(name)}</th>`).join("")
    }</tr></thead><tbody>${
      rows.map(([first, ...cells]) =>
        `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
      ).join("")
    }</tbody></table></div>`
