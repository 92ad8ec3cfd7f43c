/**
 * Parses the text of a template.
 *
 * The parser of `@huggingface/jinja` does the work. It lacks tests with arguments (`x is divisibleby(3)`), `raw`, `do`, and Python's rule for
 * unknown escapes, and forgets parentheses; this file rewrites the text and its tokens, so that the parser reads them: a test becomes a filter
 * whose name begins with `is `, and a value in parentheses that is compared goes through the filter `grouping`.
 */
import { parse, tokenize } from "@huggingface/jinja"
import { TemplateError } from "./template-error.ts"

type Program = ReturnType<typeof parse>
type Token = ReturnType<typeof tokenize>[number]

/** The longest template in characters. */
const sourceLengthMax = 65_536
const depthMax = 100

/** Blocks without an end reach to the end of the text, so that they are looked through once. */
const rawBlock = /\{%-?\s*raw\s*(-?)%\}([\s\S]*?)(?:\{%(-?)\s*endraw\s*-?%\}|$)/g
const block = /\{#[\s\S]*?(?:#\}|$)|\{\{[\s\S]*?(?:\}\}|$)|\{%[\s\S]*?(?:%\}|$)/g
/** A backslash with what it escapes. */
const escaped = /\\([\s\S])/g
const knownEscapes: ReadonlySet<string> = new Set([..."ntrbfvxu'\"\\"])

/** A text, or a number that the parser does not read: one with an exponent, or longer than JavaScript's numbers hold. */
const literal = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|\b\d+(?:\.\d+)?[eE][+-]?\d+\b|\b\d{16,}\b(?!\.)/g

const readableLiteral = (text: string): string => {
  if (/^\d+$/.test(text)) return `("${text}" | int)`
  if (/^\d/.test(text)) return `("${text}" | float)`
  return text.replace(escaped, (whole, what: string) => knownEscapes.has(what) ? whole : `\\\\${what}`)
}

/** A block with the escapes that Python leaves alone, such as `\d`, written as two backslashes. */
const readableBlock = (text: string): string =>
  text.startsWith("{#") ? text : text.replace(literal, readableLiteral).replace(/^(\{%-?\s*)do\s/, "$1set _ = ")

/** A raw block as an expression that prints its text. */
const printedRaw = (whole: string, before: string, text: string, after: string | undefined): string => {
  if (after === undefined) return whole
  const start = before === "-" ? text.trimStart() : text
  const shown = after === "-" ? start.trimEnd() : start
  return `{{ ${JSON.stringify(shown).replaceAll("{", "\\u007b").replaceAll("}", "\\u007d")} }}`
}

const token = (value: string, type: Token["type"]): Token => ({ value, type })

const openers: ReadonlySet<string> = new Set(["OpenParen", "OpenSquareBracket", "OpenCurlyBracket"])
const closers: ReadonlySet<string> = new Set(["CloseParen", "CloseSquareBracket", "CloseCurlyBracket"])
/** Words that follow a test and are not its argument. */
const keywords: ReadonlySet<string> = new Set(["and", "or", "not", "if", "elif", "else", "is", "in", "recursive"])

/** The index after the bracket and its content, or the one token, at `at`. */
const endOfPart = (tokens: ReadonlyArray<Token>, at: number): number => {
  let depth = 0
  for (let i = at; i < tokens.length; i++) {
    const { type } = tokens[i]!
    if (openers.has(type)) depth++
    else if (closers.has(type)) depth--
    if (depth === 0) return i + 1
  }
  return tokens.length
}

/** The index after the value that begins at `at`, with its attributes, items and calls. */
const endOfValue = (tokens: ReadonlyArray<Token>, at: number): number => {
  let end = endOfPart(tokens, at)
  for (let next = tokens[end]?.type; next !== undefined; next = tokens[end]?.type) {
    if (next === "Dot") end += 2
    else if (next === "OpenParen" || next === "OpenSquareBracket") end = endOfPart(tokens, end)
    else break
  }
  return end
}

const beginsArgument = (next: Token | undefined): boolean => {
  if (next === undefined) return false
  if (next.type === "Identifier") return !keywords.has(next.value)
  return ["StringLiteral", "NumericLiteral", "OpenSquareBracket", "OpenCurlyBracket"].includes(next.type)
}

/** The tokens with each test as a filter. */
const withTestsAsFilters = (tokens: ReadonlyArray<Token>): Array<Token> => {
  const out: Array<Token> = []
  let inBlock = false
  for (let i = 0; i < tokens.length; i++) {
    const { type, value } = tokens[i]!
    if (type === "OpenStatement" || type === "OpenExpression") inBlock = true
    else if (type === "CloseStatement" || type === "CloseExpression") inBlock = false
    if (!inBlock || type !== "Identifier" || value !== "is" || tokens[i - 1]?.type === "Dot") {
      out.push(tokens[i]!)
      continue
    }
    const negated = tokens[i + 1]?.value === "not"
    const at = negated ? i + 2 : i + 1
    out.push(token("|", "Pipe"), token(`${negated ? "is not" : "is"} ${tokens[at]?.value ?? ""}`, "Identifier"))
    i = at
    if (!beginsArgument(tokens[at + 1])) continue
    const end = endOfValue(tokens, at + 1)
    const argument = withTestsAsFilters([token("{{", "OpenExpression"), ...tokens.slice(at + 1, end)]).slice(1)
    out.push(token("(", "OpenParen"), ...argument, token(")", "CloseParen"))
    i = end - 1
  }
  return out
}

/** The filter that marks a comparison in parentheses, which is no part of a chain such as `a < b < c`. */
export const grouping = "( )"

const isComparison = (next: Token | undefined): boolean =>
  next?.type === "ComparisonBinaryOperator" ||
  (next?.type === "Identifier" && (next.value === "in" || next.value === "not"))

/** Whether a parenthesis after this token begins the arguments of a call. */
const isCallee = (before: Token | undefined): boolean =>
  before !== undefined && (closers.has(before.type) || (before.type === "Identifier" && !keywords.has(before.value)))

/** The tokens with the mark of each value in parentheses that is the left side of a comparison. */
const withGroupings = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const calls: Array<boolean> = []
  return tokens.flatMap((each, i) => {
    if (openers.has(each.type)) calls.push(each.type !== "OpenParen" || isCallee(tokens[i - 1]))
    if (!closers.has(each.type) || calls.pop() !== false || !isComparison(tokens[i + 1])) return [each]
    return [each, token("|", "Pipe"), token(grouping, "Identifier")]
  })
}

/** The deepest nesting of brackets and blocks, on which the parser's own stack depends. */
const depthOf = (tokens: ReadonlyArray<Token>): number => {
  let [depth, most] = [0, 0]
  for (const { type, value } of tokens) {
    if (openers.has(type) || /^(for|if|macro|call|filter|not)$/.test(value)) most = Math.max(most, ++depth)
    else if (closers.has(type) || value.startsWith("end") || type === "CloseExpression") depth = Math.max(0, depth - 1)
  }
  return most
}

const compiled = new Map<string, Program>()
const compiledMax = 256

/** The words of the two messages that clients know; other messages of the parser stay. */
const messageOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  if (/undefined|end of input|Unexpected token: undefined/i.test(text)) return "unexpected end of template"
  return text
}

/** The program of a template. Templates in use are parsed once. */
export const programOf = (source: string): Program => {
  const known = compiled.get(source)
  if (known !== undefined) return known
  if (source.length > sourceLengthMax) {
    throw new TemplateError("TemplateSyntaxError", `the template has more than ${sourceLengthMax} characters`)
  }
  const text = source.replace(rawBlock, printedRaw).replace(block, readableBlock)
  let program: Program
  try {
    const tokens = withGroupings(withTestsAsFilters(tokenize(text)))
    if (depthOf(tokens) > depthMax) throw new SyntaxError(`nested deeper than ${depthMax}`)
    program = parse([...tokens])
  } catch (error) {
    throw new TemplateError("TemplateSyntaxError", messageOf(error))
  }
  if (compiled.size >= compiledMax) compiled.delete(compiled.keys().next().value!)
  compiled.set(source, program)
  return program
}
