/**
 * Jinja's filters on lists, texts and numbers.
 */
import { attributeByPath } from "./access.ts"
import { copy, spend, visit } from "./budget.ts"
import type { Filter, Tools } from "./expressions.ts"
import { percentText } from "./formats.ts"
import { capitalized, methodOf, ordered, replacedText, titled } from "./methods.ts"
import { arithmetic, boundedText, compare, itemsOf } from "./operators.ts"
import { TemplateError } from "./template-error.ts"
import {
  distinct,
  Generator,
  isDict,
  isEqual,
  isNumber,
  isTrue,
  type Named,
  textOf,
  Tuple,
  typeNameOf,
  Undefined,
  type Value,
} from "./values.ts"

/** An argument by its place or its name; null if it is absent. */
export const argumentOf = (args: ReadonlyArray<Value>, named: Named, at: number, name: string): Value =>
  args[at] === undefined ? named.get(name) ?? null : args[at]

const folded = (value: Value): Value => typeof value === "string" ? value.toLowerCase() : value

/** How a filter reads the value by which it works: an attribute, and texts without their case. */
const keyOf = (attribute: Value, caseSensitive: boolean) => (value: Value): Value => {
  const found = attribute === null ? value : attributeByPath(value, attribute)
  return caseSensitive ? found : folded(found)
}

const sort: Filter = (value, args, named, { items }) => {
  const isReversed = isTrue(argumentOf(args, named, 0, "reverse"))
  const by = keyOf(argumentOf(args, named, 2, "attribute"), isTrue(argumentOf(args, named, 1, "case_sensitive")))
  const sorted = ordered(items(value), by)
  return isReversed ? sorted.reverse() : sorted
}

const extreme = (sign: 1 | -1): Filter => (value, args, named, { items }) => {
  const by = keyOf(argumentOf(args, named, 1, "attribute"), isTrue(argumentOf(args, named, 0, "case_sensitive")))
  const values = items(value)
  if (values.length === 0) return new Undefined("No aggregated item, sequence was empty.")
  return values.reduce((best, each) => sign * compare(by(each), by(best)) > 0 ? each : best)
}

/** Whether a filter such as `select` keeps a value: by a test, or by truth. */
const picks = (args: ReadonlyArray<Value>, tools: Tools) => {
  const [name, ...rest] = args
  return (value: Value): boolean => {
    spend(1)
    return name === undefined ? isTrue(value) : tools.test(textOf(name), value, rest)
  }
}

const selecting = (keeps: boolean): Filter => (value, args, _, tools) => {
  const fits = picks(args, tools)
  return new Generator(tools.items(value).filter((each) => fits(each) === keeps))
}

const selectingBy = (keeps: boolean): Filter => (value, [attribute = "", ...args], _, tools) => {
  const fits = picks(args, tools)
  return new Generator(tools.items(value).filter((each) => fits(attributeByPath(each, attribute)) === keeps))
}

const map: Filter = (value, args, named, tools) => {
  const attribute = named.get("attribute")
  if (attribute !== undefined) {
    const otherwise = named.get("default")
    return new Generator(
      tools.items(value).map((each) => {
        const found = attributeByPath(each, attribute)
        return found instanceof Undefined && otherwise !== undefined ? otherwise : found
      }),
    )
  }
  const [name, ...rest] = args
  if (name === undefined) throw new TemplateError("TypeError", "map requires a filter argument")
  return new Generator(
    tools.items(value).map((each) => {
      spend(1)
      return tools.filter(textOf(name), each, rest, named)
    }),
  )
}

const groupby: Filter = (value, args, named, { items }) => {
  const attribute = argumentOf(args, named, 0, "attribute")
  const by = (each: Value): Value => {
    const found = attributeByPath(each, attribute)
    if (found instanceof Undefined) throw found.error()
    return found
  }
  const values = ordered(items(value), (each) => folded(by(each)))
  const groups: Array<[Value, Array<Value>]> = []
  for (const each of values) {
    const last = groups.at(-1)
    if (last !== undefined && isEqual(folded(last[0]), folded(by(each)))) last[1].push(each)
    else groups.push([by(each), [each]])
  }
  return groups.map(([key, group]) => new Tuple([key, group]))
}

const batch: Filter = (value, args, named, { items }) => {
  const size = argumentOf(args, named, 0, "linecount")
  const fill = argumentOf(args, named, 1, "fill_with")
  const length = typeof size === "bigint" && size > 0n ? Number(size) : 1
  const values = items(value)
  const groups = Array.from(
    { length: Math.ceil(values.length / length) },
    (_, i) => values.slice(i * length, (i + 1) * length),
  )
  const last = groups.at(-1)
  while (fill !== null && last !== undefined && last.length < length && length <= 1_000) last.push(fill)
  return new Generator(groups)
}

const first: Filter = (value, _, __, { items }) =>
  items(value)[0] ?? new Undefined("No first item, sequence was empty.")
const last: Filter = (value, _, __, { items }) =>
  items(value).at(-1) ?? new Undefined("No last item, sequence was empty.")

const length: Filter = (value) => {
  if (typeof value === "string") {
    visit(value.length)
    return BigInt([...value].length)
  }
  return BigInt(isDict(value) ? value.size : itemsOf(value).length)
}

const truncate: Filter = (value, args, named) => {
  const text = textOf(value)
  const given = argumentOf(args, named, 0, "length")
  const end = argumentOf(args, named, 2, "end")
  const most = typeof given === "bigint" ? Number(given) : 255
  const leeway = Number(argumentOf(args, named, 3, "leeway") ?? 5)
  const shown = end === null ? "..." : textOf(end)
  if (text.length <= most + leeway) return text
  const kept = text.slice(0, Math.max(0, most - shown.length))
  if (isTrue(argumentOf(args, named, 1, "killwords"))) return kept + shown
  return kept.includes(" ") ? kept.slice(0, kept.lastIndexOf(" ")) + shown : kept + shown
}

const sum: Filter = (value, args, named, { items }) => {
  const by = keyOf(argumentOf(args, named, 0, "attribute"), true)
  return items(value).reduce(
    (total, each) => arithmetic("+", total, by(each)),
    argumentOf(args, named, 1, "start") ?? 0n,
  )
}

const dictsort: Filter = (value, args, named, { items }) => {
  const by = argumentOf(args, named, 1, "by") === "value" ? 1 : 0
  const pairs = (isDict(value) ? [...value] : []) as ReadonlyArray<readonly [Value, Value]>
  items(value)
  const sorted = ordered(pairs.map((pair) => new Tuple(pair)), (pair) => folded((pair as Tuple).values[by]!))
  return isTrue(argumentOf(args, named, 2, "reverse")) ? sorted.reverse() : sorted
}

const useDefault: Filter = (value, args, named) => {
  const otherwise = args[0] === undefined ? named.get("default_value") ?? "" : args[0]
  const alsoFalse = isTrue(argumentOf(args, named, 1, "boolean"))
  return value instanceof Undefined || (alsoFalse && !isTrue(value)) ? otherwise : value
}

const reverse: Filter = (value, _, __, { items }) =>
  typeof value === "string" ? [...value].reverse().join("") : new Generator([...items(value)].reverse())

const unique: Filter = (value, args, named, { items }) => {
  const isCaseSensitive = isTrue(argumentOf(args, named, 0, "case_sensitive"))
  return new Generator(distinct(items(value), keyOf(argumentOf(args, named, 1, "attribute"), isCaseSensitive)))
}

const join: Filter = (value, args, named, { items }) => {
  const by = keyOf(argumentOf(args, named, 1, "attribute"), true)
  const shown = (each: Value): string => {
    const part = textOf(by(each))
    copy(part.length)
    return part
  }
  return boundedText(items(value).map(shown).join(textOf(args[0] ?? named.get("d") ?? "")))
}

const text = (change: (text: string) => string): Filter => (value) => change(textOf(value))

/** A text without what stands between `<` and the next `>`. */
const withoutTags = (text: string): string => {
  let out = ""
  let from = 0
  for (let open = text.indexOf("<"); open >= 0; open = text.indexOf("<", from)) {
    const close = text.indexOf(">", open)
    if (close < 0) break
    out += text.slice(from, open)
    from = close + 1
  }
  return out + text.slice(from)
}

/** A method of texts as a filter. */
const method = (name: string): Filter => (value, args, named) => methodOf(textOf(value), name)!.call(args, named)

const percentEncoded = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%2F", "/")

export const filters: ReadonlyArray<readonly [name: string, filter: Filter]> = [
  ["abs", (value) => {
    if (!isNumber(value)) throw new TemplateError("TypeError", `bad operand type for abs(): '${typeNameOf(value)}'`)
    return value < 0 ? -value : value
  }],
  ["attr", (value, [name = ""]) => attributeByPath(value, textOf(name))],
  ["batch", batch],
  ["capitalize", text(capitalized)],
  [
    "center",
    (value, args, named) =>
      methodOf(textOf(value), "center")!.call([argumentOf(args, named, 0, "width") ?? 80n], named),
  ],
  ["count", length],
  ["d", useDefault],
  ["default", useDefault],
  ["dictsort", dictsort],
  ["e", text((part) => part)],
  ["first", first],
  ["forceescape", text((part) => part)],
  [
    "format",
    (value, args, named) => boundedText(percentText(textOf(value), args.length > 0 ? new Tuple(args) : new Map(named))),
  ],
  ["groupby", groupby],
  [
    "indent",
    (value, [width = 4n]) =>
      boundedText(textOf(value).replaceAll("\n", `\n${" ".repeat(Math.min(100, Number(width)))}`)),
  ],
  ["items", (value) => {
    if (!isDict(value)) return new Generator([])
    visit(value.size)
    return new Generator([...value].map((pair) => new Tuple(pair)))
  }],
  ["join", join],
  ["last", last],
  ["length", length],
  ["list", (value, _, __, { items }) => [...items(value)]],
  ["lower", method("lower")],
  ["map", map],
  ["max", extreme(1)],
  ["min", extreme(-1)],
  ["reject", selecting(false)],
  ["rejectattr", selectingBy(false)],
  [
    "replace",
    (value, [from = "", to = "", most]) =>
      boundedText(
        replacedText(textOf(value), textOf(from), textOf(to), typeof most === "bigint" ? Number(most) : Infinity),
      ),
  ],
  ["reverse", reverse],
  ["safe", (value) => value],
  ["select", selecting(true)],
  ["selectattr", selectingBy(true)],
  ["sort", sort],
  ["string", (value) => textOf(value)],
  ["striptags", text((part) => withoutTags(part).replace(/\s+/g, " ").trim())],
  ["sum", sum],
  ["title", text(titled)],
  ["trim", method("strip")],
  ["truncate", truncate],
  ["unique", unique],
  ["upper", method("upper")],
  [
    "urlencode",
    (value) =>
      isDict(value)
        ? [...value].map((pair) => pair.map((part) => encodeURIComponent(textOf(part))).join("=")).join("&")
        : percentEncoded(textOf(value)),
  ],
  ["wordcount", (value) => BigInt(textOf(value).split(/\s+/).filter(Boolean).length)],
]
