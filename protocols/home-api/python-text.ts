/**
 * Converts JSON values to text as Python's `str()` does, because clients expect that form when they set a state to another type.
 *
 * The notation of a number matters: `0` and `0.0` are different states. `exact-json.ts` keeps it.
 */
import type { Schema } from "effect"
import { floatText, rawNumberText } from "../domain/exact-json.ts"

type Json = Schema.Json

const quoted = (text: string): string => {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`
}

/** A value inside an array or object. */
const partText = (value: Json): string => typeof value === "string" ? quoted(value) : pythonText(value)

/** Any value. */
export const pythonText = (value: Json): string => {
  const raw = rawNumberText(value)
  if (raw !== null) return raw
  if (typeof value === "string") return value
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value).toString() : floatText(value)
  if (Array.isArray(value)) return `[${value.map(partText).join(", ")}]`
  return `{${Object.entries(value).map(([key, part]) => `${quoted(key)}: ${partText(part)}`).join(", ")}}`
}
