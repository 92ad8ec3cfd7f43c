/**
 * Whether two JSON values are equal: the order of keys and the notation of numbers do not matter.
 */
import type { Schema } from "effect"
import { rawNumberText } from "./exact-json.ts"

type Json = Schema.Json

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A number, compared by its value; null for every other value. */
const numberOf = (value: Json): number | bigint | null => {
  if (typeof value === "number") return value
  const raw = rawNumberText(value)
  if (raw === null) return null
  return /^-?\d+$/.test(raw) ? BigInt(raw) : Number(raw)
}

/** Deep equality. */
export const equalJson = (a: Json, b: Json): boolean => {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, at) => equalJson(value, b[at]!))
  }
  const [one, other] = [numberOf(a), numberOf(b)]
  if (one !== null || other !== null) {
    return one !== null && other !== null && !(one < other) && !(one > other)
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key]!, b[key]!))
}
