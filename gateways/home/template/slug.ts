/**
 * Slugs: texts in the characters of entity ids.
 */
/** Letters that lose more than an accent. */
const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", đ: "d", ł: "l", œ: "oe", þ: "th", ð: "d" }

/** A text as a slug; `unknown` if nothing is left of it. */
export const slugOf = (text: string, separator = "_"): string => {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[ßæøđłœþð]/g, (letter) => letters[letter]!)
  const slug = plain.replace(/['"]/g, "").replace(/[^a-z0-9]+/g, separator)
  const trimmed = slug.startsWith(separator) ? slug.slice(separator.length) : slug
  const shown = trimmed.endsWith(separator) ? trimmed.slice(0, -separator.length || undefined) : trimmed
  return shown === "" ? text === "" ? "" : "unknown" : shown
}
