/**
 * Home Assistant's functions on numbers. Most read texts as numbers, and take a default for what is none.
 */
import { spend } from "./budget.ts"
import { argumentOf } from "./filters.ts"
import type { Tools } from "./expressions.ts"
import { compare, itemsOf } from "./operators.ts"
import { TemplateError } from "./template-error.ts"
import { isEqual, isNumber, isTrue, type Named, reprOf, textOf, Undefined, type Value } from "./values.ts"

/** A function of templates; as a filter, its first argument is the value. */
export type HomeFunction = (args: ReadonlyArray<Value>, named: Named, tools: Tools) => Value

const decimal = /^[+-]?(?=\.?\d)(?:\d[\d_]*)?(?:\.\d*)?(?:[eE][+-]?\d+)?$/

/** A value as a float; null if it is none. */
export const floatOf = (value: Value | undefined): number | null => {
  if (value === undefined || value === null) return null
  if (isNumber(value) || typeof value === "boolean") return Number(value)
  if (typeof value !== "string") return null
  const text = value.trim()
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity
  if (/^[+-]?nan$/i.test(text)) return NaN
  return decimal.test(text) ? Number(text.replaceAll("_", "")) : null
}

/** The default of a call, if it has one; else an error. */
export const otherwiseOf = (
  name: string,
  args: ReadonlyArray<Value>,
  named: Named,
  at: number,
  { source }: Tools,
): Value => {
  const otherwise = args[at] === undefined ? named.get("default") : args[at]
  if (otherwise !== undefined) return otherwise
  const given = args[0] ?? null
  if (given instanceof Undefined) throw given.error()
  throw new TemplateError(
    "ValueError",
    `Template error: ${name} got invalid input ${
      reprOf(given)
    } when rendering template '${source}' but no default was specified`,
  )
}

/** A function of floats: `get` returns null for numbers that it has no result for. */
const onFloats = (
  name: string,
  count: 1 | 2,
  get: (a: number, b: number) => number | null,
  second: number | null = null,
): HomeFunction =>
(args, named, tools) => {
  const a = floatOf(args[0])
  const b = count === 1 ? 0 : floatOf(args[1]) ?? (args[1] === undefined ? second : null)
  const result = a === null || b === null ? null : get(a, b)
  return result === null || Number.isNaN(result) ? otherwiseOf(name, args, named, count, tools) : result
}

const integerOf = (value: Value | undefined, base: number): bigint | null => {
  if (typeof value === "bigint") return value
  if (typeof value === "boolean") return BigInt(value)
  const text = typeof value === "string" ? value.trim().replaceAll("_", "") : ""
  if (base === 10 && /^[+-]?\d{1,1000}$/.test(text)) return BigInt(text)
  if (base !== 10 && text !== "") {
    const digits = text.toLowerCase().replace(/^0[xbo]/, "")
    const number = Number.parseInt(digits, base)
    return Number.isSafeInteger(number) && number.toString(base) === digits.replace(/^0+(?=.)/, "")
      ? BigInt(number)
      : null
  }
  const number = floatOf(value)
  return number === null || !Number.isFinite(number) ? null : BigInt(Math.trunc(number))
}

const int: HomeFunction = (args, named, tools) => {
  const base = argumentOf(args, named, 2, "base")
  return integerOf(args[0], typeof base === "bigint" ? Number(base) : 10) ?? otherwiseOf("int", args, named, 1, tools)
}

/** The numbers of one list, or the arguments themselves. */
const manyOf = (args: ReadonlyArray<Value>): ReadonlyArray<Value> => args.length === 1 ? itemsOf(args[0]!) : args

const extreme = (sign: 1 | -1): HomeFunction => (args) => {
  const values = manyOf(args)
  spend(values.length)
  if (values.length === 0) throw new TemplateError("ValueError", "iterable argument is empty")
  return values.reduce((best, each) => sign * compare(each, best) > 0 ? each : best)
}

/** A statistic of a list of numbers. */
const statistic =
  (name: string, get: (sorted: ReadonlyArray<number>) => number): HomeFunction => (args, named, tools) => {
    const list = args.length > 1 && isNumber(args[0]!) ? args : itemsOf(args[0] ?? [])
    spend(list.length)
    const numbers = list.map((each) => isNumber(each) ? Number(each) : null)
    if (numbers.length === 0 || numbers.includes(null)) {
      return otherwiseOf(name, [args[0] ?? null, ...args.slice(1)], named, 1, tools)
    }
    const result = get((numbers as Array<number>).sort((a, b) => a - b))
    // The middle of integers is one of them.
    return name === "median" && list.length % 2 === 1 ? list.find((each) => Number(each) === result) ?? result : result
  }

const average = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0) / numbers.length
const median = (sorted: ReadonlyArray<number>): number =>
  (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2

/** A number to a number of decimals; halves go to the even neighbour. */
const roundedTo = (value: number, places: number, method: string): number => {
  const factor = 10 ** places
  if (method === "half") return Math.round(value * 2) / 2
  if (method === "ceil") return Math.ceil(value * factor) / factor
  if (method === "floor") return Math.floor(value * factor) / factor
  const scaled = Number((value * factor).toPrecision(15))
  const floor = Math.floor(scaled)
  return (scaled - floor === 0.5 ? floor + floor % 2 : Math.round(scaled)) / factor
}

const round: HomeFunction = (args, named, tools) => {
  const number = floatOf(args[0])
  const precision = argumentOf(args, named, 1, "precision")
  const method = argumentOf(args, named, 2, "method")
  if (number === null || !Number.isFinite(number)) return otherwiseOf("round", args, named, 3, tools)
  const places = typeof precision === "bigint" ? Math.max(-20, Math.min(20, Number(precision))) : 0
  const rounded = roundedTo(number, places, method === null ? "common" : textOf(method))
  return places === 0 ? BigInt(Math.trunc(rounded)) : rounded
}

const bitwise = (get: (a: bigint, b: bigint) => bigint): HomeFunction => ([a = null, b = null]) => {
  if (typeof a !== "bigint" || typeof b !== "bigint") {
    throw new TemplateError("TypeError", "bitwise operands are integers")
  }
  return get(a, b)
}

const trueWords = ["1", "true", "yes", "on", "enable"]
const falseWords = ["0", "false", "no", "off", "disable"]

const bool: HomeFunction = (args, named, tools) => {
  const [value = null] = args
  if (typeof value === "boolean") return value
  if (isNumber(value)) return Number(value) !== 0
  const word = typeof value === "string" ? value.trim().toLowerCase() : ""
  return trueWords.includes(word)
    ? true
    : falseWords.includes(word)
    ? false
    : otherwiseOf("bool", args, named, 1, tools)
}

const iif: HomeFunction = (args, named) => {
  const [value = null] = args
  const none = argumentOf(args, named, 3, "if_none")
  const otherwise = args[2] === undefined ? named.get("if_false") ?? false : args[2]
  if (value === null && (args.length > 3 || named.has("if_none"))) return none
  return isTrue(value) ? args[1] === undefined ? named.get("if_true") ?? true : args[1] : otherwise
}

const mode: HomeFunction = (args) => {
  const values = manyOf(args)
  spend(values.length ** 2)
  const counts = values.map((each) => values.filter((other) => isEqual(each, other)).length)
  return values[counts.indexOf(Math.max(...counts))] ?? null
}

/** The functions; all are filters too. */
export const numberFunctions: ReadonlyArray<readonly [name: string, run: HomeFunction]> = [
  ["float", (args, named, tools) => floatOf(args[0]) ?? otherwiseOf("float", args, named, 1, tools)],
  ["int", int],
  ["bool", bool],
  ["is_number", ([value]) => {
    const number = floatOf(value)
    return number !== null && Number.isFinite(number) && typeof value !== "boolean"
  }],
  ["round", round],
  ["iif", iif],
  [
    "log",
    onFloats(
      "log",
      2,
      (a, b) => a > 0 && b > 0 ? b === Math.E ? Math.log(a) : Math.log2(a) / Math.log2(b) : null,
      Math.E,
    ),
  ],
  ["sqrt", onFloats("sqrt", 1, (a) => a < 0 ? null : Math.sqrt(a))],
  ["sin", onFloats("sin", 1, Math.sin)],
  ["cos", onFloats("cos", 1, Math.cos)],
  ["tan", onFloats("tan", 1, Math.tan)],
  ["asin", onFloats("asin", 1, Math.asin)],
  ["acos", onFloats("acos", 1, Math.acos)],
  ["atan", onFloats("atan", 1, Math.atan)],
  ["atan2", onFloats("atan2", 2, Math.atan2)],
  ["add", onFloats("add", 2, (a, b) => a + b)],
  ["multiply", onFloats("multiply", 2, (a, b) => a * b)],
  [
    "clamp",
    ([value, least, most]) => Math.min(floatOf(most) ?? NaN, Math.max(floatOf(least) ?? NaN, floatOf(value) ?? NaN)),
  ],
  ["wrap", ([value, least, most]) => {
    const [a, low, high] = [floatOf(value) ?? NaN, floatOf(least) ?? NaN, floatOf(most) ?? NaN]
    return low + (((a - low) % (high - low)) + (high - low)) % (high - low)
  }],
  ["remap", ([value, fromLow, fromHigh, toLow, toHigh]) => {
    const [a, b, c, d, e] = [value, fromLow, fromHigh, toLow, toHigh].map((each) => floatOf(each) ?? NaN) as [
      number,
      number,
      number,
      number,
      number,
    ]
    return d + (a - b) / (c - b) * (e - d)
  }],
  ["max", extreme(1)],
  ["min", extreme(-1)],
  ["average", statistic("average", average)],
  ["median", statistic("median", median)],
  ["statistical_mode", mode],
  ["bitwise_and", bitwise((a, b) => a & b)],
  ["bitwise_or", bitwise((a, b) => a | b)],
  ["bitwise_xor", bitwise((a, b) => a ^ b)],
]

export const numberConstants: ReadonlyArray<readonly [name: string, value: Value]> = [
  ["pi", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
  ["inf", Infinity],
]
