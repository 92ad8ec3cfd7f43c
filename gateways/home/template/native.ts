/**
 * The value that a rendered text stands for: a number, boolean, None, list, tuple, dict or set in Python's notation; else the text itself.
 */
import { toJson } from "./json-values.ts"
import { PySet, Tuple, type Value } from "./values.ts"

const numeric = /^[+-]?(?!0\d)\d*(?:\.\d*)?$/
const depthMax = 32

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** Reads one literal. Throws `SyntaxError` where there is none. */
class LiteralReader {
  readonly #text: string
  #at = 0
  #depth = 0
  constructor(text: string) {
    this.#text = text
  }
  whole(): Value {
    const value = this.#value()
    this.#space()
    if (this.#at < this.#text.length) throw new SyntaxError()
    return value
  }
  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++
  }
  #take(token: string): boolean {
    this.#space()
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    return true
  }
  #value(): Value {
    if (++this.#depth > depthMax) throw new SyntaxError()
    this.#space()
    const value = this.#take("[")
      ? this.#list("]")
      : this.#take("(")
      ? this.#tuple()
      : this.#take("{")
      ? this.#braces()
      : this.#atom()
    this.#depth--
    return value
  }
  #list(end: string): Array<Value> {
    const values: Array<Value> = []
    while (!this.#take(end)) {
      values.push(this.#value())
      if (!this.#take(",")) {
        if (!this.#take(end)) throw new SyntaxError()
        break
      }
    }
    return values
  }
  #tuple(): Value {
    const from = this.#at
    const values = this.#list(")")
    const isGroup = values.length === 1 && !/,\s*\)$/.test(this.#text.slice(from, this.#at))
    return isGroup ? values[0]! : new Tuple(values)
  }
  #braces(): Value {
    if (this.#take("}")) return new Map()
    const first = this.#value()
    if (!this.#take(":")) {
      if (this.#take("}")) return new PySet([first])
      if (!this.#take(",")) throw new SyntaxError()
      return new PySet([first, ...this.#list("}")])
    }
    const dict = new Map<Value, Value>([[first, this.#value()]])
    while (!this.#take("}")) {
      if (!this.#take(",")) throw new SyntaxError()
      if (this.#take("}")) break
      const key = this.#value()
      if (!this.#take(":")) throw new SyntaxError()
      dict.set(key, this.#value())
    }
    return dict
  }
  #atom(): Value {
    const rest = this.#text.slice(this.#at)
    const text = /^(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/.exec(rest)
    if (text !== null) {
      this.#at += text[0].length
      return (text[1] ?? text[2]!).replace(
        /\\(.)/g,
        (whole, what: string) => escapes[what] ?? (/['"\\]/.test(what) ? what : whole),
      )
    }
    const word = /^(?:True|False|None)\b/.exec(rest)?.[0]
    if (word !== undefined) {
      this.#at += word.length
      return word === "None" ? null : word === "True"
    }
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/.exec(rest)?.[0]
    if (number === undefined || /^[+-]?0\d/.test(number)) throw new SyntaxError()
    this.#at += number.length
    return /[.eE]/.test(number) ? Number(number) : BigInt(number)
  }
}

const literalOf = (text: string): Value | undefined => {
  try {
    return new LiteralReader(text).whole()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The value of a rendered text. */
const nativeOf = (text: string): Value => {
  const value = literalOf(text)
  if (value === undefined || typeof value === "string") return text
  // A number in another notation, such as 1e5 or 007, is meant as a text.
  return (typeof value === "number" || typeof value === "bigint") && !numeric.test(text) ? text : value
}

/** The value as JSON text. */
export const nativeJson = (text: string): string => toJson(nativeOf(text), { isPretty: false, isSorted: false })
