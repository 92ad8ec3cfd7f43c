/**
 * Methods of texts, dicts, lists and numbers in templates. Those that change a value do not exist.
 */
import { copy, visit } from "./budget.ts"
import { formatText } from "./formats.ts"
import { boundedList, boundedText, compare, itemsOf, searchOf } from "./operators.ts"
import { TemplateError } from "./template-error.ts"
import {
  isDict,
  isEqual,
  isList,
  type Named,
  PyFunction,
  sizeOf,
  textOf,
  Tuple,
  typeNameOf,
  type Value,
} from "./values.ts"

type Method<Self> = (self: Self, args: ReadonlyArray<Value>, named: Named) => Value

/** The widest text of `center` and its like. */
const widthMax = 1_000

export const titled = (text: string): string =>
  text.toLowerCase().replace(/\p{L}+/gu, (word) => word[0]!.toUpperCase() + word.slice(1))
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()

const stripped = (text: string, characters: Value | undefined, sides: "both" | "start" | "end"): string => {
  const isStripped = typeof characters === "string"
    ? (character: string) => characters.includes(character)
    : (character: string) => /\s/.test(character)
  let [from, to] = [0, text.length]
  while (sides !== "end" && from < to && isStripped(text[from]!)) from++
  while (sides !== "start" && to > from && isStripped(text[to - 1]!)) to--
  return text.slice(from, to)
}

const argument = (args: ReadonlyArray<Value>, named: Named, at: number, name: string): Value | undefined =>
  args[at] ?? named.get(name)

const split: Method<string> = (text, args, named) => {
  const separator = argument(args, named, 0, "sep")
  const given = argument(args, named, 1, "maxsplit")
  const most = typeof given === "bigint" && given >= 0n ? Number(given) : Infinity
  if (typeof separator === "string") copy(searchOf(text, separator))
  if (separator === "") throw new TemplateError("ValueError", "empty separator")
  const parts = typeof separator === "string" ? text.split(separator) : text.trim().split(/\s+/).filter(Boolean)
  if (parts.length <= most + 1) return boundedList(parts)
  return [...parts.slice(0, most), parts.slice(most).join(typeof separator === "string" ? separator : " ")]
}

const rsplit: Method<string> = (text, args, named) => {
  const separator = argument(args, named, 0, "sep")
  const given = argument(args, named, 1, "maxsplit")
  if (typeof separator !== "string" || typeof given !== "bigint" || given < 0n) return split(text, args, named)
  copy(searchOf(text, separator))
  const parts = boundedList(text.split(separator))
  const kept = Math.max(0, parts.length - Number(given))
  return kept === 0 ? parts : [parts.slice(0, kept).join(separator), ...parts.slice(kept)]
}

const isOneOf = (given: Value | undefined, test: (part: string) => boolean): boolean =>
  (given instanceof Tuple ? given.values : [given ?? ""]).some((part) => test(textOf(part)))

const aligned = (sides: "left" | "right" | "both"): Method<string> => (text, [width, fill = " "]) => {
  if (typeof width !== "bigint" || width > BigInt(widthMax)) {
    throw new TemplateError("OverflowError", `A width is at most ${widthMax}.`)
  }
  if (typeof fill !== "string" || fill.length !== 1) {
    throw new TemplateError("TypeError", "The fill character must be exactly one character long")
  }
  const missing = Math.max(0, Number(width) - text.length)
  const before = sides === "left" ? 0 : sides === "right" ? missing : Math.floor(missing / 2)
  return fill.repeat(before) + text + fill.repeat(missing - before)
}

const partitioned = (text: string, separator: string, at: number, other: ReadonlyArray<string>): Tuple =>
  new Tuple(at < 0 ? other : [text.slice(0, at), separator, text.slice(at + separator.length)])

/** `text.replace(old, new)` within the bound on texts. */
export const replacedText = (text: string, from: string, to: string, most = Infinity): string => {
  copy(searchOf(text, from))
  const parts = from === "" ? [text] : text.split(from)
  const times = Math.min(parts.length - 1, most)
  boundedText("".padEnd(Math.min(text.length + times * Math.max(0, to.length - from.length), 2 ** 20)))
  return most === Infinity
    ? parts.join(to)
    : parts.slice(0, times + 1).join(to) + parts.slice(times + 1).map((part) => from + part).join("")
}

const placeOf = (text: string, part: Value): number => {
  copy(searchOf(text, textOf(part)))
  return text.indexOf(textOf(part))
}

/** The search from the right compares the whole part at each place. */
const lastPlaceOf = (text: string, part: Value): number => {
  copy(text.length * (1 + textOf(part).length))
  return text.lastIndexOf(textOf(part))
}

const texts: Readonly<Record<string, Method<string>>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  casefold: (text) => text.toLowerCase(),
  title: titled,
  capitalize: capitalized,
  swapcase: (text) => text.replace(/./gu, (c) => c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()),
  strip: (text, [characters]) => stripped(text, characters, "both"),
  lstrip: (text, [characters]) => stripped(text, characters, "start"),
  rstrip: (text, [characters]) => stripped(text, characters, "end"),
  split,
  rsplit,
  splitlines: (text) => text === "" ? [] : boundedList(text.replace(/\r?\n$/, "").split(/\r\n|\r|\n/)),
  startswith: (text, [prefix]) => isOneOf(prefix, (part) => text.startsWith(part)),
  endswith: (text, [suffix]) => isOneOf(suffix, (part) => text.endsWith(part)),
  removeprefix: (text, [prefix = ""]) => text.startsWith(textOf(prefix)) ? text.slice(textOf(prefix).length) : text,
  removesuffix: (text, [suffix = ""]) =>
    textOf(suffix) !== "" && text.endsWith(textOf(suffix)) ? text.slice(0, -textOf(suffix).length) : text,
  replace: (text, [from = "", to = "", most]) =>
    replacedText(text, textOf(from), textOf(to), typeof most === "bigint" && most >= 0n ? Number(most) : Infinity),
  find: (text, [part = ""]) => BigInt(placeOf(text, part)),
  rfind: (text, [part = ""]) => BigInt(lastPlaceOf(text, part)),
  index: (text, [part = ""]) => {
    const at = placeOf(text, part)
    if (at < 0) throw new TemplateError("ValueError", "substring not found")
    return BigInt(at)
  },
  count: (text, [part = ""]) => {
    copy(searchOf(text, textOf(part)))
    return BigInt(textOf(part) === "" ? text.length + 1 : text.split(textOf(part)).length - 1)
  },
  join: (text, [parts = ""]) =>
    boundedText(
      itemsOf(parts).map((part) => {
        visit()
        copy(sizeOf(part, text))
        if (typeof part === "string") return part
        throw new TemplateError("TypeError", `sequence item: expected str instance, ${typeNameOf(part)} found`)
      }).join(text),
    ),
  format: (text, args, named) => boundedText(formatText(text, args, named)),
  isdigit: (text) => /^\p{Nd}+$/u.test(text),
  isdecimal: (text) => /^\p{Nd}+$/u.test(text),
  isnumeric: (text) => /^\p{N}+$/u.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text),
  isspace: (text) => /^\s+$/.test(text),
  isupper: (text) => text !== text.toLowerCase() && text === text.toUpperCase(),
  islower: (text) => text !== text.toUpperCase() && text === text.toLowerCase(),
  center: aligned("both"),
  ljust: aligned("left"),
  rjust: aligned("right"),
  zfill: (text, [width]) => {
    const filled = aligned("right")(text.replace(/^[+-]/, ""), [
      typeof width === "bigint" && /^[+-]/.test(text) ? width - 1n : width!,
      "0",
    ], new Map())
    return (/^[+-]/.exec(text)?.[0] ?? "") + textOf(filled)
  },
  partition: (text, [separator = ""]) => partitioned(text, textOf(separator), placeOf(text, separator), [text, "", ""]),
  rpartition: (text, [separator = ""]) =>
    partitioned(text, textOf(separator), lastPlaceOf(text, separator), ["", "", text]),
}

const dicts: Readonly<Record<string, Method<ReadonlyMap<Value, Value>>>> = {
  get: (dict, [key = null, otherwise = null]) => dict.get(key) ?? (dict.has(key) ? null : otherwise),
  items: (dict) => [...dict].map((pair) => new Tuple(pair)),
  keys: (dict) => [...dict.keys()],
  values: (dict) => [...dict.values()],
  copy: (dict) => new Map(dict),
}

const lists: Readonly<Record<string, Method<ReadonlyArray<Value>>>> = {
  index: (list, [value = null]) => {
    const at = list.findIndex((part) => isEqual(part, value))
    if (at < 0) throw new TemplateError("ValueError", "list.index(x): x not in list")
    return BigInt(at)
  },
  count: (list, [value = null]) => BigInt(list.filter((part) => isEqual(part, value)).length),
  copy: (list) => [...list],
}

const numbers: Readonly<Record<string, Method<number | bigint>>> = {
  is_integer: (value) => typeof value === "bigint" || Number.isInteger(value),
}

const bound = <Self extends Value>(
  table: Readonly<Record<string, Method<Self>>>,
  self: Self,
  name: string,
): PyFunction | undefined => {
  const method = Object.hasOwn(table, name) ? table[name]! : undefined
  return method === undefined ? undefined : new PyFunction(name, (args, named) => {
    if (typeof self === "string") copy(self.length)
    else visit(sizeOf(self))
    return method(self, args, named)
  })
}

/** A method of a value that is not a `PyObject`, bound to it; undefined if there is none. */
export const methodOf = (value: Value, name: string): PyFunction | undefined => {
  if (typeof value === "string") return bound(texts, value, name)
  if (isDict(value)) return bound(dicts, value, name)
  if (isList(value)) return bound(lists, value, name)
  if (value instanceof Tuple) return bound(lists, value.values, name)
  return typeof value === "number" || typeof value === "bigint" ? bound(numbers, value, name) : undefined
}

/** Methods that would change a value. */
export const changing: ReadonlySet<string> = new Set([
  ...["append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem"],
  ...["add", "discard", "difference_update", "intersection_update", "symmetric_difference_update"],
])

/** Values in ascending order. */
export const ordered = (values: ReadonlyArray<Value>, by: (value: Value) => Value = (value) => value): Array<Value> =>
  values.map((value) => [by(value), value] as const).sort(([a], [b]) => compare(a, b)).map(([, value]) => value)
