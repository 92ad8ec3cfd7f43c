/**
 * Operators of templates on values, as in Python, with bounds on the size of results.
 */
import { copy, visit } from "./budget.ts"
import { percentText } from "./formats.ts"
import { TemplateError } from "./template-error.ts"
import {
  isDict,
  isEqual,
  isList,
  isNumber,
  PyObject,
  PySet,
  sizeOf,
  textOf,
  Tuple,
  typeNameOf,
  Undefined,
  type Value,
} from "./values.ts"
import { addTimes, compareTimes, isTimeValue, subtractTimes, TimeDelta } from "./times.ts"

/** The longest text and list of a template, and the longest integer in decimal digits. */
const textLengthMax = 262_144
export const listLengthMax = 100_000
const digitsMax = 1_000

const tooBig = (what: string, most: number) =>
  new TemplateError("OverflowError", `${what} has more than ${most} parts.`)

/** A text within the bound. */
export const boundedText = (text: string): string => {
  if (text.length > textLengthMax) throw tooBig("A text", textLengthMax)
  return text
}

/** A list within the bound. */
export const boundedList = <L extends ReadonlyArray<Value>>(list: L): L => {
  if (list.length > listLengthMax) throw tooBig("A list", listLengthMax)
  return list
}

const integerMax = 10n ** BigInt(digitsMax)
const boundedInteger = (value: bigint): bigint => {
  if (value > integerMax || value < -integerMax) throw tooBig("An integer", digitsMax)
  return value
}

/** A boolean as the integer that Python takes it for. */
const numeric = (value: Value): Value => typeof value === "boolean" ? BigInt(value) : value

const unsupported = (operator: string, a: Value, b: Value) =>
  new TemplateError(
    "TypeError",
    `unsupported operand type(s) for ${operator}: '${typeNameOf(a)}' and '${typeNameOf(b)}'`,
  )

const zeroDivision = (message = "division by zero") => new TemplateError("ZeroDivisionError", message)

const floorDivided = (a: bigint, b: bigint): bigint => {
  if (b === 0n) throw zeroDivision("integer division or modulo by zero")
  const quotient = a / b
  return a % b !== 0n && (a < 0n) !== (b < 0n) ? quotient - 1n : quotient
}

const integers: Readonly<Record<string, (a: bigint, b: bigint) => Value>> = {
  "+": (a, b) => boundedInteger(a + b),
  "-": (a, b) => boundedInteger(a - b),
  "*": (a, b) => boundedInteger(a * b),
  "//": floorDivided,
  "%": (a, b) => a - floorDivided(a, b) * b,
  "/": (a, b) => {
    if (b === 0n) throw zeroDivision()
    return Number(a) / Number(b)
  },
  "**": (a, b) => {
    if (b < 0n) {
      if (a === 0n) throw zeroDivision("zero to a negative power")
      return Number(a) ** Number(b)
    }
    if (BigInt(String(a).length) * b > BigInt(4 * digitsMax)) throw tooBig("An integer", digitsMax)
    return boundedInteger(a ** b)
  },
}

const floats: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "//": (a, b) => {
    if (b === 0) throw zeroDivision()
    return Math.floor(a / b)
  },
  "%": (a, b) => {
    if (b === 0) throw zeroDivision()
    return a - Math.floor(a / b) * b
  },
  "/": (a, b) => {
    if (b === 0) throw zeroDivision()
    return a / b
  },
  "**": (a, b) => a ** b,
}

const repeated = (value: string | ReadonlyArray<Value>, times: bigint): Value => {
  const count = times < 0n ? 0 : Number(times)
  if (typeof value === "string") {
    if (value.length * count > textLengthMax) throw tooBig("A text", textLengthMax)
    return value.repeat(count)
  }
  if (value.length * count > listLengthMax) throw tooBig("A list", listLengthMax)
  visit(count)
  return Array.from({ length: count }, () => value).flat()
}

const isSequence = (value: Value): value is string | ReadonlyArray<Value> => typeof value === "string" || isList(value)

const added = (a: Value, b: Value): Value => {
  if (typeof a === "string" && typeof b === "string") return boundedText(a + b)
  if (typeof a === "string") {
    throw new TemplateError("TypeError", `can only concatenate str (not "${typeNameOf(b)}") to str`)
  }
  if (isList(a) && isList(b)) return boundedList([...a, ...b])
  if (a instanceof Tuple && b instanceof Tuple) return new Tuple(boundedList([...a.values, ...b.values]))
  if (isTimeValue(a) || isTimeValue(b)) return addTimes(a, b)
  throw unsupported("+", a, b)
}

/** The arithmetic of values other than two numbers. */
const otherArithmetic = (operator: string, a: Value, b: Value): Value => {
  if (operator === "+") return added(a, b)
  if (operator === "*" && isSequence(a) && typeof b === "bigint") return repeated(a, b)
  if (operator === "*" && isSequence(b) && typeof a === "bigint") return repeated(b, a)
  if (operator === "%" && typeof a === "string") return boundedText(percentText(a, b))
  if (operator === "-" && isTimeValue(a) && isTimeValue(b)) return subtractTimes(a, b)
  if (operator === "-" && a instanceof PySet && b instanceof PySet) {
    return new PySet(a.values.filter((value) => !contains(b, value)))
  }
  if (a instanceof TimeDelta && isNumber(b)) {
    if (operator === "*") return new TimeDelta(a.us * Number(b))
    if (operator === "/" && Number(b) !== 0) return new TimeDelta(a.us / Number(b))
  }
  if (a instanceof TimeDelta && b instanceof TimeDelta && operator === "/" && b.us !== 0) return a.us / b.us
  throw unsupported(operator === "**" ? "** or pow()" : operator, a, b)
}

/** `+ - * / // % **` of two values. */
export const arithmetic = (operator: string, left: Value, right: Value): Value => {
  for (const side of [left, right]) if (side instanceof Undefined) throw side.error()
  const [a, b] = [numeric(left), numeric(right)]
  if (typeof a === "bigint" && typeof b === "bigint") return integers[operator]!(a, b)
  return isNumber(a) && isNumber(b) ? floats[operator]!(Number(a), Number(b)) : otherArithmetic(operator, left, right)
}

/** Less than zero, zero or more as `a` is before, equal to or after `b`. */
export const compare = (a: Value, b: Value, operator = "<"): number => {
  for (const side of [a, b]) if (side instanceof Undefined) throw side.error()
  const [left, right] = [numeric(a), numeric(b)]
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0
  copy(sizeOf(left, right))
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0
  const [first, second] = [sequenceOf(left), sequenceOf(right)]
  if (first !== null && second !== null && typeNameOf(left) === typeNameOf(right)) {
    for (let i = 0; i < Math.min(first.length, second.length); i++) {
      if (!isEqual(first[i]!, second[i]!)) return compare(first[i]!, second[i]!, operator)
    }
    return first.length - second.length
  }
  const times = compareTimes(left, right)
  if (times !== null) return times
  throw new TemplateError(
    "TypeError",
    `'${operator}' not supported between instances of '${typeNameOf(a)}' and '${typeNameOf(b)}'`,
  )
}

/** The values of a list or tuple; null for other values. */
const sequenceOf = (value: Value): ReadonlyArray<Value> | null =>
  isList(value) ? value : value instanceof Tuple ? value.values : null

/** What a search from the left takes at most, in characters that are read; V8 skips at least one in 250 of what it looks for. */
export const searchOf = (text: string, part: string): number => text.length * (1 + part.length / 250)

/** Whether a container has a value: `value in container`. */
export const contains = (container: Value, value: Value): boolean => {
  if (container instanceof Undefined) return false
  if (typeof container === "string") {
    if (typeof value === "string") {
      copy(searchOf(container, value))
      return container.includes(value)
    }
    throw new TemplateError("TypeError", `'in <string>' requires string as left operand, not ${typeNameOf(value)}`)
  }
  if (isList(container)) return container.some((part) => isEqual(part, value))
  if (isDict(container)) return container.has(value)
  const items = container instanceof PyObject ? container.items() : null
  if (items === null) {
    throw new TemplateError("TypeError", `argument of type '${typeNameOf(container)}' is not a container or iterable`)
  }
  for (const part of items) if (isEqual(part, value)) return true
  return false
}

/** The values of an iterable; for a dict its keys, for a text its characters. */
export const itemsOf = (value: Value): ReadonlyArray<Value> => {
  if (isList(value)) return value
  if (typeof value === "string") {
    copy(value.length)
    return boundedList([...value])
  }
  if (isDict(value)) return [...value.keys()]
  const items = value instanceof PyObject ? value.items() : null
  if (items === null) throw new TemplateError("TypeError", `'${typeNameOf(value)}' object is not iterable`)
  return Array.isArray(items) ? items : [...items]
}

/** `~`: both values as texts. */
export const concatenated = (a: Value, b: Value): string => boundedText(textOf(a) + textOf(b))
