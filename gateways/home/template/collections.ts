/**
 * Home Assistant's functions on lists, texts and JSON, and Jinja's own globals.
 */
import { createHash } from "node:crypto"
import { RE2JS } from "re2js"
import { spend, visit } from "./budget.ts"
import type { HomeFunction } from "./numbers.ts"
import { boundedList, boundedText, contains, listLengthMax } from "./operators.ts"
import { TemplateError } from "./template-error.ts"
import {
  distinct,
  Generator,
  isDict,
  isEqual,
  isList,
  isTrue,
  Namespace,
  PySet,
  textOf,
  Tuple,
  typeNameOf,
  type Value,
} from "./values.ts"
import { fromJson, toJson } from "./json-values.ts"
import { slugOf } from "./slug.ts"

const range: HomeFunction = (args) => {
  const numbers = args.map((arg) => {
    if (typeof arg === "bigint") return Number(arg)
    throw new TemplateError("TypeError", `'${typeNameOf(arg)}' object cannot be interpreted as an integer`)
  })
  const [from, to, step] = numbers.length === 1
    ? [0, numbers[0]!, 1]
    : [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 1]
  if (step === 0) throw new TemplateError("ValueError", "range() arg 3 must not be zero")
  const length = Math.max(0, Math.ceil((to - from) / step))
  if (length > listLengthMax) {
    throw new TemplateError(
      "OverflowError",
      `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${listLengthMax}).`,
    )
  }
  visit(length)
  return new Generator(Array.from({ length }, (_, i) => BigInt(from + i * step)))
}

const flatten = (values: ReadonlyArray<Value>, levels: number, into: Array<Value> = []): ReadonlyArray<Value> => {
  for (const value of values) {
    visit()
    const inner = isList(value) ? value : value instanceof Tuple ? value.values : null
    if (inner === null || levels === 0) boundedList(into).push(value)
    else flatten(inner, levels - 1, into)
  }
  return into
}

const zip: HomeFunction = (args, _, { items }) => {
  const lists = args.map(items)
  const length = lists.length === 0 ? 0 : Math.min(...lists.map((list) => list.length))
  return new Generator(Array.from({ length }, (_, i) => new Tuple(lists.map((list) => list[i]!))))
}

/** An operation on two lists as sets. */
const onSets =
  (keep: (a: Value, inOther: (value: Value) => boolean) => boolean, both = false): HomeFunction =>
  ([first = null, second = null], _, { items }) => {
    const [a, b] = [distinct(items(first)), distinct(items(second))]
    spend(a.length * b.length)
    const has = (list: ReadonlyArray<Value>) => (value: Value) => list.some((each) => isEqual(each, value))
    return [...a.filter((value) => keep(value, has(b))), ...(both ? b.filter((value) => !has(a)(value)) : [])]
  }

const combine: HomeFunction = (args, named) => {
  const isDeep = isTrue(named.get("recursive") ?? false)
  const merged = (a: Value, b: Value): Value => {
    if (!isDict(a) || !isDict(b)) return b
    visit(a.size + b.size)
    const result = new Map(a)
    for (const [key, value] of b) result.set(key, isDeep && result.has(key) ? merged(result.get(key)!, value) : value)
    return result
  }
  return args.reduce(merged, new Map<Value, Value>())
}

const expression = (pattern: Value | undefined, ignoreCase: Value | undefined): RE2JS => {
  try {
    return RE2JS.compile(textOf(pattern ?? ""), isTrue(ignoreCase ?? false) ? RE2JS.CASE_INSENSITIVE : 0)
  } catch (error) {
    throw new TemplateError(
      "ValueError",
      `invalid regular expression: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** The search of a text by an expression, which takes up to its instructions times its characters. */
const searched = (text: Value, pattern: Value | undefined, ignoreCase: Value | undefined) => {
  const regex = expression(pattern, ignoreCase)
  const shown = textOf(text)
  spend(regex.programSize() * (shown.length + 4) / 16)
  return regex.matcher(shown)
}

/** All matches of an expression: the groups of each, or the whole match if it has none. */
const findAll = (matcher: ReturnType<typeof searched>): ReadonlyArray<Value> => {
  const found: Array<Value> = []
  while (matcher.find()) {
    const groups = Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1) ?? "")
    found.push(groups.length === 0 ? matcher.group() ?? "" : groups.length === 1 ? groups[0]! : new Tuple(groups))
    boundedList(found)
  }
  return found
}

/** A replacement in RE2's notation: `\1` becomes `$1`. */
const replacement = (text: string): string => text.replaceAll("$", "\\$").replace(/\\g?<?(\d)>?/g, "$$$1")

const hash = (algorithm: string): HomeFunction => ([value = ""]) =>
  createHash(algorithm).update(textOf(value)).digest("hex")

const ordinal: HomeFunction = ([value = 0n]) => {
  const number = Number(textOf(value))
  const [tens, ones] = [Math.abs(number) % 100, Math.abs(number) % 10]
  const end = tens >= 11 && tens <= 13 ? "th" : ["th", "st", "nd", "rd"][ones] ?? "th"
  return `${textOf(value)}${end}`
}

export const collectionFunctions: ReadonlyArray<readonly [name: string, run: HomeFunction]> = [
  [
    "flatten",
    ([value = null, levels], _, { items }) =>
      boundedList(flatten(items(value), typeof levels === "bigint" ? Number(levels) : 32)),
  ],
  ["zip", zip],
  ["set", ([value], _, { items }) => new PySet(value === undefined ? [] : items(value))],
  ["tuple", ([value], _, { items }) => new Tuple(value === undefined ? [] : items(value))],
  ["union", onSets(() => true, true)],
  ["intersect", onSets((value, inOther) => inOther(value))],
  ["difference", onSets((value, inOther) => !inOther(value))],
  ["symmetric_difference", onSets((value, inOther) => !inOther(value), true)],
  ["combine", combine],
  ["contains", ([container = null, value = null]) => contains(container, value)],
  ["typeof", ([value = null]) => typeNameOf(value)],
  ["slugify", ([value = "", separator]) => slugOf(textOf(value), separator === undefined ? "_" : textOf(separator))],
  ["urlencode", ([value = ""]) => encodeURIComponent(textOf(value))],
  ["md5", hash("md5")],
  ["sha1", hash("sha1")],
  ["sha256", hash("sha256")],
  ["sha512", hash("sha512")],
]

/** Functions that are filters only. */
export const collectionFilters: ReadonlyArray<readonly [name: string, run: HomeFunction]> = [
  ["to_json", ([value = null], named) =>
    boundedText(toJson(value, {
      isPretty: isTrue(named.get("pretty_print") ?? false),
      isSorted: isTrue(named.get("sort_keys") ?? false),
    }))],
  ["tojson", ([value = null]) => boundedText(toJson(value, { isPretty: false, isSorted: false }))],
  ["from_json", (args, named) => {
    const [text = null] = args
    const read = fromJson(textOf(text))
    const otherwise = args[1] === undefined ? named.get("default") : args[1]
    if (read !== undefined) return read
    if (otherwise !== undefined) return otherwise
    throw new TemplateError("ValueError", `Template error: from_json got invalid input ${textOf(text)}`)
  }],
  ["base64_encode", ([value = ""]) => Buffer.from(textOf(value), "utf8").toString("base64")],
  ["base64_decode", ([value = ""]) => Buffer.from(textOf(value), "base64").toString("utf8")],
  ["ordinal", ordinal],
  ["ord", ([value = ""]) => BigInt(textOf(value).codePointAt(0) ?? 0)],
  [
    "regex_match",
    ([text = "", pattern, ignoreCase]) => searched(text, pattern, ignoreCase).lookingAt(),
  ],
  ["regex_search", ([text = "", pattern, ignoreCase]) => searched(text, pattern, ignoreCase).find()],
  [
    "regex_replace",
    ([text = "", pattern, by = "", ignoreCase]) =>
      boundedText(searched(text, pattern, ignoreCase).replaceAll(replacement(textOf(by)))),
  ],
  ["regex_findall", ([text = "", pattern, ignoreCase]) => findAll(searched(text, pattern, ignoreCase))],
  ["regex_findall_index", ([text = "", pattern, index = 0n, ignoreCase]) => {
    const found = findAll(searched(text, pattern, ignoreCase)).at(Number(index))
    if (found === undefined) throw new TemplateError("ValueError", "list index out of range")
    return found
  }],
]

/** Functions that are not filters. */
export const collectionGlobals: ReadonlyArray<readonly [name: string, run: HomeFunction]> = [
  ["range", range],
  ["dict", (_, named) => new Map(named)],
  ["list", ([value], _, { items }) => value === undefined ? [] : [...items(value)]],
  ["namespace", ([value], named) => {
    const entries = value !== undefined && isDict(value)
      ? [...value].map(([key, each]) => [textOf(key), each] as const)
      : []
    return new Namespace(new Map([...entries, ...named]))
  }],
]
