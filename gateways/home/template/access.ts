/**
 * Attributes, items and slices of values. Nothing of JavaScript is reached: a name is looked up in the tables of `methods.ts`, in a dict, or in
 * the attributes of a `PyObject`.
 */
import { visit } from "./budget.ts"
import { changing, methodOf } from "./methods.ts"
import { TemplateError } from "./template-error.ts"
import { isDict, isList, Namespace, PyObject, Tuple, typeNameOf, Undefined, type Value } from "./values.ts"

const unsafe = (value: Value, name: string) =>
  new Undefined(`access to attribute '${name}' of '${typeNameOf(value)}' object is unsafe.`, "SecurityError")

const missing = (value: Value, name: string) =>
  new Undefined(`'${typeNameOf(value)} object' has no attribute '${name}'`)

/** The values of a list or tuple, the characters of a text; null for other values. */
const sequenceOf = (value: Value): ReadonlyArray<Value> | string | null => {
  if (typeof value === "string" && /[\ud800-\udfff]/.test(value)) {
    visit(value.length)
    return [...value]
  }
  if (typeof value === "string") return value
  return isList(value) ? value : value instanceof Tuple ? value.values : null
}

const ownAttribute = (value: Value, name: string): Value | undefined =>
  methodOf(value, name) ?? (value instanceof PyObject ? value.attribute(name) : undefined)

const ownItem = (value: Value, key: Value): Value | undefined => {
  if (isDict(value)) return value.get(key)
  const sequence = sequenceOf(value)
  if (sequence !== null) {
    const index = typeof key === "bigint" ? Number(key) : typeof key === "boolean" ? Number(key) : NaN
    return sequence.at(index < 0 || index >= 0 ? index : sequence.length)
  }
  return value instanceof PyObject ? value.item(key) : undefined
}

/** `value.name`: an attribute, else the item of this key. */
export const attributeOf = (value: Value, name: string): Value => {
  if (value instanceof Undefined) throw value.error()
  if (name.startsWith("__") || (changing.has(name) && !(value instanceof Namespace) && !hasKey(value, name))) {
    return unsafe(value, name)
  }
  const attribute = ownAttribute(value, name)
  const found = attribute === undefined ? ownItem(value, name) : attribute
  return found === undefined ? missing(value, name) : found
}

const hasKey = (value: Value, name: string): boolean => isDict(value) ? value.has(name) : value instanceof PyObject

/** `value[key]`: the item of this key, else the attribute of this name. */
export const itemOf = (value: Value, key: Value): Value => {
  if (value instanceof Undefined) throw value.error()
  const item = ownItem(value, key)
  if (item !== undefined) return item
  if (typeof key !== "string") return new Undefined(`${typeNameOf(value)} object has no element ${String(key)}`)
  if (key.startsWith("__")) return unsafe(value, key)
  const attribute = ownAttribute(value, key)
  return attribute === undefined ? missing(value, key) : attribute
}

/** An attribute by a path such as `attributes.list.0`. */
export const attributeByPath = (value: Value, path: Value): Value => {
  if (typeof path === "bigint") return itemOf(value, path)
  let found = value
  for (const part of String(path).split(".")) {
    found = /^\d+$/.test(part) ? itemOf(found, BigInt(part)) : attributeOf(found, part)
  }
  return found
}

const bound = (given: Value, length: number, otherwise: number): number => {
  if (given === null) return otherwise
  if (typeof given !== "bigint") {
    throw new TemplateError("TypeError", "slice indices must be integers or None or have an __index__ method")
  }
  const index = Number(given)
  return index < 0 ? Math.max(index + length, -1) : Math.min(index, length)
}

/** `value[start:stop:step]`. */
export const sliceOf = (value: Value, start: Value, stop: Value, step: Value): Value => {
  const sequence = sequenceOf(value)
  if (sequence === null) throw new TemplateError("TypeError", `'${typeNameOf(value)}' object is not subscriptable`)
  const by = typeof step === "bigint" ? Number(step) : 1
  if (by === 0) throw new TemplateError("ValueError", "slice step cannot be zero")
  const { length } = sequence
  const from = bound(start, length, by > 0 ? 0 : length - 1)
  const to = bound(stop, length, by > 0 ? length : -1)
  visit(Math.abs(to - from) / Math.abs(by))
  const found: Array<Value> = []
  if (by > 0) { for (let i = Math.max(0, from); i < to; i += by) found.push(sequence[i]!) }
  else for (let i = Math.min(length - 1, from); i > to; i += by) found.push(sequence[i]!)
  if (typeof value === "string") return found.join("")
  return value instanceof Tuple ? new Tuple(found) : found
}
