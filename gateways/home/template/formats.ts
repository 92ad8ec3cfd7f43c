/**
 * Texts with values in them: Python's `%` operator and `str.format`.
 */
import { copy } from "./budget.ts"
import { floatText } from "../../../protocols/domain/exact-json.ts"
import { TemplateError } from "./template-error.ts"
import { isDict, isList, isNumber, reprOf, textOf, Tuple, typeNameOf, type Value } from "./values.ts"

/** The widest field. */
const widthMax = 1_000

const grouped = (digits: string, separator: string): string => {
  const first = digits.length % 3 || 3
  const parts = [digits.slice(0, first)]
  for (let i = first; i < digits.length; i += 3) parts.push(digits.slice(i, i + 3))
  return parts.join(separator)
}

const numberOf = (value: Value): number => {
  if (typeof value === "boolean" || isNumber(value)) return Number(value)
  throw new TemplateError("TypeError", `must be real number, not ${typeNameOf(value)}`)
}

/** A number in the notation of a letter of a format. */
const inNotation = (value: Value, letter: string, precision: number | null): string => {
  if (letter === "d" || letter === "i") {
    return typeof value === "bigint" ? String(value) : String(Math.trunc(numberOf(value)))
  }
  if (letter === "x" || letter === "X" || letter === "o" || letter === "b") {
    const text = BigInt(Math.trunc(numberOf(value))).toString(letter === "o" ? 8 : letter === "b" ? 2 : 16)
    return letter === "X" ? text.toUpperCase() : text
  }
  const number = numberOf(value)
  const places = Math.min(precision ?? 6, 100)
  if (letter === "%") return `${(number * 100).toFixed(places)}%`
  if (letter === "e" || letter === "E") {
    const [digits = "", power = ""] = number.toExponential(places).split("e")
    const text = `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`
    return letter === "E" ? text.toUpperCase() : text
  }
  if (letter === "g") return floatText(Number(number.toPrecision(Math.max(1, places)))).replace(/\.0$/, "")
  return number.toFixed(places)
}

const padded = (text: string, width: number, align: string, fill: string): string => {
  if (width > widthMax) throw new TemplateError("OverflowError", `A field is at most ${widthMax} characters wide.`)
  const missing = width - text.length
  if (missing <= 0) return text
  if (align === "^") return fill.repeat(Math.floor(missing / 2)) + text + fill.repeat(Math.ceil(missing / 2))
  if (align === "<") return text + fill.repeat(missing)
  if (align === "=") {
    const sign = /^[+-]/.exec(text)?.[0] ?? ""
    return sign + fill.repeat(missing) + text.slice(sign.length)
  }
  return fill.repeat(missing) + text
}

const placeholder = /%(?:\((\w+)\))?([-+ 0#]*)(\d+)?(?:\.(\d+))?([diouxXeEfFgGrs%])/g

/** `text % values`. */
export const percentText = (text: string, given: Value): string => {
  const values = given instanceof Tuple ? given.values : isDict(given) ? [] : [given]
  let next = 0
  const shown = text.replace(placeholder, (...parts) => {
    const [, name, flags, width, precision, letter] = parts as ReadonlyArray<string | undefined>
    if (letter === "%") return "%"
    const value = name === undefined ? values[next++] : isDict(given) ? given.get(name) : undefined
    if (value === undefined) throw new TemplateError("TypeError", "not enough arguments for format string")
    const places = precision === undefined ? null : Number(precision)
    const plain = letter === "s"
      ? textOf(value).slice(0, places ?? undefined)
      : letter === "r"
      ? reprOf(value)
      : inNotation(
        value,
        letter!,
        places,
      )
    copy(plain.length)
    const signed = flags!.includes("+") && letter !== "s" && !plain.startsWith("-") ? `+${plain}` : plain
    const align = flags!.includes("-") ? "<" : flags!.includes("0") && letter !== "s" ? "=" : ">"
    return padded(signed, Number(width ?? 0), align, align === "=" ? "0" : " ")
  })
  if (next < values.length && given instanceof Tuple) {
    throw new TemplateError("TypeError", "not all arguments converted during string formatting")
  }
  return shown
}

const specification = /^(?:(.)?([<>=^]))?([+ -])?#?(0)?(\d+)?([,_])?(?:\.(\d+))?([bdeEfFgGnosxX%])?$/s

/** A value in the form of a specification such as `>8.2f`. */
const specified = (value: Value, form: string): string => {
  const found = specification.exec(form)
  if (found === null) throw new TemplateError("ValueError", `Invalid format specifier '${form}'`)
  const [, fill = " ", align, sign, zero, width = "0", separator, precision, letter] = found
  const isText = typeof value === "string"
  if (isText && letter !== undefined && letter !== "s") {
    throw new TemplateError("ValueError", `Unknown format code '${letter}' for object of type 'str'`)
  }
  const places = precision === undefined ? null : Number(precision)
  let text = isText
    ? value.slice(0, places ?? undefined)
    : letter !== undefined && letter !== "s"
    ? inNotation(value, letter === "n" ? "g" : letter, places)
    : isNumber(value) && places !== null
    ? inNotation(value, "g", places)
    : textOf(value)
  if (separator !== undefined) text = text.replace(/\d+/, (digits) => grouped(digits, separator))
  if ((sign === "+" || sign === " ") && !text.startsWith("-")) text = sign + text
  const by = align ?? (zero === undefined ? (isNumber(value) ? ">" : "<") : "=")
  return padded(text, Number(width), by, zero === undefined || align !== undefined ? fill : "0")
}

const field = /\{\{|\}\}|\{([^{}!:]*)(?:!([rs]))?(?::([^{}]*))?\}/g

/** `text.format(...)`. A field is a position or a name, with keys in brackets; attributes are not read. */
export const formatText = (text: string, values: ReadonlyArray<Value>, named: ReadonlyMap<string, Value>): string => {
  let next = 0
  return text.replace(field, (whole, path: string | undefined, conversion: string | undefined, form = "") => {
    if (whole === "{{" || whole === "}}") return whole[0]!
    const [, name = "", keys = ""] = /^(\w*)((?:\[[^\]]*\])*)$/.exec(path ?? "") ?? [undefined, "?", ""]
    let value = name === "" ? values[next++] : /^\d+$/.test(name) ? values[Number(name)] : named.get(name)
    for (const [, key] of keys.matchAll(/\[([^\]]*)\]/g)) {
      value = isList(value ?? null)
        ? (value as ReadonlyArray<Value>)[Number(key)]
        : isDict(value ?? null)
        ? (value as ReadonlyMap<Value, Value>).get(key!)
        : undefined
    }
    if (value === undefined) {
      throw new TemplateError("ValueError", `Replacement field '${path}' has no value.`)
    }
    const shown = specified(conversion === "r" ? reprOf(value) : conversion === "s" ? textOf(value) : value, form)
    copy(shown.length)
    return shown
  })
}
