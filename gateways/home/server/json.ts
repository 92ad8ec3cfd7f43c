/**
 * JSON that clients send, read without a failure: what a wrong body means is the handler's to say.
 */
import type { Schema } from "effect"
import type { JsonObject } from "../../../protocols/domain/home.ts"

/** Undefined for text that is no JSON. */
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
