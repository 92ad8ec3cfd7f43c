/**
 * Reads JSON of clients without a failure: the handler decides how it answers an invalid body.
 */
import type { Schema } from "effect"
import { inexactJson, parseExact, rawNumberText } from "../../../protocols/domain/exact-json.ts"
import type { JsonObject } from "../../../protocols/domain/home.ts"

/** Notations that JSON allows and no value here may have: a number beyond the range of floats, and half of a surrogate pair. */
const suspect = /[eE]\+?\d{3}|\d{309}|\\u[dD][89a-fA-F]/

const isSound = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([key, part]) => key.isWellFormed() && isSound(part))
}

/**
 * The value of a text, whose numbers keep their notation (`exact-json.ts`); undefined if it is not JSON, or has a number or text that UTF-8
 * and floats cannot hold.
 */
export const readExactJson = (text: string | null): Schema.Json | undefined => {
  if (text === null) return undefined
  try {
    const value = parseExact(text)
    return suspect.test(text) && !isSound(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** As `readExactJson`, with JavaScript's numbers. */
export const readJson = (text: string | null): Schema.Json | undefined => {
  const value = readExactJson(text)
  return value === undefined ? undefined : inexactJson(value)
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && rawNumberText(value) === null
