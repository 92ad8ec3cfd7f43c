/**
 * Whether two JSON values are equal: the order of keys and the notation of numbers do not matter.
 */
import type { Schema } from "effect"

type Json = Schema.Json

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Deep equality. */
export const equalJson = (a: Json, b: Json): boolean => {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, at) => equalJson(value, b[at]!))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key]!, b[key]!))
}
