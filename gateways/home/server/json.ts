/**
 * Reads JSON of clients without a failure: the handler decides how it answers an invalid body.
 */
import type { Schema } from "effect"
import type { JsonObject } from "../../../protocols/domain/home.ts"

/** The value of a text; undefined if it is not JSON. */
export const readJson = (text: string | null): Schema.Json | undefined => {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
