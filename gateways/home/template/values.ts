/**
 * Values of templates, with Python's types: an integer is a `bigint`, a float a `number`, None is null, a list an array, a dict a `Map`.
 *
 * Invariant: a template reaches no property of a JavaScript object. Attributes come from the tables of `methods.ts` and from `attribute` of a
 * `PyObject`, and functions are `PyFunction`s.
 */
import { copy, visit } from "./budget.ts"
import { floatText } from "../../../protocols/domain/exact-json.ts"
import { type ErrorKind, TemplateError } from "./template-error.ts"

export type Value = null | boolean | bigint | number | string | ReadonlyArray<Value> | Dict | PyObject
type Dict = ReadonlyMap<Value, Value>

/** A value with attributes or items of its own. */
export abstract class PyObject {
  /** The name of its type in Python. */
  abstract readonly typeName: string
  abstract text(): string
  /** The attribute of this name; undefined if there is none. */
  attribute(_name: string): Value | undefined {
    return undefined
  }
  /** The item under a key; undefined if there is none. */
  item(_key: Value): Value | undefined {
    return undefined
  }
  /** Its items; null if it is not iterable. */
  items(): Iterable<Value> | null {
    return null
  }
  isTrue(): boolean {
    return true
  }
  /** Its text inside a list. */
  repr(): string {
    return this.text()
  }
}

/** The result of a missing name, attribute or item. It prints as nothing; other uses of it are errors. */
export class Undefined extends PyObject {
  readonly typeName = "Undefined"
  readonly message: string
  readonly kind: ErrorKind
  constructor(message: string, kind: ErrorKind = "UndefinedError") {
    super()
    this.message = message
    this.kind = kind
  }
  text() {
    return ""
  }
  override items(): Iterable<Value> {
    return []
  }
  override isTrue() {
    return false
  }
  override repr() {
    return "Undefined"
  }
  /** The error of a use that it does not allow. */
  error(): TemplateError {
    return new TemplateError(this.kind, this.message)
  }
}

/** An immutable sequence, which prints in parentheses. */
export class Tuple extends PyObject {
  readonly typeName = "tuple"
  readonly values: ReadonlyArray<Value>
  constructor(values: ReadonlyArray<Value>) {
    super()
    this.values = values
  }
  text() {
    const parts = this.values.map(reprOf)
    return parts.length === 1 ? `(${parts[0]},)` : `(${parts.join(", ")})`
  }
  override items() {
    return this.values
  }
  override isTrue() {
    return this.values.length > 0
  }
}

/** Different values without an order of their own; here the order of insertion. */
export class PySet extends PyObject {
  readonly typeName = "set"
  readonly values: ReadonlyArray<Value>
  constructor(values: Iterable<Value>) {
    super()
    this.values = distinct(values)
  }
  text() {
    return this.values.length === 0 ? "set()" : `{${this.values.map(reprOf).join(", ")}}`
  }
  override items() {
    return this.values
  }
  override isTrue() {
    return this.values.length > 0
  }
}

/** A result that is read once, such as that of `map`. Here it is a list that prints otherwise. */
export class Generator extends PyObject {
  readonly typeName = "generator"
  readonly values: ReadonlyArray<Value>
  constructor(values: ReadonlyArray<Value>) {
    super()
    this.values = values
  }
  text() {
    return "<generator object>"
  }
  override items() {
    return this.values
  }
}

/** What `namespace()` returns: the one value that a template may change. */
export class Namespace extends PyObject {
  readonly typeName = "Namespace"
  readonly values: Map<string, Value>
  constructor(values: Map<string, Value>) {
    super()
    this.values = values
  }
  text() {
    return `<Namespace ${reprOf(new Map(this.values))}>`
  }
  override attribute(name: string) {
    return this.values.get(name)
  }
}

/** Arguments of a call by name. */
export type Named = ReadonlyMap<string, Value>

export class PyFunction extends PyObject {
  readonly typeName = "function"
  readonly name: string
  readonly call: (args: ReadonlyArray<Value>, named: Named) => Value
  constructor(name: string, call: PyFunction["call"]) {
    super()
    this.name = name
    this.call = call
  }
  text() {
    return `<function ${this.name}>`
  }
}

export const isDict = (value: Value): value is Dict => value instanceof Map
export const isList = (value: Value): value is ReadonlyArray<Value> => Array.isArray(value)
export const isNumber = (value: Value): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint"

/** The name of a value's type in Python. */
export const typeNameOf = (value: Value): string => {
  if (value === null) return "NoneType"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "bigint") return "int"
  if (typeof value === "number") return "float"
  if (typeof value === "string") return "str"
  if (isList(value)) return "list"
  return isDict(value) ? "dict" : (value as PyObject).typeName
}

export const isTrue = (value: Value): boolean => {
  if (value === null || value === false || value === 0 || value === 0n || value === "") return false
  if (isList(value)) return value.length > 0
  if (isDict(value)) return value.size > 0
  return value instanceof PyObject ? value.isTrue() : true
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const quoted = (text: string): string => {
  const escaped = text.replace(/[\\\n\r\t]/g, (character) => escapes[character]!)
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`
}

/** A value as Python's `str()` writes it. */
export const textOf = (value: Value): string => {
  if (typeof value === "string") return value
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "bigint") return String(value)
  if (typeof value === "number") return floatText(value)
  if (isList(value)) return `[${value.map(reprOf).join(", ")}]`
  if (isDict(value)) return `{${[...value].map(([key, part]) => `${reprOf(key)}: ${reprOf(part)}`).join(", ")}}`
  return (value as PyObject).text()
}

/** A value as Python's `repr()` writes it. */
export const reprOf = (value: Value): string => {
  visit()
  if (typeof value !== "string") return value instanceof PyObject ? value.repr() : textOf(value)
  copy(value.length)
  return quoted(value)
}

/** The number of characters and elements of values, without those of their elements. */
export const sizeOf = (...values: ReadonlyArray<Value>): number =>
  values.reduce<number>((sum, value) => {
    if (typeof value === "string" || isList(value)) return sum + value.length
    return sum + (isDict(value) ? value.size : 0)
  }, 0)

/** Whether two values are equal; 1, 1.0 and True are. */
export const isEqual = (a: Value, b: Value): boolean => {
  visit()
  if (typeof a === "string" && typeof b === "string" && a.length === b.length) copy(a.length)
  if (a === b) return true
  if ((isNumber(a) || typeof a === "boolean") && (isNumber(b) || typeof b === "boolean")) {
    // deno-lint-ignore eqeqeq
    return Number(a) == Number(b) && (typeof a !== "bigint" || typeof b !== "bigint")
  }
  if (isList(a) && isList(b)) return a.length === b.length && a.every((part, i) => isEqual(part, b[i]!))
  if (isDict(a) && isDict(b)) {
    return a.size === b.size && [...a].every(([key, part]) => b.has(key) && isEqual(part, b.get(key)!))
  }
  if (a instanceof Tuple && b instanceof Tuple) return isEqual(a.values, b.values)
  if (a instanceof PySet && b instanceof PySet) return a.text() === b.text()
  if (a instanceof Undefined && b instanceof Undefined) return true
  return a instanceof PyObject && b instanceof PyObject && a.typeName === b.typeName && a.repr() === b.repr()
}

/** A key under which equal values are the same. */
const keyOf = (value: Value): unknown =>
  typeof value === "number" && Number.isInteger(value)
    ? BigInt(value)
    : typeof value === "boolean"
    ? BigInt(value)
    : typeof value === "object" && value !== null
    ? `${typeNameOf(value)} ${reprOf(value)}`
    : typeof value === "string"
    ? `str ${value}`
    : value

/** The different values, each at its first place. */
export const distinct = (values: Iterable<Value>, by: (value: Value) => Value = (value) => value): Array<Value> => {
  const found = new Map<unknown, Value>()
  for (const value of values) {
    const key = keyOf(by(value))
    if (!found.has(key)) found.set(key, value)
  }
  return [...found.values()]
}
